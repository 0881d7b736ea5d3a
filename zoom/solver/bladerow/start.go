package bladerow

// The first guess on the coarsest mesh, and the start of a finer mesh from the next coarser mesh.

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// startMach is the axial Mach number of the first guess, and of the flow for a throttle's first exit pressure, unless a
// vane chokes below it.
const startMach = 0.45

// startMach returns the Mach number of the case's first guess. A turbine's vanes turn the flow so much that they choke
// at half of startMach: the guess is then the flow that fills vaneShare of their exit at sonic speed, in the middle of
// the span,
//
//	A*/A(MN) = vaneShare cos(alpha)
func (c *Case) startMach(p *mesh.Passage) float64 {
	if c.N > 0 {
		return startMach
	}
	slope := p.Leaving(p.NK / 2)
	share := vaneShare / math.Sqrt(1+slope*slope)
	lo, hi := 0.0, startMach
	for range 50 {
		if mid := (lo + hi) / 2; fill(mid, c.Gas.Gamma) < share {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// vaneShare is the share of a vane's throat that the first guess fills.
const vaneShare = 0.9

// fill returns the flow at a Mach number over that at sonic speed, A*/A.
func fill(mach, g float64) float64 {
	return mach * math.Pow((1+(g-1)/2*mach*mach)/((g+1)/2), -(g+1)/(2*(g-1)))
}

// start sets a first guess: axial flow of the given Mach number up to the blade, along which it turns to the blades'
// direction at the trailing edge; behind it r Vtheta is constant. Pressure rises evenly over the first row, the total
// temperature by Euler's work. came holds the swirl and total temperature that leave the previous row, strip by strip;
// start returns the swirl and total temperature that leave this row.
func (l *level) start(c *Case, mach float64, came []swirl) []swirl {
	p, g := l.grid, c.Gas.Gamma
	cp := g / (g - 1)
	t0 := 1 / (1 + (g-1)/2*mach*mach)
	vz := mach * math.Sqrt(g*t0)
	p0 := math.Pow(t0, cp)
	out := make([]swirl, p.NK)
	for k := range p.NK {
		from := swirl{0, 1}
		if came != nil {
			from, p0 = came[k], l.ps
		}
		a, b := p.Vertex(p.TE-2, p.NJ/2, k), p.Vertex(p.TE, p.NJ/2, k)
		r := math.Hypot(b[0], b[1])
		turn := math.Remainder(math.Atan2(b[1], b[0])-math.Atan2(a[1], a[0]), 2*math.Pi)
		moment := r * (l.omega*r + vz*r*turn/(b[2]-a[2])) // r Vtheta at the trailing edge
		out[k] = swirl{moment, from.tt + l.omega*(moment-from.moment)/cp}
		for j := range p.NJ {
			for i := range p.NI {
				share := min(max((float64(i)-float64(p.LE))/float64(p.TE-p.LE), 0), 1)
				x := p.Centre(i, j, k)
				r := math.Hypot(x[0], x[1])
				vt := (from.moment + (moment-from.moment)*share) / r
				pr := p0 + (l.ps-p0)*share
				t := max(from.tt+(out[k].tt-from.tt)*share-(vz*vz+vt*vt)/(2*cp), 0.5)
				l.setState(l.at(i, j, k), [5]float64{pr / t, -vt * x[1] / r, vt * x[0] / r, vz, pr})
			}
		}
	}
	l.first = 0
	return out
}

// swirl is the state that a first guess passes from row to row: r Vtheta and total temperature.
type swirl struct{ moment, tt float64 }

// refine sets the flow of the next finer mesh from this mesh: each cell takes the value of the coarse cell around it.
func (l *level) refine(f *level) {
	for k := range f.n[2] {
		for j := range f.n[1] {
			for i := range f.n[0] {
				f.setState(f.at(i, j, k), l.state(l.at(i/2, j/2, k/2)))
				if f.visc != nil {
					f.visc.nt[f.at(i, j, k)] = l.visc.nt[l.at(i/2, j/2, k/2)]
				}
			}
		}
	}
	f.first = l.first
}

// firstFlow returns the mass flow of the first guess through the inlet, kg/s.
func (c *Case) firstFlow(p *mesh.Passage) float64 {
	ref, g := c.reference(), c.Gas.Gamma
	hub, casing := p.Vertex(0, 0, 0), p.Vertex(0, 0, p.NK)
	area := math.Pi * (casing[0]*casing[0] + casing[1]*casing[1] - hub[0]*hub[0] - hub[1]*hub[1])
	mach := c.startMach(p)
	t := 1 + (g-1)/2*mach*mach
	return area * ref.p / ref.v * math.Sqrt(g) * mach * math.Pow(t, -(g+1)/(2*(g-1)))
}
