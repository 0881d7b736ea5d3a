// Package contour finds the region where a quantity exceeds a level, as closed loops on a structured grid: marching
// squares on the grid with a ring around it. The ring lies on the boundary's nodes and is outside the region, so that
// regions that reach the boundary close along it.
package contour

import "math"

// Point is a place in the plane.
type Point struct{ X, Y float64 }

// Grid is a grid of nodes in the plane with a value at each; node (i,j) has index
// j*(NI+1)+i.
type Grid struct {
	NI, NJ int // cells
	X, Y   []float64
	V      []float64
}

// ringed gives node (i,j), -1 and ni+1 being the ring: its place on the grid and its
// value, below everything on the ring.
func (g *Grid) ringed(i, j int) (Point, float64) {
	on := i < 0 || j < 0 || i > g.NI || j > g.NJ
	n := min(max(j, 0), g.NJ)*(g.NI+1) + min(max(i, 0), g.NI)
	if on {
		return Point{g.X[n], g.Y[n]}, math.Inf(-1)
	}
	return Point{g.X[n], g.Y[n]}, g.V[n]
}

// crossing is the grid's edge from node (i,j) to the next along i, or along j.
type crossing struct {
	i, j int
	up   bool
}

// Loop is a closed line with the region on its left, in the grid's own orientation.
// Edge reports, point by point, whether it runs along the boundary.
type Loop struct {
	At   []Point
	Edge []bool
}

// Above returns the boundary of the region where V >= level.
func (g *Grid) Above(level float64) []Loop {
	next := map[crossing]crossing{}
	var order []crossing // so that loops come out the same each time
	for j := -1; j <= g.NJ; j++ {
		for i := -1; i <= g.NI; i++ {
			g.cell(i, j, level, func(from, to crossing) {
				next[from] = to
				order = append(order, from)
			})
		}
	}
	var loops []Loop
	for _, first := range order {
		if _, there := next[first]; !there {
			continue
		}
		var l Loop
		for c := first; ; {
			to, ok := next[c]
			if !ok {
				break
			}
			delete(next, c)
			at, edge := g.place(c, level)
			l.At, l.Edge = append(l.At, at), append(l.Edge, edge)
			c = to
		}
		loops = append(loops, l)
	}
	return loops
}

// cell joins the crossed edges of a cell: each edge where its rim leaves the region to the edge where the rim enters it
// again, or, at a saddle whose middle is outside, to the edge where the rim had entered.
func (g *Grid) cell(i, j int, level float64, join func(from, to crossing)) {
	corners := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
	rim := [4]crossing{{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}}
	var v [4]float64
	for n, c := range corners {
		_, v[n] = g.ringed(c[0], c[1])
	}
	var leaves, enters []int
	for n := range 4 {
		a, b := v[n] >= level, v[(n+1)%4] >= level
		switch {
		case a && !b:
			leaves = append(leaves, n)
		case !a && b:
			enters = append(enters, n)
		}
	}
	for _, n := range leaves {
		to := enters[0]
		if len(enters) == 2 {
			ahead := func(m int) int { return (m - n + 4) % 4 }
			near := ahead(enters[0]) < ahead(enters[1])
			if inside := (v[0]+v[1]+v[2]+v[3])/4 >= level; near != inside {
				to = enters[1]
			}
		}
		join(rim[n], rim[to])
	}
}

// place returns where the level lies on an edge, by linear interpolation.
func (g *Grid) place(c crossing, level float64) (at Point, edge bool) {
	a, va := g.ringed(c.i, c.j)
	i, j := c.i+1, c.j
	if c.up {
		i, j = c.i, c.j+1
	}
	b, vb := g.ringed(i, j)
	switch {
	case math.IsInf(va, -1):
		return b, true
	case math.IsInf(vb, -1):
		return a, true
	}
	t := (level - va) / (vb - va)
	return Point{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)}, false
}

// Lines cuts loops into the parts inside the grid, off its boundary.
func Lines(loops []Loop) [][]Point {
	var out [][]Point
	for _, l := range loops {
		n := len(l.At)
		start := 0
		for start < n && !l.Edge[start] {
			start++
		}
		if start == n { // all inside
			out = append(out, append(append([]Point(nil), l.At...), l.At[0]))
			continue
		}
		var run []Point
		for k := range n + 1 {
			m := (start + k) % n
			if !l.Edge[m] {
				run = append(run, l.At[m])
				continue
			}
			if len(run) > 1 {
				out = append(out, run)
			}
			run = nil
		}
	}
	return out
}
