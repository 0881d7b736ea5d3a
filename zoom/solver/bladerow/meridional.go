package bladerow

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// StartFromMeridional takes an axisymmetric flow between the same walls, such as throughflow's, as the first guess on
// the coarsest mesh: every cell gets the flow at its place, and the exit that flow's pressure. Between the blades the
// swirl of a throughflow solution turns as the blades do, so that the guess follows them. It is called before Run, and
// fails if the flow has no positive density or pressure. As in StartFrom, residuals are not judged by the first
// residual of this flow, which may be too small, but by that of a flow from rest.
func (s *Solver) StartFromMeridional(flow march.Meridional) error {
	for n, r := range s.c.rows() {
		if err := s.rows[n][0].takeMeridional(flow, r.Body); err != nil {
			return err
		}
	}
	s.at, s.here, s.window, s.series = 0, 0, nil, nil
	s.follow(flow.ExitPs())
	return nil
}

func (l *level) takeMeridional(flow march.Meridional, b *blade.Body) error {
	p := l.grid
	l.residual()
	l.first = l.norm()
	for k := range p.NK {
		for j := range p.NJ {
			for i := range p.NI {
				x := p.Centre(i, j, k)
				r := mesh.Vec{x[0], x[1], 0}.Norm()
				q := flow.At(x[2], b.Span(x[2], r))
				if !(q.Rho > 0) || !(q.Ps > 0) || !numeric.Finite(q.Vz+q.Vr+q.Vtheta) {
					return fmt.Errorf(
						"bladerow: no flow to start from at z = %.4g m, r = %.4g m: density %g kg/m3, pressure %g Pa",
						x[2], r, q.Rho, q.Ps)
				}
				cos, sin := x[0]/r, x[1]/r
				vr, vt := q.Vr/l.ref.v, q.Vtheta/l.ref.v
				l.setState(l.at(i, j, k), [5]float64{q.Rho / l.ref.rho, vr*cos - vt*sin, vr*sin + vt*cos,
					q.Vz / l.ref.v, q.Ps / l.ref.p})
			}
		}
	}
	return nil
}
