package steady

// The way to the beginning of an operating line: from the base to a flight condition, and then to
// the other settings of a case.

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// fly moves a side model from the base to the start of a case's operating line. It first moves to the flight condition:
// at the base's corrected speed if a throttle can hold that, else with the throttle held. It then applies the case's
// other settings with the throttle held.
func (m *Solver) fly(ctx context.Context, r graph.ResolvedCase, total *result.SolveInfo) error {
	flight, rest := graph.ResolvedCase{Name: r.Name}, graph.ResolvedCase{Name: r.Name}
	for _, set := range r.Set {
		if p, _, _, err := m.Parameter(set.Path); err == nil && p != nil && graph.IsAmbient(p) {
			flight.Set = append(flight.Set, set)
		} else {
			rest.Set = append(rest.Set, set)
		}
	}
	flight.Solve, rest.Solve = slices.Clone(r.Solve[1:]), slices.Clone(r.Solve[1:])
	nw := &newton.Solver{}
	if err := m.toBase(nw); err != nil {
		return err
	}
	if len(flight.Set)+len(flight.Solve) > 0 {
		if err := m.climb(ctx, nw, flight, r.Solve[0], total); err != nil {
			return err
		}
	}
	if len(rest.Set) == 0 {
		return nil
	}
	nw.Forget()
	return m.along(ctx, nw, rest, total)
}

// climb moves from the base to a flight condition.
func (m *Solver) climb(ctx context.Context, nw *newton.Solver, flight graph.ResolvedCase, throttle config.Balance,
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

// hold adds a parameter to the unknowns, and the equation that the corrected speed of the first free shaft is constant.
// It reports whether the engine has a shaft with a free speed.
func (s *equations) hold(b config.Balance) (bool, error) {
	face := s.Model.Perf.Face
	if face == nil {
		return false, nil
	}
	for _, u := range s.Unknowns {
		if u.Scaling != components.AsSpeed || s.targeted(u.Name) {
			continue
		}
		throttle, err := s.Varied(b)
		if err != nil {
			return false, err
		}
		corrected := func() float64 { return *u.At / math.Sqrt(face.Theta()) }
		held := corrected()
		s.Unknowns = append(s.Unknowns, throttle)
		s.Residuals = append(s.Residuals,
			graph.Residual{Name: u.Name, Get: func() float64 { return corrected()/held - 1 },
				Doc: "the corrected speed is not the one to be held"})
		s.held = true
		s.Prepare()
		return true, nil
	}
	return false, nil
}

// along moves from the model's state to a case, and follows the curve there if one step does not converge.
func (m *Solver) along(ctx context.Context, nw *newton.Solver, r graph.ResolvedCase, total *result.SolveInfo) error {
	here := m.Save()
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
	n := len(s.Unknowns)
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
		_, info, err := s.Solve(ctx, nw, f.y[:n])
		total.Add(info)
		return err
	}
	return f.lost(errors.New("the way is too long"))
}
