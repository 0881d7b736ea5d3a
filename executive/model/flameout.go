package model

// A transient meets a flame that goes out: it ends there, or goes on without heat.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// flameEvent is where the flame of a burner goes out.
func (run *transient) flameEvent(f *flame) ode.Event {
	return ode.Event{Name: f.part, Direction: ode.Falling, Terminal: true,
		G: run.event(func() float64 { return f.burner.Margin() })}
}

// flameOut ends the transient where a flame goes out, or goes on without it. Those that
// a schedule puts out are noted alone.
func (run *transient) flameOut(t float64, y []float64) (*result.Ended, error) {
	for i := range run.d.flames {
		f := &run.d.flames[i]
		forced := !f.burner.Burns()
		if f.out || !forced && f.burner.Margin() > 1e-9 {
			continue
		}
		fuel := fmt.Sprintf("FAR %.4g", f.burner.FAR())
		what := "is put out"
		if !forced {
			what = fmt.Sprintf("goes out: %s, lean blow-out at %.4g", fuel, f.burner.FAR()/(1+f.burner.Margin()))
			if run.c.Transient.FlameOut == "end" {
				run.close(t, y)
				more := "take fuel away more slowly"
				if t == 0 {
					more = "start from a case with more fuel"
				}
				return &result.Ended{T: t, Why: "flame-out"}, fmt.Errorf("the flame of %s %s; %s, or go on without it by flame_out: continue", f.part, what, more)
			}
		}
		f.out = true
		run.told = append(run.told, result.Warning{Severity: rule.Warning, Rule: "flame_out", Case: run.c.Name, Component: f.part, Time: seconds(t),
			Message: "the flame " + what, Evidence: []string{fuel}})
		if !forced {
			if ended, err := run.without(f, t, y); err != nil {
				return ended, err
			}
		}
	}
	return nil, nil
}

// without goes on with a flame that went out, from t, s, where states are y.
func (run *transient) without(f *flame, t float64, y []float64) (*result.Ended, error) {
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Why: "no solution"}, err
	}
	run.d.putOut(f)
	if err := run.d.to(t, y); err != nil {
		return &result.Ended{T: t, Why: "no solution"}, err
	}
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Why: "no solution"}, err
	}
	run.d.mark()
	return nil, nil
}

// event makes an event function of what the model has, which is brought to the state
// first.
func (run *transient) event(value func() float64) func(t float64, y []float64) float64 {
	return func(t float64, y []float64) float64 {
		if err := run.d.to(t, run.d.values(y)); err != nil {
			run.err = err
			return math.Inf(1)
		}
		return value()
	}
}
