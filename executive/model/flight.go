package model

// The way to the beginning of an operating line: from the base to a flight condition, and then to
// the other settings of a case.

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// fly takes a side model from the base to where the operating line of a case begins: to the flight
// condition at the corrected speed there was, if there is a throttle for that, else with the throttle
// held; and then to the case's other settings with the throttle held.
func (m *Model) fly(ctx context.Context, r resolved, total *result.SolveInfo) error {
	flight, rest := resolved{name: r.name}, resolved{name: r.name}
	for _, set := range r.set {
		if p, _, _, err := m.Parameter(set.Path); err == nil && p != nil && isAmbient(p) {
			flight.set = append(flight.set, set)
		} else {
			rest.set = append(rest.set, set)
		}
	}
	flight.solve, rest.solve = slices.Clone(r.solve[1:]), slices.Clone(r.solve[1:])
	nw := &newton.Solver{}
	if err := m.toBase(nw); err != nil {
		return err
	}
	if len(flight.set)+len(flight.solve) > 0 {
		if err := m.climb(ctx, nw, flight, r.solve[0], total); err != nil {
			return err
		}
	}
	if len(rest.set) == 0 {
		return nil
	}
	nw.Forget()
	return m.along(ctx, nw, rest, total)
}

// climb goes from the base to a flight condition.
func (m *Model) climb(ctx context.Context, nw *newton.Solver, flight resolved, throttle config.Balance,
	total *result.SolveInfo) error {
	s, way, err := m.prepareCase(flight)
	if err != nil {
		return err
	}
	if held, err := s.hold(throttle); held && err == nil {
		info, _, err := m.walk(ctx, nw, s, way, nil, 0)
		total.Add(info)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if err := m.toBase(nw); err != nil {
			return err
		}
	}
	return m.along(ctx, nw, flight, total)
}

// hold adds a parameter to the unknowns, and that the corrected speed of the first shaft whose
// speed is free stays as it is. It reports whether there is such a shaft.
func (s *system) hold(b config.Balance) (bool, error) {
	face := s.m.perf.face
	if face == nil {
		return false, nil
	}
	for _, u := range s.unknowns {
		if u.scaling != components.AsSpeed || s.targeted(u.name) {
			continue
		}
		throttle, err := s.varied(b)
		if err != nil {
			return false, err
		}
		corrected := func() float64 { return *u.at / math.Sqrt(face.Theta()) }
		held := corrected()
		s.unknowns = append(s.unknowns, throttle)
		s.residuals = append(s.residuals, residual{name: u.name, get: func() float64 { return corrected()/held - 1 },
			doc: "the corrected speed is not the one to be held"})
		s.held = true
		s.prepare()
		return true, nil
	}
	return false, nil
}

// along goes from where the model is to a case, and follows the curve there if that cannot be done in
// one step.
func (m *Model) along(ctx context.Context, nw *newton.Solver, r resolved, total *result.SolveInfo) error {
	here := m.save()
	s, way, err := m.prepareCase(r)
	if err != nil {
		return err
	}
	info, _, err := m.walk(ctx, nw, s, way, nil, 0)
	total.Add(info)
	if err == nil || ctx.Err() != nil {
		return err
	}
	m.Restore(here)
	if err := m.Settle(); err != nil {
		return err
	}
	if s, way, err = m.prepareCase(r); err != nil {
		return err
	}
	f := m.newFollower(s, way.set)
	f.fold = func(y []float64) error { return foldErrorOf(s, way, y) }
	defer func() { total.Add(f.info) }()
	h := firstStep
	p := f.problem()
	n := len(s.unknowns)
	for range mostPoints {
		if err := ctx.Err(); err != nil {
			return err
		}
		ended := f.next(p, &h)
		if f.y[n] < 1 {
			if ended != nil {
				return ended
			}
			continue
		}
		share := (1 - f.last[n]) / (f.y[n] - f.last[n])
		for i := range n {
			f.y[i] = f.last[i] + share*(f.y[i]-f.last[i])
		}
		way.set(1)
		nw.Forget()
		_, info, err := s.solve(ctx, nw, f.y[:n])
		total.Add(info)
		return err
	}
	return f.lost(errors.New("the way is too long"))
}
