package executive

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// withinLimits solves a case so that none of its limits is passed. The limit that
// binds takes the place of the target whose parameter gives way (by default the
// first of the solve list: the throttle): an active set of one limit for each
// varied parameter, exchanged until no other is passed. Which limits bind is kept
// for the result.
func (m *Model) withinLimits(ctx context.Context, nw *newton.Solver, r resolved) (SolveInfo, error) {
	m.limited = nil
	info, err := m.reach(ctx, nw, r)
	if len(r.limits) == 0 || len(r.solve) == 0 {
		return info, err
	}
	total := info
	bound := map[int]limit{} // by target
	if err != nil {
		// The target may be out of reach because a limit comes first.
		var se *SolveError
		if !errors.As(err, &se) {
			return info, err
		}
		limits, e := m.limits(r)
		if e != nil {
			return info, e
		}
		first := limits[0]
		bound[first.gives] = first
		r.solve[first.gives] = first.target(r.solve[first.gives])
		if info, e = m.reach(ctx, nw, r); e != nil {
			return info, err // what was asked for is what failed
		}
		total.add(info)
	}
	limits, err := m.limits(r)
	if err != nil {
		return total, err
	}
	for range 2*len(limits) + 2 {
		worst, over := -1, 1e-9
		for i, l := range limits {
			if v := l.over(); v > over {
				worst, over = i, v
			}
		}
		if worst < 0 {
			for _, l := range limits {
				if b, ok := bound[l.gives]; ok && b.name == l.name {
					m.limited = append(m.limited, l.name)
				}
			}
			return total, nil
		}
		l := limits[worst]
		bound[l.gives] = l
		r.solve[l.gives] = l.target(r.solve[l.gives])
		info, err := m.reach(ctx, nw, r)
		total.add(info)
		if err != nil {
			return total, err
		}
	}
	return total, &SolveError{Reason: "the limits contradict each other: no operating point is within all of them"}
}

func (s *SolveInfo) add(t SolveInfo) {
	s.Iterations += t.Iterations
	s.Evaluations += t.Evaluations
	s.Steps += t.Steps
	s.Residual, s.Worst = t.Residual, t.Worst
}

// limit is one side of a config.Limit.
type limit struct {
	name  string // "hpt.rotor.Tt max 1700"
	spec  config.Limit
	bound float64
	sign  float64 // 1: an upper bound
	gives int     // the target that gives way
	read  func() float64
}

// over is by how much a limit is passed, relative to its bound.
func (l limit) over() float64 {
	return l.sign * (l.read() - l.bound) / max(math.Abs(l.bound), 1e-12)
}

// target is a balance with the limit in the place of what it asked for.
func (l limit) target(b config.Balance) config.Balance {
	b.Until, b.Target = l.spec.Path, l.bound
	return b
}

// limits resolves the limits of a case.
func (m *Model) limits(r resolved) ([]limit, error) {
	var out []limit
	for _, spec := range r.limits {
		read, err := m.read(spec.Path)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", m.cfg.File, spec.Pos, err)
		}
		gives := 0
		if spec.Vary != "" {
			gives = -1
			for i, b := range r.solve {
				if b.Vary == spec.Vary {
					gives = i
				}
			}
			if gives < 0 {
				return nil, fmt.Errorf("%s:%v: case %s does not vary %s, which should give way to the limit", m.cfg.File, spec.Pos, r.name, spec.Vary)
			}
		}
		if spec.Max != nil {
			out = append(out, limit{fmt.Sprintf("%s max %.6g", spec.Path, *spec.Max), spec, *spec.Max, 1, gives, read.get})
		}
		if spec.Min != nil {
			out = append(out, limit{fmt.Sprintf("%s min %.6g", spec.Path, *spec.Min), spec, *spec.Min, -1, gives, read.get})
		}
	}
	return out, nil
}
