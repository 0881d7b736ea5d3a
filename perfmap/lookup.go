package perfmap

import "github.com/peregrine-sim/peregrine/internal/numeric"

// At looks up all tables at once: out[i] becomes the value and derivatives of m.Tables[i] at (alpha, nc, x). The
// derivatives are those of the interpolant itself, exact to rounding. out must be at least as long as m.Tables. At does
// not allocate.
//
// Outside the bounds a table continues with the slope of the nearest edge,
//
//	f = f_edge + f_n dn + f_x dx + f_nx dn dx
//
// with dn, dx the distances beyond the bounds in Nc and X. A flow, pressure ratio or efficiency may pass half the way
// from the table's extreme value to its physical limit (flow 0; PR 0.6, or 0.6 of the smallest if that is below 1;
// efficiency 0 and 1). It then bends and approaches the limit exponentially, C1 and strictly monotone in f, so that a
// solver outside the map can return. In alpha the nearest plane is used. m.Extrap selects other methods. The result
// holds the bounds that were passed.
//
// Far outside, such values do not form a physical state: use [Map.Beyond] and [Map.Driven] there.
//
// A map of a single speed line follows the fan laws in Nc; see [LineTolerance].
func (m *Map) At(alpha, nc, x float64, out []Value) Edge {
	out = out[:len(m.Tables)]
	edge := m.edge(alpha, nc, x)
	var c cell
	c.set(m, nc, x)
	if len(m.Alpha) == 1 {
		m.plane(0, &c, out)
	} else {
		m.planes(alpha, &c, out)
	}
	if len(m.Nc) == 1 {
		m.fanLaws(nc, out)
	}
	return edge
}

// cell is a place on the grid of (Nc, X) with the interpolation's weights: a
// value is sum_pq wn[p] wx[q] F_pq, F the 2x2 corner values and slopes of the
// Hermite form, or the up to 4x4 points of the Lagrange form.
type cell struct {
	i, j           int // lowest node used
	wn, dwn        [4]float64
	wx, dwx        [4]float64
	beyondN        float64 // distance beyond the bounds
	beyondX        float64
	outside        bool
	pointsN, pntsX int // nodes used along each axis
}

func (c *cell) set(m *Map, nc, x float64) {
	if len(m.Nc) == 1 {
		nc = m.Nc[0] // the fan laws do the rest
	}
	c.i, c.pointsN, c.beyondN = reach(m.Interp, m.Extrap.Nc, m.Nc, nc, &c.wn, &c.dwn)
	c.j, c.pntsX, c.beyondX = reach(m.Interp, m.Extrap.X, m.X, x, &c.wx, &c.dwx)
	c.outside = c.beyondN != 0 || c.beyondX != 0
}

// weights returns the first node and the number of nodes that carry the value
// at v, with their weights and the weights' derivatives.
func weights(kind Interp, axis []float64, v float64, w, dw *[4]float64) (first, points int) {
	if len(axis) == 1 {
		w[0] = 1
		return 0, 1
	}
	i := numeric.Locate(axis, v)
	switch {
	case kind == Monotone:
		*w, *dw = numeric.Hermite(v, axis[i], axis[i+1])
		return i, 2
	case kind == Linear || len(axis) == 2:
		r := 1 / (axis[i+1] - axis[i])
		t := (v - axis[i]) * r
		w[0], w[1], dw[0], dw[1] = 1-t, t, -r, r
		return i, 2
	}
	if kind == Lagrange3 && len(axis) > 3 {
		i = min(max(i-1, 0), len(axis)-4)
		lagrange3(v, (*[4]float64)(axis[i:]), w, dw)
		return i, 4
	}
	if i > len(axis)-3 {
		i = len(axis) - 3
	}
	lagrange(v, axis[i], axis[i+1], axis[i+2], w, dw)
	return i, 3
}

// lagrange writes the weights of the parabola through a, b, c at v and their derivatives.
func lagrange(v, a, b, c float64, w, dw *[4]float64) {
	ra, rb, rc := 1/((a-b)*(a-c)), 1/((b-a)*(b-c)), 1/((c-a)*(c-b))
	w[0], dw[0] = (v-b)*(v-c)*ra, (2*v-b-c)*ra
	w[1], dw[1] = (v-a)*(v-c)*rb, (2*v-a-c)*rb
	w[2], dw[2] = (v-a)*(v-b)*rc, (2*v-a-b)*rc
}

// lagrange3 writes the weights of the cubic through the nodes a at v and their derivatives.
func lagrange3(v float64, a *[4]float64, w, dw *[4]float64) {
	for p := range 4 {
		num, slope, den := 1.0, 0.0, 1.0
		for q := range 4 {
			if q != p {
				slope = slope*(v-a[q]) + num
				num *= v - a[q]
				den *= a[p] - a[q]
			}
		}
		w[p], dw[p] = num/den, slope/den
	}
}

// plane evaluates all tables on one alpha plane.
func (m *Map) plane(a int, c *cell, out []Value) {
	if m.Interp == Monotone {
		m.planeHermite(a, c, out)
		return
	}
	m.planeLagrange(a, c, out)
}

// planeHermite is the kernel of the monotone map. At each of the cell's four
// corners a table has (f, fn, fx, fnx).
func (m *Map) planeHermite(a int, c *cell, out []Value) {
	nt := len(m.Tables)
	stride := len(m.X) * nt * 4
	at := (a*len(m.Nc)+c.i)*stride + c.j*nt*4
	rows := 2
	if c.pointsN == 1 {
		rows = 1
	}
	x0, x1, x2, x3 := c.wx[0], c.wx[1], c.wx[2], c.wx[3]
	e0, e1, e2, e3 := c.dwx[0], c.dwx[1], c.dwx[2], c.dwx[3]
	for t := range out {
		var v, dn, dx, cross float64
		for p := range rows {
			k := at + p*stride + t*4
			l := m.nodes[k : k+4 : k+4]
			r := m.nodes[k+nt*4 : k+nt*4+4 : k+nt*4+4]
			f := x0*l[0] + x1*r[0] + x2*l[2] + x3*r[2]  // along X, on this row
			fx := e0*l[0] + e1*r[0] + e2*l[2] + e3*r[2] // its derivative
			g := x0*l[1] + x1*r[1] + x2*l[3] + x3*r[3]  // the slope across rows
			gx := e0*l[1] + e1*r[1] + e2*l[3] + e3*r[3] // its derivative
			v += c.wn[p]*f + c.wn[p+2]*g
			dx += c.wn[p]*fx + c.wn[p+2]*gx
			dn += c.dwn[p]*f + c.dwn[p+2]*g
			cross += c.dwn[p]*fx + c.dwn[p+2]*gx
		}
		out[t] = Value{V: v, DNc: dn, DX: dx}
		if c.outside {
			out[t] = m.limits[t].extend(v, dn, dx, cross, c.beyondN, c.beyondX)
		}
	}
}

// planeLagrange is the kernel of linear and Lagrange maps.
func (m *Map) planeLagrange(a int, c *cell, out []Value) {
	nx := len(m.X)
	at := (a*len(m.Nc)+c.i)*nx + c.j
	for t := range out {
		table := m.Tables[t].V
		var v, dn, dx, cross float64
		for p := range c.pointsN {
			row := table[at+p*nx : at+p*nx+c.pntsX]
			var f, fx float64
			for q, y := range row {
				f += c.wx[q] * y
				fx += c.dwx[q] * y
			}
			v += c.wn[p] * f
			dx += c.wn[p] * fx
			dn += c.dwn[p] * f
			cross += c.dwn[p] * fx
		}
		out[t] = Value{V: v, DNc: dn, DX: dx}
		if c.outside {
			out[t] = m.limits[t].extend(v, dn, dx, cross, c.beyondN, c.beyondX)
		}
	}
}

// planes blends alpha planes.
func (m *Map) planes(alpha float64, c *cell, out []Value) {
	var w, dw [4]float64
	kind, how := m.alongAlpha()
	first, points, _ := reach(kind, how, m.Alpha, alpha, &w, &dw)
	var stack [12]Value
	part := stack[:]
	if len(out) > len(stack) {
		part = make([]Value, len(out))
	}
	part = part[:len(out)]
	clear(out)
	for p := range points {
		m.plane(first+p, c, part)
		for t, v := range part {
			out[t].V += w[p] * v.V
			out[t].DAlpha += dw[p] * v.V
			out[t].DNc += w[p] * v.DNc
			out[t].DX += w[p] * v.DX
		}
	}
}

// alongAlpha returns the interpolation between planes, and the continuation outside of them.
func (m *Map) alongAlpha() (kind Interp, how Continuation) {
	kind, how = m.InterpAlpha, m.Extrap.Alpha
	if kind == "" {
		if kind = m.Interp; kind == Monotone {
			kind = Linear
		}
	}
	if how == "" {
		how = Hold
	}
	return kind, how
}

// Value looks up a single table; [Map.At] looks up all of them without
// allocation. A table that the map lacks gives NaN.
func (m *Map) Value(table string, p Point) (Value, Edge) {
	i := m.Index(table)
	if i < 0 {
		return Value{V: nan, DAlpha: nan, DNc: nan, DX: nan}, 0
	}
	out := make([]Value, len(m.Tables))
	edge := m.At(p.Alpha, p.Nc, p.X, out)
	return out[i], edge
}
