package bladerow

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// steered runs a case in a folder under commands that are given before it begins, and returns what became of them.
func steered(t *testing.T, s *Solver, dir string, commands ...steer.Command) (*march.Result, map[string]event.Receipt) {
	t.Helper()
	r, last := steer.New(clock.Real), map[string]event.Receipt{}
	s.Steer(r, 0, marchtest.Setting)
	if dir == "" {
		dir = t.TempDir()
	}
	submitted := false
	result, err := s.RunIn(context.Background(), dir, func(march.Progress) march.Reply {
		if !submitted { // behind the first report: RunIn registers functions
			for _, command := range commands {
				r.Submit(command, func(x event.Receipt) { last[x.ID] = x })
			}
			submitted = true
		}
		return march.Continue
	})
	must.OK(t, err)
	r.Close()
	return result, last
}

// Workers that are changed while a run goes on leave its bits as they are; so does looking at it.
func TestSteeredWorkers(t *testing.T) {
	c := viscous67(t)
	c.Settings.MaxIterations, c.Settings.Levels = 60, 2
	alone := run(t, solver(t, c))
	look := steer.Command{
		ID: "look", Verb: steer.Get, At: 30,
		Changes: []steer.Change{{Object: "load"}, {Object: "exit.Pt"}, {Object: "PR"}},
	}
	got, receipts := steered(t, solver(t, c), "", marchtest.Set("more", "workers", 25, steer.IntValue(3)), look,
		marchtest.Set("less", "workers", 50, steer.IntValue(1)))
	must.Equal(t, alone, got)
	if x := receipts["look"]; x.State != event.Applied || len(x.Effects[0].New.Array) != 3 ||
		len(x.Effects[1].New.Array) == 0 {
		t.Errorf("%+v", x)
	}
	if receipts["less"].State != event.Applied {
		t.Errorf("%+v", receipts["less"])
	}
}

// A run that goes on from a named checkpoint, under the commands that came before and after it, gives the bits of the
// one that wrote it.
func TestSteeredRewind(t *testing.T) {
	c := viscous67(t)
	c.Settings.MaxIterations, c.Settings.Levels = 60, 2
	dir := t.TempDir()
	commands := []steer.Command{
		marchtest.Set("cfl", "cfl", 30, steer.FloatValue(7)),
		marchtest.Set("meshes", "multigrid.meshes", 35, steer.IntValue(1)),
		marchtest.Set("speed", "N", 40, steer.FloatValue(0.99*c.N)),
		marchtest.Set("late", "cfl", 70, steer.FloatValue(12)),
	}
	save := steer.Command{ID: "save", Verb: steer.Checkpoint, Name: "here", At: 50}
	whole, receipts := steered(t, solver(t, c), dir, append(commands, save)...)
	for id, x := range receipts {
		if x.State != event.Applied {
			t.Errorf("%s: %+v", id, x)
		}
	}
	file := must.Value(os.Open(filepath.Join(dir, receipts["save"].File)))(t)
	defer file.Close()
	sol := must.Value(LoadSolution(file))(t)
	s := resumed(t, c, sol)
	r := steer.New(clock.Real)
	s.Steer(r, 0, marchtest.Setting)
	for _, command := range commands {
		r.Submit(command, func(event.Receipt) {})
	}
	must.Equal(t, whole, run(t, s))
}

// The last checkpoints are kept.
func TestCheckpointsAreBounded(t *testing.T) {
	c := viscous67(t)
	c.Settings.MaxIterations, c.Settings.Levels = 25, 2
	dir := t.TempDir()
	commands := []steer.Command{marchtest.Set("keep", "checkpoints.keep", 0, steer.IntValue(2))}
	for _, name := range []string{"a", "b", "c", "../d"} {
		commands = append(commands, steer.Command{ID: name, Verb: steer.Checkpoint, Name: name})
	}
	_, receipts := steered(t, solver(t, c), dir, commands...)
	left, _ := filepath.Glob(filepath.Join(dir, "checkpoint-*"))
	if len(left) != 2 || !strings.HasSuffix(left[0], "checkpoint-b.bin") || receipts["../d"].State != event.RolledBack {
		t.Errorf("%v, %+v", left, receipts)
	}
}

// A pressure, speed and throttle that are changed while the run goes on bring the answer of the case that has them
// from the beginning.
func TestSteeredAnswer(t *testing.T) {
	testenv.Long(t, "four rotors")
	c := crude67(t)
	c.Settings.Tolerance, c.Settings.MaxIterations = 5, 3000
	for name, tc := range map[string]struct {
		object string
		value  float64
		change func(*Case)
	}{
		"pressure": {"exit_Ps", 1.02 * c.Exit.Ps, func(o *Case) { o.Exit.Ps *= 1.02 }},
		"speed":    {"N", 0.98 * c.N, func(o *Case) { o.N *= 0.98 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := c
			tc.change(&other)
			want := run(t, solver(t, other))
			got, receipts := steered(t, solver(t, c), "", marchtest.Set("a", tc.object, 60, steer.FloatValue(tc.value)))
			if receipts["a"].State != event.Applied || want.Status != march.Converged {
				t.Fatalf("%+v; %s %s", receipts["a"], want.Status, want.Message)
			}
			marchtest.Alike(t, [3]float64{got.W, got.PR, got.Eff}, [3]float64{want.W, want.PR, want.Eff}, 1e-4)
		})
	}
}
