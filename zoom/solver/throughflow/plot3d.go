package throughflow

import (
	"fmt"
	"io"
	"math"
)

// WriteGrid writes the nodes of the flow's mesh as a PLOT3D grid: single block, three-dimensional with one plane,
// formatted (text), no iblank (Walatka, Buning, Pierce and Elson, NASA TM-101067, 1990). x is z, y is r, z is 0,
// metres.
func (s *Solver) WriteGrid(w io.Writer) error {
	m := s.levels[s.at].m
	if _, err := fmt.Fprintf(w, "%d %d 1\n", m.nz+1, m.nr+1); err != nil {
		return err
	}
	zero := make([]float64, len(m.z))
	for _, a := range [][]float64{m.z, m.r, zero} {
		if err := nodes(w, m, a); err != nil {
			return err
		}
	}
	return nil
}

// WriteFlow writes the PLOT3D q file for WriteGrid's grid: density, momentum in x,
// y and out of the plane (rho Vtheta), and total energy at the nodes, over the
// density rho0, sound speed a0 and rho0 a0^2 of the inlet's mean total state. The
// header holds the Mach number of a uniform inlet flow of this mass, and zeros for
// angle, Reynolds number and time.
func (s *Solver) WriteFlow(w io.Writer) error {
	l := s.levels[s.at]
	m, u, gas := l.m, l.u, s.c.Gas
	in := l.in.station(gas)
	rho := in.Pt / (gas.R * in.Tt)
	a := math.Sqrt(gas.Gamma * gas.R * in.Tt)
	mach := 0.0
	for _, v := range in.Vz {
		mach += v / a / float64(len(in.Vz))
	}
	if _, err := fmt.Fprintf(w, "%d %d 1\n%.9g 0 0 0\n", m.nz+1, m.nr+1, mach); err != nil {
		return err
	}
	for v, c := range u.conserved() {
		scale := 1 / (rho * a)
		switch v {
		case 0:
			scale = 1 / rho
		case 4:
			scale = 1 / (rho * a * a)
		}
		if err := nodes(w, m, l.atNodes(c, scale, v == 3)); err != nil {
			return err
		}
	}
	return nil
}

// atNodes returns the mean of the cells around each node, times scale, and over
// the cell's radius, on request.
func (l *level) atNodes(c []float64, scale float64, overRadius bool) []float64 {
	m := l.m
	out := make([]float64, len(m.z))
	for i := range m.nz + 1 {
		for j := range m.nr + 1 {
			sum, n := 0.0, 0.0
			for _, p := range [4][2]int{{i - 1, j - 1}, {i - 1, j}, {i, j - 1}, {i, j}} {
				if p[0] < 0 || p[0] >= m.nz || p[1] < 0 || p[1] >= m.nr {
					continue
				}
				x := c[l.u.at(p[0], p[1])]
				if overRadius {
					x /= m.rc[p[0]*m.nr+p[1]]
				}
				sum, n = sum+x, n+1
			}
			out[i*(m.nr+1)+j] = sum / n * scale
		}
	}
	return out
}

// nodes writes an array over the nodes, the index along the flow fastest.
func nodes(w io.Writer, m *mesh, a []float64) error {
	n := 0
	for j := range m.nr + 1 {
		for i := range m.nz + 1 {
			end := byte(' ')
			if n++; n%5 == 0 || n == len(a) {
				end = '\n'
			}
			if _, err := fmt.Fprintf(w, "%.9g%c", a[i*(m.nr+1)+j], end); err != nil {
				return err
			}
		}
	}
	return nil
}
