package throughflow

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// steered runs a case under commands that are given before it begins, and returns what became of them.
func steered(t *testing.T, c Case, commands ...steer.Command) (*Result, map[string]event.Receipt) {
	t.Helper()
	s := newSolver(t, c)
	r, last := steer.New(clock.Real), map[string]event.Receipt{}
	s.Steer(r, 0, marchtest.Setting)
	for _, command := range commands {
		r.Submit(command, func(x event.Receipt) { last[x.ID] = x })
	}
	got := result(t, s)
	r.Close()
	return got, last
}

// A throttle that is moved while the run goes on brings the answer of the other throttle; so do a speed and a
// calibration. What belongs to the way alone leaves the answer as it is.
func TestSteeredAnswer(t *testing.T) {
	c := e3Throttle(t)
	c.Settings = coarse
	c.Settings.Tolerance = 6
	for name, tc := range map[string]struct {
		object string
		value  steer.Value
		change func(*Case)
	}{
		"throttle":    {"throttle", steer.FloatValue(0.95 * c.Exit.K), func(o *Case) { o.Exit.K *= 0.95 }},
		"speed":       {"N", steer.FloatValue(0.98 * c.N), func(o *Case) { o.N *= 0.98 }},
		"calibration": {"loss_change", steer.FloatValue(0.2), func(o *Case) { o.Settings.Calibration.Loss = 0.2 }},
		"dissipation": {
			"dissipation.first", steer.FloatValue(0.7), func(o *Case) { o.Settings.Dissipation.First = 0.7 },
		},
		"CFL": {"cfl", steer.FloatValue(8), func(*Case) {}},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "throttle" {
				testenv.Long(t, "two solver runs of six orders")
			}
			other := c
			tc.change(&other)
			_, want := run(t, other)
			got, receipts := steered(t, c, marchtest.Set("a", tc.object, 300, tc.value))
			if x := receipts["a"]; x.State != event.Applied || x.Iteration != 300 {
				t.Fatalf("%+v", x)
			}
			marchtest.Alike(t, [3]float64{got.W, got.PR, got.Eff}, [3]float64{want.W, want.PR, want.Eff}, 2e-5)
		})
	}
}

// The same commands at the same iterations give the same bits. A look, a pause's end and a change that was rolled
// back leave no trace.
func TestSteeredTwice(t *testing.T) {
	c := e3Throttle(t)
	c.Settings = coarse
	alone := result(t, newSolver(t, c))
	look := steer.Command{
		ID: "look", Verb: steer.Get, At: 77, Changes: []steer.Change{{Object: "exit.Pt"}, {Object: "eff"}},
	}
	step := steer.Command{ID: "step", Verb: steer.Step, Steps: 3, At: 90}
	on := steer.Command{ID: "on", Verb: steer.Resume, At: 93}
	seen, receipts := steered(t, c, look, step, on, marchtest.Set("not", "cfl", 95, steer.TextValue("fast")))
	must.Equal(t, alone, seen)
	if x := receipts["look"]; x.State != event.Applied || len(x.Effects) != 2 || len(x.Effects[0].New.Array) == 0 ||
		!(x.Effects[1].New.Number > 0.5) {
		t.Errorf("%+v", x)
	}
	commands := []steer.Command{
		marchtest.Set("a", "cfl", 40, steer.FloatValue(5)),
		marchtest.Set("b", "throttle", 60, steer.FloatValue(0.97*c.Exit.K)),
		marchtest.Set("c", "cfl", 200, steer.FloatValue(30)),
	}
	first, _ := steered(t, c, commands...)
	second, _ := steered(t, c, commands...)
	must.Equal(t, first, second)
	if cmp.Equal(first, alone) {
		t.Error("the commands changed nothing")
	}
}
