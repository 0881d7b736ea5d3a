package picture

// The region where a quantity exceeds a level, as closed loops on a structured grid: marching squares on the grid with
// a ring around it. The ring lies on the boundary's nodes and is outside the region, so that regions that reach the
// boundary close along it.

import "math"

// point is a place in the plane of a drawing.
type point struct{ x, y float64 }

// sheet is a grid of nodes in the plane with a value at each; node (i,j) has index
// j*(ni+1)+i.
type sheet struct {
	ni, nj int // cells
	x, y   []float64
	v      []float64
}

// ringed gives node (i,j), -1 and ni+1 being the ring: its place on the grid and its
// value, below everything on the ring.
func (s *sheet) ringed(i, j int) (point, float64) {
	on := i < 0 || j < 0 || i > s.ni || j > s.nj
	n := min(max(j, 0), s.nj)*(s.ni+1) + min(max(i, 0), s.ni)
	if on {
		return point{s.x[n], s.y[n]}, math.Inf(-1)
	}
	return point{s.x[n], s.y[n]}, s.v[n]
}

// crossing is the grid's edge from node (i,j) to the next along i, or along j.
type crossing struct {
	i, j int
	up   bool
}

// loop is a closed line with the region on its left, in the grid's own orientation.
// edge reports, point by point, whether it runs along the boundary.
type loop struct {
	at   []point
	edge []bool
}

// above returns the boundary of the region where v >= level.
func (s *sheet) above(level float64) []loop {
	next := map[crossing]crossing{}
	var order []crossing // so that loops come out the same each time
	for j := -1; j <= s.nj; j++ {
		for i := -1; i <= s.ni; i++ {
			s.cell(i, j, level, func(from, to crossing) {
				next[from] = to
				order = append(order, from)
			})
		}
	}
	var loops []loop
	for _, first := range order {
		if _, there := next[first]; !there {
			continue
		}
		var l loop
		for c := first; ; {
			to, ok := next[c]
			if !ok {
				break
			}
			delete(next, c)
			at, edge := s.place(c, level)
			l.at, l.edge = append(l.at, at), append(l.edge, edge)
			c = to
		}
		loops = append(loops, l)
	}
	return loops
}

// cell joins the crossed edges of a cell: each edge where its rim leaves the region to the edge where the rim enters it
// again, or, at a saddle whose middle is outside, to the edge where the rim had entered.
func (s *sheet) cell(i, j int, level float64, join func(from, to crossing)) {
	corners := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
	rim := [4]crossing{{i, j, false}, {i + 1, j, true}, {i, j + 1, false}, {i, j, true}}
	var v [4]float64
	for n, c := range corners {
		_, v[n] = s.ringed(c[0], c[1])
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
func (s *sheet) place(c crossing, level float64) (at point, edge bool) {
	a, va := s.ringed(c.i, c.j)
	i, j := c.i+1, c.j
	if c.up {
		i, j = c.i, c.j+1
	}
	b, vb := s.ringed(i, j)
	switch {
	case math.IsInf(va, -1):
		return b, true
	case math.IsInf(vb, -1):
		return a, true
	}
	t := (level - va) / (vb - va)
	return point{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)}, false
}

// lines cuts loops into the parts inside the grid, off its boundary.
func lines(loops []loop) [][]point {
	var out [][]point
	for _, l := range loops {
		n := len(l.at)
		start := 0
		for start < n && !l.edge[start] {
			start++
		}
		if start == n { // all inside
			out = append(out, append(append([]point(nil), l.at...), l.at[0]))
			continue
		}
		var run []point
		for k := range n + 1 {
			m := (start + k) % n
			if !l.edge[m] {
				run = append(run, l.at[m])
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

// thinned leaves out points of a line that lie within tolerance of the rest (Douglas
// and Peucker, Cartographica 10, 1973, p. 112).
func thinned(line []point, tolerance float64) []point {
	if len(line) < 3 {
		return line
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	var split func(a, b int)
	split = func(a, b int) {
		far, at := tolerance, -1
		for k := a + 1; k < b; k++ {
			if d := off(line[k], line[a], line[b]); d > far {
				far, at = d, k
			}
		}
		if at > 0 {
			keep[at] = true
			split(a, at)
			split(at, b)
		}
	}
	// A closed line has no chord: its first half and its second are thinned apart.
	mid := len(line) / 2
	keep[mid] = true
	split(0, mid)
	split(mid, len(line)-1)
	out := line[:0:0]
	for k, p := range line {
		if keep[k] {
			out = append(out, p)
		}
	}
	return out
}

// off returns the distance of p from the straight piece from a to b.
func off(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	l2 := dx*dx + dy*dy
	if l2 == 0 {
		return math.Hypot(p.x-a.x, p.y-a.y)
	}
	t := min(max(((p.x-a.x)*dx+(p.y-a.y)*dy)/l2, 0), 1)
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy)
}
