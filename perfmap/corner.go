package perfmap

// Corner is a table's value and slopes at the place on a map from which it is continued: those of the bicubic or of the
// Lagrange form, by Nc and X, in the units of the table.
type Corner struct{ V, Nc, X, Cross float64 }

// Affine returns the corner of gain times the table plus offset, such as a scaled map's.
func (c Corner) Affine(gain, offset float64) Corner {
	return Corner{V: gain*c.V + offset, Nc: gain * c.Nc, X: gain * c.X, Cross: gain * c.Cross}
}

// corners writes the corner of every table at a place on the map.
func (m *Map) corners(alpha, nc, x float64, out []Corner) {
	var c cell
	c.set(m, nc, x)
	clear(out)
	if len(m.Alpha) == 1 {
		m.addCorners(0, 1, &c, out)
		return
	}
	var w, dw [4]float64
	kind, how := m.alongAlpha()
	first, points, _ := reach(kind, how, m.Alpha, alpha, &w, &dw)
	for p := range points {
		m.addCorners(first+p, w[p], &c, out)
	}
}

// addCorners adds the corners of one alpha plane, times a weight.
func (m *Map) addCorners(plane int, weight float64, c *cell, out []Corner) {
	for t := range out {
		o := &out[t]
		for p := range c.pointsN {
			for q := range c.pntsX {
				f, fn, fx, fnx := m.node(plane, c.i+p, c.j+q, t)
				a, da, b, db := c.wn[p], c.dwn[p], c.wx[q], c.dwx[q]
				o.V += weight * a * b * f
				o.Nc += weight * da * b * f
				o.X += weight * a * db * f
				o.Cross += weight * da * db * f
				if m.Interp != Monotone {
					continue
				}
				// The weights of slopes; both are 0 where an axis has a single value.
				A, dA, B, dB := c.wn[p+2], c.dwn[p+2], c.wx[q+2], c.dwx[q+2]
				o.V += weight * (A*b*fn + a*B*fx + A*B*fnx)
				o.Nc += weight * (dA*b*fn + da*B*fx + dA*B*fnx)
				o.X += weight * (A*db*fn + a*dB*fx + A*dB*fnx)
				o.Cross += weight * (dA*db*fn + da*dB*fx + dA*dB*fnx)
			}
		}
	}
}

// node returns a table's value at a point of the grid and, of a monotone map, its slopes there.
func (m *Map) node(plane, row, col, table int) (f, fn, fx, fnx float64) {
	at := (plane*len(m.Nc)+row)*len(m.X) + col
	if m.Interp != Monotone {
		return m.Tables[table].V[at], 0, 0, 0
	}
	n := m.nodes[(at*len(m.Tables)+table)*4:]
	return n[0], n[1], n[2], n[3]
}
