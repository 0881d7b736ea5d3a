package model

// Where a flame goes out, a transient ends or goes on without the heat of that burner.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// flameEvent is the event that a burner's fuel-air ratio falls to lean blow-out.
func (run *transient) flameEvent(f *flame) ode.Event {
	return ode.Event{Name: f.part, Direction: ode.Falling, Terminal: true,
		G: run.event(func() float64 { return f.burner.Margin() })}
}

// flameOut handles the flames that are out at t, s, at states y. It ends the transient or goes
// on without the flame, as the case says. For a flame that a schedule puts out it only warns.
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
				run.closeHistory(t, y)
				more := "take fuel away more slowly"
				if t == 0 {
					more = "start from a case with more fuel"
				}
				return &result.Ended{
					T: t, Reason: "flame-out",
				}, fmt.Errorf("the flame of %s %s; %s, or go on without it by flame_out: continue", f.part, what, more)
			}
		}
		f.out = true
		run.warnings = append(run.warnings, result.Warning{Severity: rule.Warning, Rule: "flame_out", Case: run.c.Name,
			Component: f.part, Time: seconds(t),
			Message: "the flame " + what, Evidence: []string{fuel}})
		if !forced {
			if ended, err := run.continueWithout(f, t, y); err != nil {
				return ended, err
			}
		}
	}
	return nil, nil
}

// continueWithout goes on from t, s, at states y, without a flame. The history then has this
// point twice, with the flame and without.
func (run *transient) continueWithout(f *flame, t float64, y []float64) (*result.Ended, error) {
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Reason: "no solution"}, err
	}
	run.d.putOut(f)
	if err := run.d.moveTo(t, y); err != nil {
		return &result.Ended{T: t, Reason: "no solution"}, err
	}
	if err := run.record(t); err != nil {
		return &result.Ended{T: t, Reason: "no solution"}, err
	}
	run.d.saveSolution()
	return nil, nil
}

// event makes an event function of a value of the model. It brings the model to the
// integrator's state before it reads the value.
func (run *transient) event(value func() float64) func(t float64, y []float64) float64 {
	return func(t float64, y []float64) float64 {
		if err := run.d.moveTo(t, run.d.values(y)); err != nil {
			run.eventErr = err
			return math.Inf(1)
		}
		return value()
	}
}
