package perfmap

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// hermiteNodes returns value, slopes and cross slope at every node of every table: [alpha][nc][x][table][4] of f,
// df/dNc, df/dX, d2f/dNc dX.
//
// Slopes along each axis are Steffen's. A bicubic from them with any cross slope is C1, but may overshoot inside a cell
// although it is monotone on the cell's edges. Therefore the slopes are reduced where needed until the control points
// of the Bezier form prove for every cell that
//
//   - the surface stays between the smallest and the largest corner value
//     (convex hull);
//   - where both edges of a cell along an axis rise (or fall), the surface
//     rises (or falls) along that axis throughout the cell.
//
// The conditions are those of R. E. Carlson and F. N. Fritsch, "Monotone piecewise bicubic interpolation", SIAM J.
// Numer. Anal. 22, 386-400, 1985, written for control points; reducing slopes by factors until they hold is simpler
// than their method.
func hermiteNodes(ctx context.Context, m *Map) []float64 {
	nt, nn, nx := len(m.Tables), len(m.Nc), len(m.X)
	nodes := make([]float64, len(m.Alpha)*nn*nx*nt*4)
	var tables sync.WaitGroup
	for a := range m.Alpha {
		for t := range m.Tables {
			tables.Go(func() {
				s := newSurface(m.Nc, m.X, m.Tables[t].V[a*nn*nx:(a+1)*nn*nx])
				s.limit(ctx)
				for i := range s.f {
					at := ((a*nn*nx+i)*nt + t) * 4
					nodes[at], nodes[at+1], nodes[at+2], nodes[at+3] = s.f[i], s.fn[i], s.fx[i], s.fnx[i]
				}
			})
		}
	}
	tables.Wait()
	return nodes
}

// surface is one table on one alpha plane with its slopes, [nc][x].
type surface struct {
	n, x        []float64
	f           []float64
	fn, fx, fnx []float64
	stride      int
	look        []bool // by first corner: whether a cell is to be looked at
}

func newSurface(n, x, f []float64) *surface {
	size := len(n) * len(x)
	s := &surface{n: n, x: x, f: f, fn: make([]float64, size), fx: make([]float64, size), fnx: make([]float64, size),
		stride: len(x)}
	alongX(x, f, s.fx)
	alongN(n, len(x), f, s.fn)
	c1, c2 := make([]float64, size), make([]float64, size)
	alongN(n, len(x), s.fx, c1)
	alongX(x, s.fn, c2)
	for i := range s.fnx {
		s.fnx[i] = (c1[i] + c2[i]) / 2
	}
	return s
}

func alongX(x, f, d []float64) {
	for i := 0; i < len(f); i += len(x) {
		numeric.Steffen(x, f[i:i+len(x)], d[i:i+len(x)])
	}
}

func alongN(n []float64, stride int, f, d []float64) {
	col, slope := make([]float64, len(n)), make([]float64, len(n))
	for j := range stride {
		for i := range n {
			col[i] = f[i*stride+j]
		}
		numeric.Steffen(n, col, slope)
		for i := range n {
			d[i*stride+j] = slope[i]
		}
	}
}

// limit reduces slopes until every cell satisfies the conditions. The first
// sweeps reduce them by a factor; if cells still violate the conditions, further
// sweeps set their slopes to zero. A cell without slopes satisfies the
// conditions, so this ends, or with ctx. A cell is looked at again only after a slope at a corner of it changed.
func (s *surface) limit(ctx context.Context) {
	const gentle = 40
	s.look = slices.Repeat([]bool{true}, len(s.f))
	for k := 0; ctx.Err() == nil; k++ {
		factor := 0.8
		if k >= gentle {
			factor = 0
		}
		clean := true
		for i := 0; i+1 < len(s.n); i++ {
			for j := 0; j+1 < len(s.x); j++ {
				if at := i*s.stride + j; s.look[at] {
					s.look[at] = false
					clean = s.limitCell(i, j, factor) && clean
				}
			}
		}
		if clean {
			return
		}
	}
}

// limitCell reports whether cell (i, j) is good, and reduces its corners' slopes if not.
func (s *surface) limitCell(i, j int, factor float64) bool {
	h, k := s.n[i+1]-s.n[i], s.x[j+1]-s.x[j]
	corner := [2][2]int{{i*s.stride + j, i*s.stride + j + 1}, {(i+1)*s.stride + j, (i+1)*s.stride + j + 1}}
	alongX := direction(s.f[corner[0][1]]-s.f[corner[0][0]], s.f[corner[1][1]]-s.f[corner[1][0]])
	alongN := direction(s.f[corner[1][0]]-s.f[corner[0][0]], s.f[corner[1][1]]-s.f[corner[0][1]])
	for p := range 2 {
		for q := range 2 {
			c := corner[p][q]
			was := s.fnx[c]
			if alongX != 0 {
				s.fnx[c] = clipCross(s.fnx[c], alongX*s.fx[c], 3/h, p, alongX)
			}
			if alongN != 0 {
				s.fnx[c] = clipCross(s.fnx[c], alongN*s.fn[c], 3/k, q, alongN)
			}
			if s.fnx[c] != was {
				s.touch(i+p, j+q)
			}
		}
	}

	b := s.controls(corner, h, k)
	lo, hi := min(b[0][0], b[0][3], b[3][0], b[3][3]), max(b[0][0], b[0][3], b[3][0], b[3][3])
	eps := 1e-13 * max(math.Abs(lo), math.Abs(hi))
	var bad [2][2]bool
	for p := 1; p <= 2; p++ {
		for q := 1; q <= 2; q++ {
			if b[p][q] < lo-eps || b[p][q] > hi+eps {
				bad[p-1][q-1] = true
			}
		}
	}
	for p := 1; p <= 2; p++ {
		if alongX != 0 && (alongX*(b[p][3]-b[p][1]) < -eps || alongX*(b[p][2]-b[p][0]) < -eps) {
			bad[p-1][0], bad[p-1][1] = true, true
		}
		if alongN != 0 && (alongN*(b[3][p]-b[1][p]) < -eps || alongN*(b[2][p]-b[0][p]) < -eps) {
			bad[0][p-1], bad[1][p-1] = true, true
		}
	}
	ok := true
	for p := range 2 {
		for q := range 2 {
			if bad[p][q] {
				c := corner[p][q]
				s.fn[c] *= factor
				s.fx[c] *= factor
				s.fnx[c] *= factor
				s.touch(i+p, j+q)
				ok = false
			}
		}
	}
	return ok
}

// touch marks the cells of which a node is a corner.
func (s *surface) touch(row, col int) {
	for i := max(row-1, 0); i <= row; i++ {
		for j := max(col-1, 0); j <= col; j++ {
			s.look[i*s.stride+j] = true
		}
	}
}

// controls returns the control points of a cell's bicubic in Bezier form.
func (s *surface) controls(corner [2][2]int, h, k float64) (b [4][4]float64) {
	for p := range 2 {
		for q := range 2 {
			c := corner[p][q]
			dn, dx := h/3, k/3
			if p == 1 {
				dn = -dn
			}
			if q == 1 {
				dx = -dx
			}
			p0, q0 := 3*p, 3*q
			p1, q1 := 1+p, 1+q
			b[p0][q0] = s.f[c]
			b[p1][q0] = s.f[c] + dn*s.fn[c]
			b[p0][q1] = s.f[c] + dx*s.fx[c]
			b[p1][q1] = s.f[c] + dn*s.fn[c] + dx*s.fx[c] + dn*dx*s.fnx[c]
		}
	}
	return b
}

// direction returns +1 if a and b are not negative and their sum is positive, -1
// for the opposite signs, and 0 if the signs differ or both are 0.
func direction(a, b float64) float64 {
	switch {
	case a >= 0 && b >= 0 && a+b > 0:
		return 1
	case a <= 0 && b <= 0 && a+b < 0:
		return -1
	}
	return 0
}

// clipCross limits a cross slope. The slope is towards (signed) zero or above at a corner, and must keep its sign at
// the neighbouring control point: slope + dir cross/r >= 0 at a near corner (side 0), slope - dir cross/r >= 0 at a far
// corner.
func clipCross(cross, slope, r float64, side int, dir float64) float64 {
	bound := max(slope, 0) * r
	c := dir * cross
	if side == 0 {
		c = max(c, -bound)
	} else {
		c = min(c, bound)
	}
	return dir * c
}
