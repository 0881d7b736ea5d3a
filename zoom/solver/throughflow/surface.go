package throughflow

import (
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// samples is the number of intervals along the chord for the sampling of a stream surface's blade section.
const samples = 80

// wrapped is a blade section on the surface of revolution of a mesh line, from leading to trailing edge: the blade as
// the flow along that line meets it.
type wrapped struct {
	z, r, m []float64 // meridional place and length, m
	theta   []float64 // camber line, rad
	half    []float64 // half the tangential thickness, rad
	height  []float64 // local height of the annulus, m
	slope   []float64 // r dtheta/dm of the camber line
}

// wrap samples a row on the line at the fraction eta of the height.
func wrap(a *axial, number int, eta float64) *wrapped {
	row := a.g.Rows[number]
	le, te := a.edge(2*number+1, eta), a.edge(2*number+2, eta)
	w := &wrapped{}
	for k := 0; k <= samples; k++ {
		z := le + (te-le)*float64(k)/samples
		r := a.radius(z, eta)
		p := row.At(z, r)
		m := 0.0
		if k > 0 {
			m = w.m[k-1] + math.Hypot(z-w.z[k-1], r-w.r[k-1])
		}
		w.z, w.r, w.m = append(w.z, z), append(w.r, r), append(w.m, m)
		w.theta = append(w.theta, p.Theta)
		w.half = append(w.half, p.Thickness/2/r)
		w.height = append(w.height, a.radius(z, 1)-a.radius(z, 0))
	}
	w.slope = w.slopes(w.theta)
	return w
}

// slopes returns r d/dm of an angle by second-order differences.
func (w *wrapped) slopes(angle []float64) []float64 {
	n := len(angle) - 1
	out := make([]float64, n+1)
	for k := range out {
		lo := min(max(k-1, 0), n-2)
		m0, m1, m2 := w.m[lo], w.m[lo+1], w.m[lo+2]
		y0, y1, y2 := angle[lo], angle[lo+1], angle[lo+2]
		x := w.m[k]
		d := y0*(2*x-m1-m2)/((m0-m1)*(m0-m2)) + y1*(2*x-m0-m2)/((m1-m0)*(m1-m2)) + y2*(2*x-m0-m1)/((m2-m0)*(m2-m1))
		out[k] = w.r[k] * d
	}
	return out
}

// cascade reduces the section to the geometry in the correlations.
func (w *wrapped) cascade(row *blade.Row) cascade {
	n := samples
	c := cascade{blades: float64(row.Blades), sign: 1, r1: w.r[0], r2: w.r[n]}
	if row.Rotating {
		c.sign = -1
	}
	c.design = row.Incidence
	c.kappa1, c.kappa2 = math.Atan(w.slope[0]), math.Atan(w.slope[n])
	turn, length, thick := 0.0, 0.0, 0.0
	for k := 1; k <= n; k++ {
		dy := (w.r[k] + w.r[k-1]) / 2 * (w.theta[k] - w.theta[k-1])
		turn += dy
		length += math.Hypot(w.m[k]-w.m[k-1], dy)
		thick = max(thick, 2*w.half[k]*w.r[k]*math.Cos(math.Atan(w.slope[k])))
	}
	c.stagger = math.Atan2(turn, w.m[n])
	chord := math.Hypot(turn, w.m[n])
	c.chord = chord
	c.pitch = math.Pi * (c.r1 + c.r2) / c.blades
	c.solidity = chord / c.pitch
	c.thickness = thick / chord
	c.height = (w.height[0] + w.height[n]) / 2
	w.passage(&c)
	return c
}

// passage measures the channel between the suction surface of a blade and the pressure surface of its neighbour, which
// lies one pitch further: the throat, with the change of the annulus' height included, and the suction surface at the
// mouth, opposite the neighbour's leading edge.
func (w *wrapped) passage(c *cascade) {
	n := samples
	pitch := 2 * math.Pi / c.blades
	suction := make([]float64, n+1)
	for k := range suction {
		suction[k] = w.theta[k] + w.half[k]
	}
	slope := w.slopes(suction)
	c.iSuction = math.Atan(slope[1]) - c.kappa1

	nearest := func(p int) (width float64, at int) {
		width = math.Inf(1)
		for k := range suction {
			r := (w.r[k] + w.r[p]) / 2
			d := math.Hypot(w.m[k]-w.m[p], r*(w.theta[p]-w.half[p]+pitch-suction[k]))
			if d < width {
				width, at = d, k
			}
		}
		return width, at
	}
	_, k := nearest(0)
	c.mouthAngle = math.Atan(slope[k])
	c.throat = math.Inf(1)
	for p := range suction {
		width, k := nearest(p)
		mid := (k + p) / 2
		if area := width * w.height[mid] / w.height[0]; area < c.throat {
			c.throat, c.width, c.throatAt = area, width, float64(mid)/float64(n)
		}
	}
}
