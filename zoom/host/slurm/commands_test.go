package slurm_test

// What Slurm's commands are asked, and what becomes of their answers, with scripts in their place.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/host/providertest"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
)

// desk is a folder of scripts that stand in for Slurm's commands. Each notes its words and variables, prints the file
// NAME.out, and ends with the status in NAME.status, if there is one.
type desk struct {
	t   *testing.T
	dir string
}

const deskScript = `#!/bin/sh
name=$(basename "$0")
cd "$(dirname "$0")" || exit 9
printf '%s\n' "$name" "$@" >>asked
env >"$name.env"
[ -e "$name.out" ] && cat "$name.out"
[ -e "$name.err" ] && { cat "$name.err" >&2; exit 1; }
exit 0
`

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t, t.TempDir()}
	for _, name := range []string{"sbatch", "squeue", "scancel", "sacct"} {
		must.OK(t, os.WriteFile(filepath.Join(d.dir, name), []byte(deskScript), 0o700))
	}
	t.Setenv("PATH", d.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return d
}

// says has a command print a text; fails has it end with an error.
func (d *desk) says(command, text string)  { d.write(command+".out", text) }
func (d *desk) fails(command, text string) { d.write(command+".err", text) }

func (d *desk) write(name, text string) {
	d.t.Helper()
	must.OK(d.t, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600))
}

// asked returns the words of all calls since the last look.
func (d *desk) asked() []string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, "asked"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must.OK(d.t, err)
	must.OK(d.t, os.Remove(filepath.Join(d.dir, "asked")))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func blocksOf(t *testing.T, nodes int) provider.Request {
	return provider.Request{Study: "study", Nodes: nodes, Cores: 2, Memory: 1 << 30,
		Time:     90*time.Second + time.Millisecond,
		Licences: map[string]int{"solver": 1, "mesher": 2}, Folder: t.TempDir(), Command: []string{"relay", "home"}}
}

// Equal blocks are one array, with the launcher's options after Peregrine's own; what Slurm has set where this
// process runs in a job of its own goes to no other job.
func TestSubmitAsksForAnArray(t *testing.T) {
	d := newDesk(t)
	t.Setenv("SLURM_JOB_ID", "7")
	t.Setenv("SLURM_CONF", "/etc/slurm.conf")
	d.says("sbatch", "the site's plugin says something\n42;cluster\n")
	r := blocksOf(t, 2)
	p := open(t, "--partition=debug", "--time=5")
	ids := must.Value(p.Submit(t.Context(), r, 3))(t)
	if want := []string{"42_0", "42_1", "42_2"}; !slices.Equal(ids, want) {
		t.Errorf("IDs %q, want %q", ids, want)
	}
	asked := d.asked()
	script := asked[len(asked)-1]
	want := []string{"sbatch", "--nodes=2", "--ntasks-per-node=1", "--requeue", "--output=/dev/null",
		"--signal=B:USR1@9", "--no-kill",
		"--cpus-per-task=2", "--mem=1024M", "--time=1:31", "--licenses=mesher:2,solver:1", "--partition=debug",
		"--time=5",
		"--parsable", "--array=0-2", "--job-name=peregrine-study", script}
	must.Equal(t, want, asked)
	if filepath.Dir(script) != r.Folder {
		t.Errorf("the script %s is not in %s", script, r.Folder)
	}
	if left, err := os.ReadDir(r.Folder); err != nil || len(left) > 0 {
		t.Errorf("left in the request's folder: %v, %v", left, err)
	}
	env := string(must.Value(os.ReadFile(filepath.Join(d.dir, "sbatch.env")))(t))
	if strings.Contains(env, "SLURM_JOB_ID=") || !strings.Contains(env, "SLURM_CONF=/etc/slurm.conf\n") {
		t.Errorf("sbatch has the environment\n%s", env)
	}
	if p.Calls() != 1 {
		t.Errorf("%d calls", p.Calls())
	}
}

// The time at which a block would start is in the error output, in the words of several versions and with what plugins
// of the site print; nothing is submitted.
func TestBeginReadsEachVersion(t *testing.T) {
	d := newDesk(t)
	r := blocksOf(t, 2)
	const job = "sbatch: Job 5 to start at "
	for _, x := range [][2]string{
		{job + "1795433048 using 4 processors on nodes n[1-2] in partition debug", "1795433048"},
		{job + "2026-11-23T11:24:08 using 4 processors on n[1-2]\n", "2026-11-23T11:24:08"},
		{"sbatch: lua: be welcome\n" + job + "7 using 4 processors on nodes n1 in partition a\n  Preempts: 3,4", "7"},
		{job + "Unknown using 4 processors on nodes n1 in partition a", ""},
		{"allocation failure: Requested node configuration is not available", ""},
		{"sbatch: note: Job 5 to start at 7 using", ""}, // not a line of sbatch's
		{"", ""},
	} {
		text, want := x[0], x[1]
		d.says("sbatch", text)
		at, err := open(t, "--partition=a").Begin(t.Context(), r)
		if want == "" {
			must.Fail(t, err, "slurm: sbatch --test-only printed ")
			continue
		}
		must.OK(t, err)
		if fmt.Sprint(at.Unix()) != want && at.Format("2006-01-02T15:04:05") != want {
			t.Errorf("%q: %v", text, at)
		}
	}
	words := d.asked()
	must.Equal(t, []string{"--partition=a", "--test-only", "--wrap=true"}, words[len(words)-3:])
	d.fails("sbatch", "sbatch: error: Batch job submission failed: Invalid account\n")
	_, err := open(t).Begin(t.Context(), r)
	must.Fail(t, err, "Invalid account")
	t.Setenv("PATH", t.TempDir())
	_, err = open(t).Begin(t.Context(), r)
	must.Fail(t, err, "slurm: ")
}

// More blocks than an array may have are several arrays.
func TestManyBlocksAreSeveralArrays(t *testing.T) {
	d := newDesk(t)
	d.says("sbatch", "42\n")
	ids := must.Value(open(t).Submit(t.Context(), blocksOf(t, 1), 2500))(t)
	var arrays []string
	for _, word := range d.asked() {
		if strings.HasPrefix(word, "--array=") {
			arrays = append(arrays, word)
		}
	}
	must.Equal(t, []string{"--array=0-999", "--array=0-999", "--array=0-499"}, arrays)
	if len(ids) != 2500 {
		t.Errorf("%d IDs", len(ids))
	}
}

// What Slurm refuses is an error in its own words.
func TestRefusalsAreSaid(t *testing.T) {
	d := newDesk(t)
	p := open(t)
	says := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	_, err := p.Submit(t.Context(), provider.Request{}, 1)
	says(err, "slurm: ")
	d.says("sbatch", "Submitted\n")
	_, err = p.Submit(t.Context(), blocksOf(t, 1), 1)
	says(err, `slurm: sbatch printed "Submitted\n", want the number of a job`)
	d.fails("sbatch", "sbatch: error: Invalid partition name\n")
	_, err = p.Submit(t.Context(), blocksOf(t, 1), 1)
	says(err, "Invalid partition name")
	d.fails("squeue", "slurm_load_jobs error: Unable to contact slurm controller\n")
	_, err = p.List(t.Context(), "study")
	says(err, "Unable to contact slurm controller")
	d.fails("scancel", "scancel: error: Access/permission denied\n")
	says(p.Cancel(t.Context(), "42_0"), "Access/permission denied")
	_, err = p.Accounts(t.Context(), []string{"a job"})
	says(err, `"a job" is no block's ID`)
	d.fails("sacct", "Slurm accounting storage is disabled\n")
	if _, err = p.Accounts(t.Context(), []string{"42_0"}); !errors.Is(err, slurm.ErrNoAccounts) {
		t.Errorf("error %v, want %v", err, slurm.ErrNoAccounts)
	}
	d.fails("sacct", "sacct: error: Problem talking to the database\n")
	_, err = p.Accounts(t.Context(), []string{"42_0"})
	says(err, "Problem talking to the database")
}

// A block that has ended is cancelled already, and what is no job of Slurm's is not asked for.
func TestCancelOfWhatHasEnded(t *testing.T) {
	d := newDesk(t)
	p := open(t)
	must.OK(t, p.Cancel(t.Context(), "42_0"))
	must.Equal(t, []string{"scancel", "42_0"}, d.asked())
	for _, printed := range []string{
		"scancel: error: Invalid job id 42_0\n", "scancel: error: Job/step already completing or completed\n",
	} {
		d.fails("scancel", printed)
		must.OK(t, p.Cancel(t.Context(), "42_0"))
	}
	d.asked()
	must.OK(t, p.Cancel(t.Context(), "h1-abc"))
	if asked := d.asked(); asked != nil {
		t.Errorf("asked %q of what is no job", asked)
	}
}

// The blocks of a study are those jobs of this user that have its name. However many ask, Slurm is asked once in 10 s.
func TestListShowsTheBlocksOfAStudy(t *testing.T) {
	d, at := newDesk(t), clock.NewManual(clock.Real.Now())
	job := func(id, state, reason, nodes, name string) string {
		return strings.Join([]string{id, state, reason, "1", "1767225600", "N/A", nodes, name}, "\x1f") + "\x1e\n"
	}
	d.says("squeue", job("42_0", "RUNNING", "None", "n[1-2]", "peregrine-study")+job("42_1", "PENDING", "JobHeldUser",
		"", "peregrine-study")+
		job("43_0", "RUNNING", "None", "n3", "peregrine-another")+job("44", "RUNNING", "None", "n4", "peregrine-study"))
	p := openAt(t, at)
	got := must.Value(p.List(t.Context(), "study"))(t)
	if len(got) != 2 || got[0].ID != "42_0" || got[0].Phase != provider.Running ||
		!slices.Equal(got[0].Nodes, []string{"n1", "n2"}) || got[0].Restarts != 1 {
		t.Fatalf("listed: %+v", got)
	}
	if got[1].Phase != provider.Stuck || !strings.Contains(got[1].Reason, "`scontrol release 42_1`") {
		t.Errorf("a job that its user holds: %+v", got[1])
	}
	asked := d.asked()
	if user := fmt.Sprintf("--user=%d", os.Getuid()); !slices.Contains(asked, user) ||
		!slices.Contains(asked, "--states=all") {
		t.Errorf("asked %q", asked)
	}
	for range 20 {
		at.Advance(time.Second)
		must.Value(p.List(t.Context(), "another"))(t)
	}
	if n := p.Calls(); n != 3 {
		t.Errorf("%d calls in 20 s, want one in 10 s", n)
	}
}

// An account sums the starts of a block, of which sacct has a line each: how long it waited and ran in all. Elements
// that wait stand together; times are Unix times or, where SLURM_TIME_FORMAT is not known, in sacct's own form. What is
// not in our form is an error.
func TestAccounts(t *testing.T) {
	d := newDesk(t)
	d.says("sacct", `12_0|NODE_FAIL|1000|1010|1070|240|n1
12_0|COMPLETED|1070|1100|1200|400|n[2-3]
12_1|CANCELLED by 1000|1000|1030|1090|240|n4
12_[2-9]|PENDING|1000|Unknown|Unknown|0|None assigned
12_9|COMPLETED|1000|1001|1002|2|n1
13_0|RUNNING|2026-11-23T11:24:08|2026-11-23T11:24:18|Unknown|16|n5
`)
	ids := []string{"12_0", "12_1", "13_0"}
	must.Equal(t, []slurm.Account{
		{ID: "12_0", State: "COMPLETED", Nodes: []string{"n2", "n3"}, Waited: 40 * time.Second,
			Begun: time.Unix(1010, 0), Ended: time.Unix(1200, 0), CoreTime: 640 * time.Second, Restarts: 1},
		{ID: "12_1", State: "CANCELLED", Nodes: []string{"n4"}, Waited: 30 * time.Second, Begun: time.Unix(1030, 0),
			Ended: time.Unix(1090, 0), CoreTime: 240 * time.Second},
		{ID: "13_0", State: "RUNNING", Nodes: []string{"n5"}, Waited: 10 * time.Second,
			Begun: time.Date(2026, 11, 23, 11, 24, 18, 0, time.Local), CoreTime: 16 * time.Second},
	}, must.Value(open(t).Accounts(t.Context(), ids))(t))
	for _, bad := range []string{"12_0|COMPLETED|1|2", "12_0|COMPLETED|1|2|3|x|n1", "12_0|COMPLETED|1|2|3|4|n["} {
		d.says("sacct", bad)
		if got, err := open(t).Accounts(t.Context(), ids); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
	if none, err := open(t).Accounts(t.Context(), nil); err != nil || none != nil {
		t.Errorf("accounts of no block: %v, %v", none, err)
	}
}

func open(t *testing.T, options ...string) *slurm.Provider {
	t.Helper()
	return openAt(t, providertest.NewQuick(), options...)
}

func openAt(t *testing.T, at clock.Clock, options ...string) *slurm.Provider {
	t.Helper()
	p := slurm.New(&hosts.Launcher{Name: "cluster", Provider: hosts.Slurm, Options: options}, at)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// Slurm's blocks are as any provider's.
func TestConform(t *testing.T) {
	slurmtest.Start(t, 4)
	providertest.Conform(t, providertest.Subject{
		Open:    func(t *testing.T) provider.Provider { return open(t) },
		Nodes:   2,
		Room:    2, // a job that asks for no memory gets all of its nodes
		Unknown: "99999_7",
	})
}
