package steady

import (
	"context"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// OperatingPoint is an engine at an operating point. It solves each case from the previous case's solution. It is for
// one goroutine.
type OperatingPoint struct {
	m    *Solver
	nw   newton.Solver
	home graph.Memory // the model at the design point
}

// NewPoint returns an operating point with a copy of a solved engine.
func NewPoint(solved *Solver) (*OperatingPoint, error) {
	m, err := solved.Clone()
	if err != nil {
		return nil, err
	}
	if err := m.Settle(); err != nil {
		return nil, err
	}
	return &OperatingPoint{m: m, home: m.Save()}, nil
}

// Solve solves a case from the present point. If it fails, the point does not change.
func (p *OperatingPoint) Solve(ctx context.Context, c *config.Case) (result.SolveInfo, error) {
	here := p.m.Save()
	info, err := p.m.OffDesign(ctx, &p.nw, c)
	if err == nil || ctx.Err() != nil {
		return info, err
	}
	p.m.Restore(here)
	p.nw.Forget()
	if e := p.m.Settle(); e != nil {
		return info, e
	}
	return info, err
}

// Home returns to the design point.
func (p *OperatingPoint) Home() error {
	p.m.Restore(p.home)
	p.nw.Forget()
	return p.m.Settle()
}

// Result returns the results at the present point, under a name.
func (p *OperatingPoint) Result(name string) *result.Result {
	r := p.m.Result(name, "offdesign")
	r.Converged, r.Limited, r.Missed = true, p.m.Limited, p.m.Missed
	return r
}

// Value returns the output at a path, NaN for an unknown path.
func (p *OperatingPoint) Value(path string) float64 {
	r, err := p.m.Read(path)
	if err != nil {
		return math.NaN()
	}
	return r.Get()
}
