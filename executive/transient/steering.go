package transient

// This file steers a running transient. Its safe points are the ends of the integrator's steps. At a safe point each
// input (scheduled, set or solved for by the case) may be changed: it jumps to the new value, and keeps it. Such a
// change is a kink like one of a schedule. So the schedules of a steered transient are its record, and the same changes
// after the same steps give the same bits.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// openSteering registers the visible and adjustable quantities of the transient.
func (run *integration) openSteering() {
	if run.opt.Steer == nil {
		return
	}
	s := &run.steering
	if s.registry, s.close = run.opt.Steer(run.c.Name); s.registry == nil {
		return
	}
	s.pending = map[*input]float64{}
	s.registry.Add(steer.Object{
		Name: "t", Type: steer.Float, Unit: "s", Doc: "time of the transient", Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Sense, steer.Read},
	}, s.time.Binding())
	names := map[string]bool{"t": true}
	for i := range run.d.inputs {
		in := &run.d.inputs[i]
		if in.name == "" || names[in.name] || strings.Contains(in.name, "-") {
			continue
		}
		names[in.name] = true
		s.registry.Add(steer.Object{
			Name: in.name, Type: steer.Float, Unit: run.d.m.Dimension(in.name).Bare(),
			Doc: "from now on, in the place of its schedule", Effect: steer.Answer,
			Operations: []steer.Operation{steer.Sense, steer.Actuate},
		}, steer.Binding{
			Get: func() steer.Value { return steer.FloatValue(run.inputNow(in)) },
			Set: func(v steer.Value) error { s.pending[in] = v.Number; return nil },
		})
	}
	for i, q := range run.r.h.Columns {
		// a user's name may contain characters that an object's name must not
		if strings.ContainsAny(q.Path, "-") || names[q.Path] {
			continue
		}
		names[q.Path] = true
		s.registry.Add(steer.Object{Name: q.Path, Type: steer.Float, Unit: q.Dim.Bare(), Effect: steer.Monitor,
			Operations: []steer.Operation{steer.Sense}, Doc: "at the last point of the history"},
			steer.Seen(func() steer.Value { return steer.FloatValue(last(run.r.h.Values[i])) }))
	}
}

// last is the last of some values; NaN without values.
func last(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return values[len(values)-1]
}

// safeAtStart is the safe point before the first step.
func (run *integration) safeAtStart(ctx context.Context) error {
	run.steering.steps = -1
	err := run.safe(ctx, 0)
	if errors.Is(err, errSteered) {
		run.steer(0)
		return nil
	}
	return err
}

// inputNow is the present value of an input, or its pending new value.
func (run *integration) inputNow(in *input) float64 {
	if v, ok := run.steering.pending[in]; ok {
		return v
	}
	t := 0.0
	if run.drive.Stepper != nil {
		t = run.drive.Stepper.T()
	}
	return in.value(t)
}

// closeSteering ends it with the transient.
func (run *integration) closeSteering() {
	if s := &run.steering; s.registry != nil {
		s.registry.Close()
		s.close()
	}
}

// safe is the safe point after a step that ended at t, s. It returns errSteered if an input is to change there, and the
// context's error if the transient is to stop there.
func (run *integration) safe(ctx context.Context, t float64) error {
	s := &run.steering
	if s.registry == nil {
		return nil
	}
	s.steps++
	s.time.Put(t)
	if !s.registry.Armed() || t >= run.c.Transient.Duration { // changes pending at the end come too late
		return nil
	}
	end := s.registry.Obey(ctx, s.steps) == steer.End
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case end:
		return errStopped
	case len(s.pending) > 0:
		return errSteered
	}
	return nil
}

// errStopped ends a transient on command.
var errStopped = fmt.Errorf("stopped on command: %w", context.Canceled)

// steer sets the inputs that were changed at t, s, to their new values: they jump there, and keep them.
func (run *integration) steer(t float64) {
	s := &run.steering
	for i := range run.d.inputs { // in their order, not the map's
		in := &run.d.inputs[i]
		v, ok := s.pending[in]
		if !ok {
			continue
		}
		known := false
		for _, c := range s.changed {
			known = known || c == in
		}
		if !known {
			s.changed = append(s.changed, in)
		}
		in.jump(t, v)
	}
	clear(s.pending)
	s.at = t
}

// jump sets an input to a value at t, s, and keeps it. Its later schedule is dropped.
func (in *input) jump(t, v float64) {
	before := in.value(t)
	n := in.piece + 1 // points up to the start of the present interval
	for n < len(in.t) && in.t[n] <= t {
		n++
	}
	in.t = append(append([]float64{}, in.t[:n]...), t, t)
	in.values = append(append([]float64{}, in.values[:n]...), before, v)
}

// steeredAt reports whether an input was changed at t, s.
func (run *integration) steeredAt(t float64) bool {
	return len(run.steering.changed) > 0 && run.steering.at == t
}

// SteeredRule is the rule of the warnings of a transient that was steered.
const SteeredRule = "steered"

// steeredWarnings report the inputs changed by hand, with their resulting schedules.
func (run *integration) steeredWarnings() (list []result.Warning) {
	for _, in := range run.steering.changed {
		var points []string
		for i, t := range in.t {
			points = append(points, fmt.Sprintf("[%v s, %v]", t, in.values[i]))
		}
		list = append(list, result.Warning{
			Severity: rule.Info, Rule: SteeredRule, Case: run.c.Name, Component: in.name,
			Time:     seconds(run.steering.at),
			Message:  "was changed by hand while the transient went on",
			Evidence: []string{in.name + ": [" + strings.Join(points, ", ") + "]"},
		})
	}
	return list
}
