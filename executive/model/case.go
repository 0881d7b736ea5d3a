package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// resolved is a case with what it inherits.
type resolved struct {
	name   string
	set    []config.Setting
	solve  []config.Balance
	limits []config.Limit
}

// resolve merges a case with those it is `from`: settings and limits add up, the
// nearest solve list counts, even an empty one.
func (m *Model) resolve(c *config.Case) resolved {
	r := resolved{name: c.Name, limits: m.Engine.Limits}
	if c.From != "" {
		if parent := m.Engine.Case(c.From); parent != nil {
			p := m.resolve(parent)
			r.set, r.solve, r.limits = p.set, p.solve, p.limits
		}
	}
	r.set = slices.Concat(r.set, c.Set)
	r.limits = slices.Concat(r.limits, c.Limits)
	if c.Solve != nil {
		r.solve = c.Solve
	}
	r.solve = slices.Clone(r.solve)
	return r
}

// path is the way from where a model is to a case: parameters and targets go
// together from their present values to the asked-for ones.
type path struct {
	at       []*float64
	from, to []float64
	balances []*balance
	tFrom    []float64
}

func (p *path) set(lambda float64) {
	for i, at := range p.at {
		*at = p.from[i] + lambda*(p.to[i]-p.from[i])
	}
	for i, b := range p.balances {
		b.target = p.tFrom[i] + lambda*(b.Target-p.tFrom[i])
	}
}

// OffDesign solves a case from the model's present solution, which is left
// behind. Where Newton's method does not get there in one step the solver walks:
// settings and targets are moved from their present values in steps of which
// each is solved (continuation with step control). Where the solution passes a
// limit, the limit takes the place of the target that gives way to it; see Limited.
func (m *Model) OffDesign(ctx context.Context, nw *newton.Solver, c *config.Case) (result.SolveInfo, error) {
	info, err := m.withinLimits(ctx, nw, m.resolve(c))
	if err != nil {
		return info, err
	}
	if err := m.audit(); err != nil {
		return info, &SolveError{Reason: "the solution fails the audit: " + err.Error(), Err: err}
	}
	return info, nil
}

// reach solves a case as it stands. Where it needs more than one step and passes
// a limit on the way it stops there and returns the limit.
func (m *Model) reach(ctx context.Context, nw *newton.Solver, r resolved, limits []limit) (result.SolveInfo, *limit, error) {
	s, way, err := m.prepareCase(r)
	if err != nil {
		return result.SolveInfo{}, nil, err
	}
	info, passed, err := m.walk(ctx, nw, s, way, limits)
	if err != nil {
		return info, nil, err
	}
	if passed != nil {
		return info, passed, nil
	}
	m.margins()
	return info, nil, m.statics()
}

// prepareCase makes a case's system, and the way to it from where the model is.
func (m *Model) prepareCase(r resolved) (*system, *path, error) {
	way := &path{}
	for i := range r.solve {
		read, err := m.Read(r.solve[i].Until)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, r.solve[i].Pos, err)
		}
		way.balances = append(way.balances, &balance{r.solve[i], r.solve[i].Target})
		way.tFrom = append(way.tFrom, read.Get())
	}
	for _, st := range r.set {
		_, at, designOnly, err := m.Parameter(st.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%v: %w", m.Engine.File, st.Pos, err)
		}
		if designOnly {
			return nil, nil, fmt.Errorf("%s:%v: case %s: %s fixes the design and has no effect off design; set it in the component", m.Engine.File, st.Pos, r.name, st.Path)
		}
		way.at, way.from, way.to = append(way.at, at), append(way.from, *at), append(way.to, st.Value.Num)
	}
	s, err := m.assemble(components.OffDesign, way.balances)
	return s, way, err
}

// walk brings the system from lambda = 0, where the model is, to 1. Where a
// solution passes a limit that the one before did not, it goes back to that one and returns the
// limit: what lies far beyond a limit may be far beyond the maps.
func (m *Model) walk(ctx context.Context, nw *newton.Solver, s *system, way *path, limits []limit) (result.SolveInfo, *limit, error) {
	const smallest, patience = 1.0 / 512, 24
	total := result.SolveInfo{}
	x := s.start()
	lambda, step, failures := 0.0, 1.0, 0
	var first error
	within := len(limits) > 0 && m.passed(limits) == nil
	for lambda < 1 {
		if err := ctx.Err(); err != nil {
			return total, nil, err
		}
		next := min(1, lambda+step)
		start := m.similar(s, way, x, lambda, next)
		way.set(next)
		sol, info, err := s.solve(nw, start)
		total.Iterations += info.Iterations
		total.Evaluations += info.Evaluations
		total.Residual, total.Worst = info.Residual, info.Worst
		if err == nil {
			if l := m.passed(limits); l != nil {
				if !within {
					return total, l, nil
				}
				way.set(lambda)
				nw.Forget()
				return total, l, s.eval(x, make([]float64, len(x)))
			}
			within = len(limits) > 0
			lambda, x = next, sol.X
			step *= 2
			if next < 1 || total.Steps > 0 {
				total.Steps++
			}
			continue
		}
		nw.Forget()
		var se *SolveError
		if !errors.As(err, &se) {
			return total, nil, err
		}
		if first == nil {
			first = err
		}
		total.Steps++
		failures++
		if step /= 2; step < smallest || failures == patience {
			se.Reason = fmt.Sprintf("%s; the way from the last solution could be followed to %.0f %%", se.Reason, 100*lambda)
			return total, nil, se
		}
	}
	return total, nil, nil
}

// similar returns a start for the next point: flow and speeds go with the inlet's
// pressure and temperature, so that corrected flow and speed stay as they were.
func (m *Model) similar(s *system, way *path, x []float64, from, to float64) []float64 {
	out := append([]float64(nil), x...)
	if m.perf.face == nil {
		return out
	}
	face := func(lambda float64) (delta, theta float64, ok bool) {
		way.set(lambda)
		m.ctx.Mode = components.OffDesign
		for _, s := range m.steps {
			if err := s.eval(&m.ctx); err != nil {
				return 0, 0, false
			}
			if d := s.part.Declaration; len(d.Outlets) > 0 && d.Outlets[0].At == m.perf.face {
				break
			}
		}
		return m.perf.face.Delta(), m.perf.face.Theta(), true
	}
	for i, u := range s.unknowns {
		*u.at = x[i]
	}
	d0, t0, ok0 := face(from)
	d1, t1, ok1 := face(to)
	if !ok0 || !ok1 {
		return out
	}
	root := math.Sqrt(t1 / t0)
	for i, u := range s.unknowns {
		switch u.scaling {
		case components.AsFlow:
			out[i] *= d1 / d0 / root
		case components.AsSpeed:
			out[i] *= root
		}
	}
	return out
}
