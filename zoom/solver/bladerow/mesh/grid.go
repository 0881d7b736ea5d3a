package mesh

import "math"

// Grid is a structured block of hexahedra, given by its nodes. The i-lines follow the flow, the j-lines lead from blade
// to blade, the k-lines from hub to casing, right-handed. Node (i,j,k) has index (k*(NJ+1)+j)*(NI+1)+i. The axis of
// rotation is z; lengths are metres.
type Grid struct {
	NI, NJ, NK int // cells
	X, Y, Z    []float64
}

// NewGrid returns a block of ni x nj x nk cells with its nodes placed by at.
func NewGrid(ni, nj, nk int, at func(i, j, k int) (x, y, z float64)) *Grid {
	g := &Grid{NI: ni, NJ: nj, NK: nk}
	n := (ni + 1) * (nj + 1) * (nk + 1)
	g.X, g.Y, g.Z = make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range nk + 1 {
		for j := range nj + 1 {
			for i := range ni + 1 {
				c := g.Node(i, j, k)
				g.X[c], g.Y[c], g.Z[c] = at(i, j, k)
			}
		}
	}
	return g
}

// Node returns the index of node (i,j,k).
func (g *Grid) Node(i, j, k int) int { return (k*(g.NJ+1)+j)*(g.NI+1) + i }

func (g *Grid) Vertex(i, j, k int) Vec {
	c := g.Node(i, j, k)
	return Vec{g.X[c], g.Y[c], g.Z[c]}
}

// Coarse returns the block of every other node; cell numbers must be even.
func (g *Grid) Coarse() *Grid {
	return NewGrid(g.NI/2, g.NJ/2, g.NK/2, func(i, j, k int) (x, y, z float64) {
		p := g.Vertex(2*i, 2*j, 2*k)
		return p[0], p[1], p[2]
	})
}

// Extended returns the nodes of g and of a ring around it: beyond j the turned nodes of the other side where the two
// sides coincide (periodic by pitch, rad), elsewhere the mirror image through the boundary node.
func (g *Grid) Extended(pitch float64) func(i, j, k int) Vec {
	sin, cos := math.Sincos(pitch)
	var at func(i, j, k int) Vec
	at = func(i, j, k int) Vec {
		switch {
		case k < 0:
			return at(i, j, 0).Times(2).Sub(at(i, j, -k))
		case k > g.NK:
			return at(i, j, g.NK).Times(2).Sub(at(i, j, 2*g.NK-k))
		case i < 0:
			return at(0, j, k).Times(2).Sub(at(-i, j, k))
		case i > g.NI:
			return at(g.NI, j, k).Times(2).Sub(at(2*g.NI-i, j, k))
		case j >= 0 && j <= g.NJ:
			return g.Vertex(i, j, k)
		}
		lo, hi := g.Vertex(i, 0, k), g.Vertex(i, g.NJ, k)
		one := pitch != 0 && lo.Turned(cos, sin).Sub(hi).Norm() < 1e-9*hi.Norm()
		switch {
		case one && j < 0:
			return g.Vertex(i, g.NJ+j, k).Turned(cos, -sin)
		case one:
			return g.Vertex(i, j-g.NJ, k).Turned(cos, sin)
		case j < 0:
			return lo.Times(2).Sub(g.Vertex(i, -j, k))
		}
		return hi.Times(2).Sub(g.Vertex(i, 2*g.NJ-j, k))
	}
	return at
}

// Centre returns the mean of a cell's nodes.
func (g *Grid) Centre(i, j, k int) Vec {
	var c Vec
	for n := range 8 {
		c = c.Add(g.Vertex(i+n&1, j+n>>1&1, k+n>>2).Times(0.125))
	}
	return c
}

// Vec is a Cartesian vector.
type Vec [3]float64

func (a Vec) Add(b Vec) Vec           { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vec) Sub(b Vec) Vec           { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a Vec) Times(s float64) Vec     { return Vec{a[0] * s, a[1] * s, a[2] * s} }
func (a Vec) Dot(b Vec) float64       { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a Vec) Norm() float64           { return math.Sqrt(a.Dot(a)) }
func (a Vec) Turned(c, s float64) Vec { return Vec{c*a[0] - s*a[1], s*a[0] + c*a[1], a[2]} }
func (a Vec) Cross(b Vec) Vec {
	return Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// How nodes are spaced along a line.

// Spaced returns n+1 places from 0 to 1 whose first and last steps are about the ones
// given, 0 for an open end, after Vinokur (J. Comput. Phys. 50, 1983, p. 215).
func Spaced(n int, first, last float64) []float64 {
	x := make([]float64, n+1)
	even := 1 / float64(n)
	first = min(first, even)
	switch {
	case last == 0: // growing from the first step on
		b := solve(func(b float64) float64 { return math.Expm1(b/float64(n)) / math.Expm1(b) }, first)
		for i := range x {
			s := float64(i) / float64(n)
			if b < 1e-6 {
				x[i] = s
			} else {
				x[i] = math.Expm1(b*s) / math.Expm1(b)
			}
		}
	default:
		last = min(last, even)
		a, d := math.Sqrt(last/first), 1/(float64(n)*math.Sqrt(first*last))
		b := solve(func(b float64) float64 { return b / math.Sinh(b) }, 1/d)
		for i := range x {
			s := float64(i) / float64(n)
			u := s
			if b > 1e-6 {
				u = 0.5 * (1 + math.Tanh(b*(s-0.5))/math.Tanh(b/2))
			}
			x[i] = u / (a + (1-a)*u)
		}
	}
	x[n] = 1
	return x
}

// solve returns b > 0 with f(b) = y, for an f that falls.
func solve(f func(float64) float64, y float64) float64 {
	lo, hi := 1e-9, 40.0
	for range 80 {
		if b := (lo + hi) / 2; f(b) > y {
			lo = b
		} else {
			hi = b
		}
	}
	return lo
}

// fade returns the integral over 0..d of a slope that falls linearly to zero over
// the chord.
func fade(slope, d, chord float64) float64 {
	d = min(d, chord)
	return slope * d * (1 - 0.5*d/chord)
}
