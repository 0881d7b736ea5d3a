package plot

// Contours of a table over the map's own coordinates. Plot libraries contour rectangular grids in the plane of the
// plot; a compressor map is curved there but rectangular in (Nc, X). So the contours are found here in (Nc, X) and
// transformed.

// contour returns the lines on which f = level on the grid of xs and ys, where f[j][i] belongs to (xs[i], ys[j]), by
// marching squares with linear interpolation along cell edges. The first point of a closed line is also its last.
func contour(xs, ys []float64, f [][]float64, level float64) [][][2]float64 {
	c := contourer{xs: xs, ys: ys, f: f, level: level, next: map[gridEdge][]gridEdge{}}
	for j := 0; j+1 < len(ys); j++ {
		for i := 0; i+1 < len(xs); i++ {
			c.cell(i, j)
		}
	}
	return c.lines()
}

// gridEdge is the edge from node (i, j) to the next in x, or, if up, in y.
type gridEdge struct {
	i, j int
	up   bool
}

type contourer struct {
	xs, ys []float64
	f      [][]float64
	level  float64
	next   map[gridEdge][]gridEdge // edges that follow each other on a line
	order  []gridEdge              // in the order of their discovery, so that lines come out the same each time
}

func (c *contourer) above(i, j int) bool { return c.f[j][i] >= c.level }

// cell joins the crossed edges of a cell: two, or four at a saddle, where the mean of the corners decides which edges
// are joined.
func (c *contourer) cell(i, j int) {
	south, north := gridEdge{i, j, false}, gridEdge{i, j + 1, false}
	west, east := gridEdge{i, j, true}, gridEdge{i + 1, j, true}
	sw, se, ne, nw := c.above(i, j), c.above(i+1, j), c.above(i+1, j+1), c.above(i, j+1)
	var crossed []gridEdge
	for _, e := range []struct {
		edge gridEdge
		a, b bool
	}{{south, sw, se}, {east, se, ne}, {north, ne, nw}, {west, nw, sw}} {
		if e.a != e.b {
			crossed = append(crossed, e.edge)
		}
	}
	switch len(crossed) {
	case 2:
		c.join(crossed[0], crossed[1])
	case 4:
		mean := (c.f[j][i] + c.f[j][i+1] + c.f[j+1][i+1] + c.f[j+1][i]) / 4
		if (mean >= c.level) == sw {
			c.join(south, east)
			c.join(north, west)
		} else {
			c.join(south, west)
			c.join(north, east)
		}
	}
}

func (c *contourer) join(a, b gridEdge) {
	for _, e := range []gridEdge{a, b} {
		if _, ok := c.next[e]; !ok {
			c.order = append(c.order, e)
		}
	}
	c.next[a] = append(c.next[a], b)
	c.next[b] = append(c.next[b], a)
}

// lines follows the joined edges, open lines from their ends first, then closed ones.
func (c *contourer) lines() (out [][][2]float64) {
	seen := map[gridEdge]bool{}
	follow := func(e gridEdge) {
		start := e
		line := [][2]float64{c.at(e)}
		seen[e] = true
		for {
			moved := false
			for _, n := range c.next[e] {
				if !seen[n] {
					seen[n], e, moved = true, n, true
					line = append(line, c.at(n))
					break
				}
			}
			if !moved {
				break
			}
		}
		if len(c.next[start]) == 2 && len(line) > 2 {
			line = append(line, line[0])
		}
		out = append(out, line)
	}
	for _, e := range c.order {
		if len(c.next[e]) == 1 && !seen[e] {
			follow(e)
		}
	}
	for _, e := range c.order {
		if !seen[e] {
			follow(e)
		}
	}
	return out
}

// at is where the line crosses an edge.
func (c *contourer) at(e gridEdge) [2]float64 {
	i2, j2 := e.i+1, e.j
	if e.up {
		i2, j2 = e.i, e.j+1
	}
	a, b := c.f[e.j][e.i], c.f[j2][i2]
	t := (c.level - a) / (b - a)
	return [2]float64{c.xs[e.i] + t*(c.xs[i2]-c.xs[e.i]), c.ys[e.j] + t*(c.ys[j2]-c.ys[e.j])}
}
