package nodes

// The trials on one node.

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/checksum"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/executable"
	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// trial is the trial of a node.
type trial struct {
	fleet  *Fleet
	member *member
	number int       // of the trials
	came   time.Time // when it was seen
	found  *NodeSurvey
}

func (t *trial) add(g Grade, what, mend, format string, values ...any) {
	t.found.Findings = append(t.found.Findings, Finding{what, g, fmt.Sprintf(format, values...), mend})
}

// try makes all trials, one after the other.
func (f *Fleet) try(ctx context.Context, t *trial, solvers []Subject) {
	t.clock(ctx) // first: other times are corrected by it
	t.start()
	t.relay()
	t.room(ctx)
	t.machine()
	t.program()
	for _, s := range solvers {
		t.solver(ctx, s)
	}
	t.watchdog()
	t.licences()
	if err := t.member.node.Err(); err != nil {
		t.add(Trouble, "node", "find out why it ended; the faults above follow from it", "it was lost meanwhile: %v",
			err)
	}
}

// Limits of a node's clock.
const (
	fairOffset  = 2 * time.Second
	worstOffset = 5 * time.Minute // beyond it Kerberos and many licence servers refuse
)

// pulseTime bounds the wait for the first answer to a heartbeat.
const pulseTime = 5 * time.Second

// clock compares clocks. Peregrine itself measures the offset, converts the times of events to the study's clock, and
// judges silence by that.
func (t *trial) clock(ctx context.Context) {
	at := t.fleet.clock
	until := at.Now().Add(pulseTime)
	offset, trip := t.member.node.Offset()
	for trip == 0 && at.Now().Before(until) && clock.Sleep(ctx, at, inspectInterval/2) == nil {
		offset, trip = t.member.node.Offset()
	}
	side := "ahead of"
	if offset < 0 {
		side = "behind"
	}
	digits := time.Millisecond
	if offset.Abs() > time.Minute { // a large offset does not need milliseconds
		digits = time.Second
	}
	text := fmt.Sprintf("%v %s this machine's, known to %v", offset.Abs().Round(digits), side,
		(trip / 2).Round(time.Microsecond))
	const mend = "let both take their time from a server (chrony, NTP)"
	switch {
	case trip == 0:
		t.add(Doubt, "clock", "see why the node does not answer heartbeats",
			"it did not answer a heartbeat within %v, so that its clock is not known", pulseTime)
	case offset.Abs() > worstOffset:
		t.add(Trouble, "clock", mend,
			"%s. Events and time limits of runs are kept right, but licence servers, Kerberos and solvers that "+
				"compare the times of files go wrong, and a clock an hour behind refuses the study's certificates",
			text)
	case offset.Abs() > fairOffset+trip:
		t.add(Doubt, "clock", mend, "%s; times of files differ by as much", text)
	default:
		t.add(Good, "clock", "", "%s", text)
	}
}

// start reports how long it took to get the node.
func (t *trial) start() {
	began := t.fleet.came(t.member)
	t.fleet.mu.Lock()
	b := t.fleet.blocks[t.member.block]
	t.fleet.mu.Unlock()
	text := fmt.Sprintf("its relay was connected %s after it began", short(t.came.Sub(began)))
	if b != nil {
		text = fmt.Sprintf("from the request of its block until its relay began it took %s; %s",
			short(began.Sub(b.since)), text)
	}
	t.add(Good, "start", "", "%s", text)
}

// short formats a duration for people, at least zero: the offset of clocks has an error.
func short(d time.Duration) string {
	d = max(d, 0)
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return d.Round(time.Second / 10).String()
}

func (t *trial) relay() {
	here := version.Read().Short()
	text := fmt.Sprintf("protocol %d, Peregrine %s", agent.Version, t.member.node.Build)
	if t.member.node.Build != here {
		t.add(Doubt, "relay", "install the same version there, or leave `program` out of the hosts file",
			"%s; this is %s", text, here)
		return
	}
	t.add(Good, "relay", "", "%s", text)
}

// Limits of the room in a folder, bytes.
const (
	fairRoom  = 1_000_000_000
	leastRoom = 16_000_000 // runs fail for less
)

// room checks the folder in which runs would work.
func (t *trial) room(ctx context.Context) {
	if t.member.shared {
		t.add(Good, "folder", "", "%s is shared: each reads the files that the other writes there", t.fleet.study)
		t.free(t.fleet.study, t.member.free)
		return
	}
	there, free, err := t.member.node.MakeFolder(ctx, fmt.Sprintf("check-%d/room", t.number))
	if err != nil {
		t.add(Trouble, "folder", "name one that can be written with `folder` in the hosts file",
			"%s is not shared (%s), and its own folder cannot be written: %v", t.fleet.study, t.member.why, err)
		return
	}
	_ = t.member.node.Remove(ctx, there) // it is removed with the relay
	t.add(Good, "folder", "", "%s is not shared (%s): runs work below %s there, and files are carried", t.fleet.study,
		t.member.why, path.Dir(path.Dir(path.Dir(there))))
	t.free(there, free)
}

func (t *trial) free(where string, bytes int64) {
	const mend = "clear it, or name another folder (`folder` in the hosts file, or --work)"
	text := fmt.Sprintf("%.3g GB may be written there", float64(bytes)/1e9)
	switch {
	case bytes < 0:
		t.add(Good, "room", "", "how much may be written in %s is not known", where)
	case bytes < leastRoom:
		t.add(Trouble, "room", mend, "%s, too little for a run", text)
	case bytes < fairRoom:
		t.add(Doubt, "room", mend, "%s", text)
	default:
		t.add(Good, "room", "", "%s", text)
	}
}

// machine holds the node against the hosts file and against this machine.
func (t *trial) machine() {
	f, there, here := t.fleet, t.found.Facts, process.ThisMachine()
	cores, memory := f.cores(t.member), f.memory(t.member)
	text := fmt.Sprintf("%d cores, %.3g GB, of which runs may use %d and %.3g GB", there.Cores,
		float64(there.Memory)/1e9, cores, float64(memory)/1e9)
	var wrong []string
	if there.Cores > 0 && cores > there.Cores {
		wrong = append(wrong, "runs would share cores")
	}
	if there.Memory > 0 && memory > there.Memory {
		wrong = append(wrong, "runs may be killed for memory")
	}
	if wrong != nil {
		t.add(Doubt, "size", "say less in the hosts file, or ask its owner for more (options)", "%s: %s", text,
			strings.Join(wrong, ", and "))
	} else {
		t.add(Good, "size", "", "%s", text)
	}
	switch {
	case there.OS != here.OS || there.Arch != here.Arch:
		t.add(Doubt, "machine", "",
			"%v; this one is %s/%s: answers agree within the error that runs state, not to the last bit", there,
			here.OS, here.Arch)
	case !slices.Equal(there.Features, here.Features):
		t.add(Good, "machine", "", "%v; this one has %s: built-in solvers give the same bits on both", there,
			strings.Join(here.Features, " "))
	default:
		t.add(Good, "machine", "", "%v", there)
	}
}

// program compares the relay's executable with this one, which is sent if it differs and can run there.
func (t *trial) program() {
	x := t.member.node.Facts
	self, err := os.Executable()
	var sum string
	var image executable.Image
	if err == nil {
		sum, err = checksum.Of(self)
	}
	if err == nil {
		image, err = executable.Read(self)
	}
	switch {
	case err != nil:
		t.add(Trouble, "program", "see that this program can be read", "%v", err)
	case sum == x.GetSum() || image.Sum == x.GetSum():
		t.add(Good, "program", "", "%s is this one (SHA-256 %.12s)", x.GetProgram(), sum)
	case t.member.node.Runs():
		t.add(Good, "program", "",
			"%s is another one (SHA-256 %.12s, here %.12s): solvers and the watchdog are brought, once a node",
			x.GetProgram(), x.GetSum(), sum)
	default:
		t.add(Trouble, "program",
			"use nodes of this machine's kind for built-in solvers: their answers are kept under this program's hash",
			"%s (SHA-256 %.12s) is for %s/%s: this program does not run there", x.GetProgram(), x.GetSum(), x.GetOs(),
			x.GetArch())
	}
}

// solver starts a solver, lets it describe itself, and stops it: a run without iterations.
func (t *trial) solver(ctx context.Context, s Subject) {
	what := "solver " + s.Name
	here := filepath.Join(t.fleet.study, fmt.Sprintf("check-%d", t.number), s.Name)
	if err := folder.MakeAll(here); err != nil {
		t.add(Trouble, what, "see that the folder of --work can be written", "%v", err)
		return
	}
	at := t.fleet.clock
	began := at.Now()
	task, err := t.fleet.Start(ctx, launch.TaskSpec{Program: s.Program, Slot: t.member.name, Folder: here})
	var d plugin.Description
	var took time.Duration
	if err == nil {
		d, err = describe(ctx, task)
		took = clock.Since(at, began)
		began = at.Now()
		task.Stop(time.Second)
	}
	if err != nil {
		text := err.Error()
		if printed := t.output(ctx, here); printed != "" {
			text += "; it printed: " + printed
		}
		t.add(Trouble, what,
			"install it there as here, under the same path and with its files, or leave the node out", "%s", text)
		return
	}
	text := fmt.Sprintf("%s in %s, %s more than here; stops in %s; %s", name(d), short(took), short(took-s.Here),
		short(clock.Since(at, began)), t.same(ctx, s))
	switch {
	case d.Name != s.Description.Name || d.Version != s.Description.Version:
		t.add(Trouble, what, "install the same version there", "%s; here it is %s", text, name(s.Description))
	case !reflect.DeepEqual(d, s.Description):
		t.add(Trouble, what, "install the same version there",
			"%s; but it describes itself in another way than here: other inputs, outputs, settings or files", text)
	default:
		t.add(Good, what, "", "starts as %s", text)
	}
}

func name(d plugin.Description) string { return strings.TrimSpace(d.Name + " " + d.Version) }

// describe has a solver describe itself.
func describe(ctx context.Context, task launch.Task) (plugin.Description, error) {
	client := plugin.NewClient(task.Conn())
	release, err := client.Lease(ctx, plugin.Terms{})
	if err != nil {
		return plugin.Description{}, err
	}
	defer release()
	return client.Describe(ctx)
}

// same reports whether the program of the solver's command on the node is the same as here.
func (t *trial) same(ctx context.Context, s Subject) string {
	here, err := launch.Contents(s.Program.Command)
	there, why, nerr := t.member.node.Contents(ctx, s.Program.Command)
	switch {
	case err != nil || nerr != nil:
		return "whether the node has the same program is not known"
	case slices.Equal(here, there):
		return "the node has the same program"
	case why != "":
		return "the node had no such program; this one was copied to it"
	}
	return "the node had another program; this one was copied to it"
}

// output returns the end of the output of a solver in a folder, in a line.
func (t *trial) output(ctx context.Context, here string) string {
	there := here
	if !t.member.shared {
		var err error
		if there, _, err = t.member.node.MakeFolder(ctx,
			path.Join(filepath.Base(filepath.Dir(here)), filepath.Base(here))); err != nil {
			return ""
		}
	}
	var text tail
	_, _ = t.member.node.Get(ctx, path.Join(there, plugin.LogFile), 0, &text) // it may be missing
	return lastLines(strings.ToValidUTF8(text.String(), "?"))
}

// tail keeps the end of its output.
type tail struct{ bytes.Buffer }

var _ io.Writer = (*tail)(nil)

// tailSize is how much.
const tailSize = 64 << 10

func (b *tail) Write(p []byte) (int, error) {
	n, err := b.Buffer.Write(p)
	if extra := b.Len() - tailSize; extra > 0 {
		b.Next(extra)
	}
	return n, err
}

func (t *trial) watchdog() {
	began := t.fleet.clock.Now()
	d := &dog{}
	d.start.Do(func() { t.fleet.watching.begin(d, t.member) })
	if d.err != nil {
		t.add(Trouble, "watchdog", "runs there would not be watched; see the error", "%v", d.err)
		return
	}
	t.add(Good, "watchdog", "", "starts in %s", short(clock.Since(t.fleet.clock, began)))
	d.close()
}

func (t *trial) licences() {
	var list []string
	for name, n := range t.fleet.config.Hosts.Licences {
		list = append(list, fmt.Sprintf("%s %d", name, n))
	}
	if slices.Sort(list); len(list) > 0 {
		t.add(Good, "licences", "", "its block was given those of the batch system: %s", strings.Join(list, ", "))
	}
}
