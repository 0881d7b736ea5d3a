package solver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
	"github.com/peregrine-sim/peregrine/zoom/steer/insitu"
)

// governor is the text of the built-in rule that governs the Courant number.
func governor(t *testing.T) string {
	t.Helper()
	set := must.Value(rule.New(rule.Shape{}, []config.Rule{{Name: "cfl_governor", Act: true}}))(t)
	return must.Value(set.Text())(t)
}

// judged makes a run that judges rules itself and takes commands, and returns the commands that were applied and the
// residuals that it reported.
func judged(t *testing.T, r plugin.Request, text string,
	commands ...steer.Command) (plugin.Result, []event.Receipt, []float64) {
	t.Helper()
	var acts []event.Receipt
	var residuals []float64
	emit := func(e event.Event) {
		switch e.Kind {
		case event.Iteration:
			residuals = append(residuals, e.Values["residual"])
		case event.Warning:
			t.Error(e.Text)
		}
	}
	r.Folder, r.Steer = t.TempDir(), steer.New(clock.Real)
	r.Steer.Record = func(x event.Receipt) { acts = append(acts, x) }
	if text != "" {
		insitu.Board(text, "r", r.Steer, emit)
	}
	for _, c := range commands {
		r.Steer.Submit(c, func(event.Receipt) {})
	}
	res, err := (&Throughflow{}).Run(t.Context(), r, emit)
	r.Steer.Close()
	must.OK(t, err)
	return res, acts, residuals
}

// At a Courant number that is too high the fan's flow swings for ever; with the governor it settles, at the answer of
// a run whose number was well chosen. It does so twice to the last bit, and so does a run without the rule that gets
// its commands. Where the number was well chosen the governor does no harm.
func TestGovernor(t *testing.T) {
	at := func(cfl float64) plugin.Request {
		r := fanPoint(t, 1, 1)
		r.Numbers["cfl"], r.Numbers["max_iterations"] = cfl, 800
		return r
	}
	rules := governor(t)
	alone, _, _ := judged(t, at(100), "")
	good, _, _ := judged(t, at(20), "")
	res, acts, residuals := judged(t, at(100), rules)
	if alone.Class != event.NotConverged || good.Class != event.Converged || res.Class != event.Converged {
		t.Fatalf("alone %s, at 20 %s, governed %s", alone.Class, good.Class, res.Class)
	}
	for _, name := range []string{"W", "PR", "eff"} {
		if x, y := res.Numbers[name], good.Numbers[name]; !(max(x/y, y/x) < 1+1e-4) {
			t.Errorf("%s is %g, and %g at a number well chosen", name, x, y)
		}
	}
	if first := acts[0]; first.Rule != "cfl_governor" || first.State != event.Applied ||
		first.Effects[0].Old.Number != 100 || first.Effects[0].New.Number != 50 {
		t.Errorf("%+v", first)
	}
	repeated, _, same := judged(t, at(100), rules)
	var commands []steer.Command
	for i, x := range acts {
		commands = append(commands, steer.Command{ID: fmt.Sprint(i), Verb: steer.Set, At: x.Iteration,
			Changes: []steer.Change{{Object: "cfl", Value: x.Effects[0].New}}})
	}
	replayed, _, alike := judged(t, at(100), "", commands...)
	for what, other := range map[string]plugin.Result{"again": repeated, "replayed": replayed} {
		if diff := cmp.Diff(res, other); diff != "" {
			t.Errorf("%s it is another: %s", what, diff)
		}
	}
	if !slices.Equal(residuals, same) || !slices.Equal(residuals, alike) {
		t.Error("it went another way")
	}
	still, _, _ := judged(t, at(20), rules)
	if n, m := still.Numbers["iterations"], good.Numbers["iterations"]; still.Class != event.Converged || n > 1.1*m {
		t.Errorf("at 20 it takes %g iterations, %g without: %s", n, m, still.Class)
	}
}
