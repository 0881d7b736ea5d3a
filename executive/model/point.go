package model

import (
	"context"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Point is an engine at an operating point, which goes from one case to the next:
// each is solved from the solution of the last one. It is for one goroutine.
type Point struct {
	m    *Model
	nw   newton.Solver
	home Memory // the design
}

// Point returns a point at the design.
func (s *Session) Point() (*Point, error) {
	m, err := s.Model.Clone()
	if err != nil {
		return nil, err
	}
	if err := m.Settle(); err != nil {
		return nil, err
	}
	return &Point{m: m, home: m.save()}, nil
}

// Solve goes to a case. If that fails from where the point is, it is tried from
// the design, from which the solver walks; the point is then where that ended.
func (p *Point) Solve(ctx context.Context, c *config.Case) (result.SolveInfo, error) {
	here := p.m.save()
	info, err := p.m.OffDesign(ctx, &p.nw, c)
	if err == nil || ctx.Err() != nil {
		return info, err
	}
	if err := p.Home(); err != nil {
		return info, err
	}
	again, err := p.m.OffDesign(ctx, &p.nw, c)
	again.Evaluations += info.Evaluations
	if err != nil {
		p.m.Restore(here)
		p.nw.Forget()
		if e := p.m.Settle(); e != nil {
			return again, e
		}
	}
	return again, err
}

// Home goes back to the design.
func (p *Point) Home() error {
	p.m.Restore(p.home)
	p.nw.Forget()
	return p.m.Settle()
}

// Result reads the point.
func (p *Point) Result(name string) *result.Result {
	r := p.m.result(name, "offdesign")
	r.Converged, r.Limited = true, p.m.Limited
	return r
}

// Value reads an output by its path, NaN if there is none.
func (p *Point) Value(path string) float64 {
	r, err := p.m.Read(path)
	if err != nil {
		return math.NaN()
	}
	return r.Get()
}
