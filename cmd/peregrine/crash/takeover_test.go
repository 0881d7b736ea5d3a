//go:build linux

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/slurm/slurmtest"
	"github.com/peregrine-sim/peregrine/zoom/host/ssh/sshtest"
)

// A study whose host was killed is taken over with the runs that are under way: none is made twice, by the log of the
// solver's own starts, and the answer is that of a study that nothing disturbed, to the last bit.
func TestTakenOver(t *testing.T) {
	testenv.Long(t, "kills the host of runs under way, on this machine, by ssh and by Slurm")
	s := openShop(t)
	k := kind{name: "counted", solver: "counted", how: "runs: 3, fresh: true", settings: "pause: 8e-2"}
	starts := filepath.Join(t.TempDir(), "starts")
	script := filepath.Join(s.dir, "counted.sh")
	s.write(t, script, fmt.Sprintf("echo $$ >>%s\nexec %s\n", starts, filepath.Join(s.dir, "meanline")))
	solvers, _, _ := strings.Cut(string(must.Value(os.ReadFile(s.solvers()))(t)), "counted:") // a repetition
	s.write(t, s.solvers(), solvers+fmt.Sprintf("counted: {command: [sh, %s], version: \"1\"}\n", script))
	s.engineFrom(t, "turbofan-fan3d.yaml", "fidelity: bladerow, geometry: geometry/e3-fan.yaml, settings: {refine: 1}",
		"solver: counted, geometry: geometry/e3-fan.yaml, "+k.how+", settings: {"+k.settings+"}", k)
	undisturbed := newTrial(t, s, k)
	want := undisturbed.undisturbed()
	once := count(starts)
	runs, _ := filepath.Glob(filepath.Join(undisturbed.work(), study, "*", "events.jsonl"))
	describes := once - len(runs) // a command starts the solver once to have its description
	t.Logf("%d starts for %d runs in %v", once, len(runs), want.took)

	for _, launcher := range []string{"local", "ssh", "slurm"} {
		t.Run(launcher, func(t *testing.T) {
			entry := ""
			switch launcher {
			case "ssh":
				site := sshtest.Start(t, 2)
				entry = fmt.Sprintf("{provider: ssh, cores: 1, hosts: [%s], options: [%q, %q]}",
					strings.Join(site.Hosts, ", "), site.Options[0], site.Options[1])
			case "slurm":
				slurmtest.Start(t, 2)
				entry = "{provider: slurm, blocks: 2, cores: 1, time: 30 min}"
			}
			tr := newTrial(t, s, k)
			if entry != "" {
				hosts := filepath.Join(tr.dir, "hosts.yaml")
				s.write(t, hosts, "launchers:\n  "+launcher+": "+entry+"\n")
				tr.more = []string{"--hosts", hosts, "--launcher", launcher}
			}
			must.OK(t, os.WriteFile(starts, nil, 0o644))
			c := tr.start(study)
			for n := 0; n < 2 && (n == 0 || tr.results() < 3); n = len(tr.underWay()) { // one, if a host comes late
				if c.ended() {
					t.Fatalf("it has ended: %v\n%s", c.err, c.log.String())
				}
				time.Sleep(5 * time.Millisecond)
			}
			must.OK(t, syscall.Kill(c.pid(), syscall.SIGKILL))
			<-c.done
			under := tr.underWay()
			if !tr.holds(tr.start(study), want) {
				t.Fatal("another answer")
			}
			for _, run := range under {
				if !strings.Contains(string(tr.read(filepath.Join(run, "events.jsonl"))), "taken over from process") {
					t.Errorf("%s was not taken over", run)
				}
			}
			if again, _ := filepath.Glob(filepath.Join(tr.work(), study, "*~*")); len(again) > 0 {
				t.Errorf("made again: %q", again)
			}
			if n := count(starts); n != once+describes {
				t.Errorf("%d starts of the solver, %d undisturbed", n, once)
			}
			tr.gone(tr.living)
		})
	}
}

// count returns the number of a file's lines.
func count(file string) int {
	text, _ := os.ReadFile(file) // none: nothing has been started
	return strings.Count(string(text), "\n")
}

// results is the number of runs that have one.
func (t *trial) results() int {
	files, _ := filepath.Glob(filepath.Join(t.work(), study, "*", "result.json")) // the pattern is right
	return len(files)
}

// underWay lists the runs that report iterations and have no result.
func (t *trial) underWay() (runs []string) {
	files, _ := filepath.Glob(filepath.Join(t.work(), study, "*", "events.jsonl")) // the pattern is right
	for _, file := range files {
		events, _ := event.Read(file) // none: it has not begun
		_, err := os.Stat(filepath.Join(filepath.Dir(file), "result.json"))
		iterates := func(e event.Event) bool { return e.Kind == event.Iteration }
		if err != nil && slices.ContainsFunc(events, iterates) {
			runs = append(runs, filepath.Dir(file))
		}
	}
	return runs
}
