package mesh

import (
	"math"
)

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
