package session

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// steeredMove makes a transient of the turbojet under commands, and returns their results.
func steeredMove(t *testing.T, schedule config.Schedule, integrator string,
	commands ...steer.Command) (*result.Result, map[string]event.Receipt) {
	t.Helper()
	cfg := enginetest.Moving(t, enginetest.Example("turbojet.yaml"))
	cfg.Cases = append(cfg.Cases, config.Case{Name: "move", Kind: "transient", Transient: &config.Transient{
		Duration: 6, Every: 0.5, RTol: 1e-8, ATol: 1e-3, Integrator: integrator, Schedules: []config.Schedule{schedule},
	}})
	last := map[string]event.Receipt{}
	closed := false
	opt := transient.Options{Steer: func(string) (*steer.Registry, func()) {
		r := steer.New(clock.Real)
		for _, c := range commands {
			r.Submit(c, func(x event.Receipt) { last[x.ID] = x })
		}
		return r, func() { closed = true }
	}}
	r, err := runCases(context.Background(), cfg, []string{"move"}, opt)
	if err != nil || !closed {
		t.Fatal(err, closed)
	}
	return r.Cases[len(r.Cases)-1], last
}

func setInput(id string, at int64, v float64) steer.Command {
	return steer.Command{
		ID: id, Verb: steer.Set, At: at, Changes: []steer.Change{{Object: "burner.Wf", Value: steer.FloatValue(v)}},
	}
}

// Fuel that is set by hand stays; the schedules of the steered transient are its record, and give it again.
func TestSteeredTransient(t *testing.T) {
	for _, integrator := range methods(t) {
		t.Run(integrator, func(t *testing.T) {
			plan := enginetest.Fuel(0, 0.9)
			alone, _ := steeredMove(t, plan, integrator)
			look := steer.Command{
				ID: "look", Verb: steer.Get, At: 8,
				Changes: []steer.Change{{Object: "t"}, {Object: "burner.Wf"}, {Object: "performance.Fn"}},
			}
			seen, receipts := steeredMove(t, plan, integrator, look,
				steer.Command{ID: "step", Verb: steer.Step, Steps: 2, At: 9},
				steer.Command{ID: "on", Verb: steer.Resume, At: 11})
			must.Equal(t, alone.History.Values, seen.History.Values)
			if x := receipts["look"]; x.State != event.Applied || !(x.Effects[0].New.Number > 0) ||
				!(x.Effects[1].New.Number > 0) || !(x.Effects[2].New.Number > 1000) {
				t.Errorf("%+v", x)
			}
			commands := []steer.Command{setInput("a", 10, 0.8), setInput("b", 25, 0.95)}
			first, receipts := steeredMove(t, plan, integrator, commands...)
			second, _ := steeredMove(t, plan, integrator, commands...)
			if !first.Converged || receipts["b"].State != event.Applied || receipts["b"].Effects[0].Old.Number != 0.8 {
				t.Fatalf("%s, %+v", first.Message, receipts)
			}
			must.Equal(t, first.History.Values, second.History.Values)
			replayed, _ := steeredMove(t, recorded(t, first, plan), integrator)
			for _, column := range []string{"spool.N", "performance.Fn"} {
				a, b := first.History.Column(column), replayed.History.Column(column)
				if got, want := a[len(a)-1], b[len(b)-1]; math.Abs(got/want-1) > 1e-6 ||
					math.Abs(got/alone.History.Column(column)[len(alone.History.T)-1]-1) < 1e-3 {
					t.Errorf("%s ends at %.9g, by its record at %.9g", column, got, want)
				}
			}
		})
	}
}

// recorded is the schedule of a steered transient, from its warning.
func recorded(t *testing.T, r *result.Result, s config.Schedule) config.Schedule {
	t.Helper()
	for _, w := range r.TransientWarnings {
		if w.Rule != "steered" {
			continue
		}
		_, points, _ := strings.Cut(w.Evidence[0], ": ")
		s.T, s.Values = nil, nil
		for _, p := range strings.Split(strings.Trim(points, "[]"), "], [") {
			var at, v steer.Value
			time, value, _ := strings.Cut(p, " s, ")
			if at.UnmarshalJSON([]byte(time)) != nil || v.UnmarshalJSON([]byte(value)) != nil {
				t.Fatal(p)
			}
			s.T, s.Values = append(s.T, at.Number), append(s.Values, v.Number)
		}
		return s
	}
	t.Fatal("the result does not say that it was steered")
	return s
}

// A transient stopped on command has the integrated part.
func TestStoppedTransient(t *testing.T) {
	r, _ := steeredMove(t, enginetest.Fuel(0, 0.9), config.Integrators[0],
		steer.Command{ID: "a", Verb: steer.Stop, At: 10})
	if r.Converged || r.Ended == nil || r.Ended.Reason != "interrupted" || len(r.History.T) < 2 {
		t.Errorf("%+v", r.Ended)
	}
}
