package transient

// After a flame-out a transient ends or continues without the heat of that burner.

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// findFlames lists the flames that can go out. Whether a flame burns is an input.
func (d *dynamics) findFlames() {
	for _, p := range d.m.Parts {
		b, ok := p.Component.(components.Flame)
		if !ok {
			continue
		}
		f := flame{part: p.Name, burner: b, input: len(d.inputs)}
		for i := range d.inputs {
			if d.inputs[i].at == b.Lit() {
				f.input = i // scheduled
			}
		}
		if f.input == len(d.inputs) {
			if !b.MayBlowOut() {
				continue
			}
			d.inputs = append(d.inputs, input{at: b.Lit(), t: []float64{0}, values: []float64{*b.Lit()}})
		}
		d.flames = append(d.flames, f)
	}
}

// flameEvent is the event that a burner's fuel-air ratio falls to lean blow-out.
func (run *integration) flameEvent(f *flame) ode.Event {
	return ode.Event{Name: f.part, G: run.event(func() float64 { return f.burner.Margin() })}
}

// flameOut handles the flames that are out at t, s, at states y. It ends the transient or continues without the flame,
// as the case requests. A flame put out by a schedule only causes a warning.
func (run *integration) flameOut(t float64, y []float64) (*result.Ended, error) {
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
			Component: f.part, Time: seconds(t), Message: "the flame " + what, Evidence: []string{fuel}})
		if !forced {
			if ended, err := run.continueWithout(f, t, y); err != nil {
				return ended, err
			}
		}
	}
	return nil, nil
}

// continueWithout continues from t, s, at states y, without a flame. The history then has this point twice, with the
// flame and without.
func (run *integration) continueWithout(f *flame, t float64, y []float64) (*result.Ended, error) {
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
