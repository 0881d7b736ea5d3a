package throughflow

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// plain describes a setting without bounds.
func plain(name string) steer.Object { return steer.Object{Name: name, Effect: steer.Answer} }

// steered runs a case under commands that are given before it begins, and returns what became of them.
func steered(t *testing.T, c Case, commands ...steer.Command) (*Result, map[string]steer.Receipt) {
	t.Helper()
	s := newSolver(t, c)
	r, last := steer.New(clock.Real), map[string]steer.Receipt{}
	s.Steer(r, 0, plain)
	for _, command := range commands {
		r.Submit(command, func(x steer.Receipt) { last[x.ID] = x })
	}
	got := result(t, s)
	r.Close()
	return got, last
}

func set(id, object string, at int64, v steer.Value) steer.Command {
	return steer.Command{ID: id, Verb: steer.Set, At: at, Changes: []steer.Change{{Object: object, Value: v}}}
}

// A throttle that is moved while the run goes on brings the answer of the other throttle; so do a speed and a calibration. What belongs to the way alone
// leaves the answer as it is.
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
		"dissipation": {"dissipation.first", steer.FloatValue(0.7), func(o *Case) { o.Settings.Dissipation.First = 0.7 }},
		"CFL":         {"cfl", steer.FloatValue(8), func(*Case) {}},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "throttle" {
				testenv.Long(t, "two solver runs of six orders")
			}
			other := c
			tc.change(&other)
			_, want := run(t, other)
			got, receipts := steered(t, c, set("a", tc.object, 300, tc.value))
			if x := receipts["a"]; x.State != steer.Applied || x.Iteration != 300 {
				t.Fatalf("%+v", x)
			}
			for what, pair := range map[string][2]float64{"W": {got.W, want.W}, "PR": {got.PR, want.PR}, "eff": {got.Eff, want.Eff}} {
				if math.Abs(pair[0]/pair[1]-1) > 2e-5 {
					t.Errorf("%s %.8g, want %.8g", what, pair[0], pair[1])
				}
			}
		})
	}
}

// The same commands at the same iterations give the same bits. A look, a pause's end and a change that was rolled back leave no trace.
func TestSteeredTwice(t *testing.T) {
	c := e3Throttle(t)
	c.Settings = coarse
	alone := result(t, newSolver(t, c))
	look := steer.Command{ID: "look", Verb: steer.Get, At: 77, Changes: []steer.Change{{Object: "exit.Pt"}, {Object: "eff"}}}
	step := steer.Command{ID: "step", Verb: steer.Step, Steps: 3, At: 90}
	on := steer.Command{ID: "on", Verb: steer.Resume, At: 93}
	seen, receipts := steered(t, c, look, step, on, set("not", "cfl", 95, steer.TextValue("fast")))
	if diff := cmp.Diff(alone, seen); diff != "" {
		t.Errorf("looking at it changed the run:\n%s", diff)
	}
	if x := receipts["look"]; x.State != steer.Applied || len(x.Effects) != 2 || len(x.Effects[0].New.Array) == 0 || !(x.Effects[1].New.Number > 0.5) {
		t.Errorf("%+v", x)
	}
	commands := []steer.Command{set("a", "cfl", 40, steer.FloatValue(5)), set("b", "throttle", 60, steer.FloatValue(0.97*c.Exit.K)), set("c", "cfl", 200, steer.FloatValue(30))}
	first, _ := steered(t, c, commands...)
	second, _ := steered(t, c, commands...)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same commands gave another answer:\n%s", diff)
	}
	if cmp.Equal(first, alone) {
		t.Error("the commands changed nothing")
	}
}
