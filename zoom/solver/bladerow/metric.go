package bladerow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// shape is the common numbering of all arrays of a block: two rings of ghost cells, i fastest, so that every array is
// one contiguous piece of memory and a line of cells along i is a slice.
type shape struct {
	n      [3]int // cells
	stride [3]int
	size   int
}

const ghosts = 2

func newShape(ni, nj, nk int) shape {
	s := shape{n: [3]int{ni, nj, nk}}
	s.stride = [3]int{1, ni + 2*ghosts, (ni + 2*ghosts) * (nj + 2*ghosts)}
	s.size = s.stride[2] * (nk + 2*ghosts)
	return s
}

// at returns the index of cell (i,j,k). A face has the index of the cell on its
// upper side.
func (s *shape) at(i, j, k int) int {
	return (k+ghosts)*s.stride[2] + (j+ghosts)*s.stride[1] + i + ghosts
}

// metric holds the geometry of a block's cells and faces. Faces are bilinear
// patches; with the integrals below exact, the faces of every cell close and the
// flux of the frame's motion through them sums to zero, to round-off.
type metric struct {
	s   [3][3][]float64 // area vector of the faces of each direction, pointing up the index, m2
	g   [3][]float64    // integral of (ez x r).dS over the face, m3: flux of the frame's motion at 1 rad/s
	vol []float64       // m3
}

// newMetric computes the metric of a grid and of one ring of ghost cells, with nodes from the function node.
func newMetric(sh *shape, node func(i, j, k int) mesh.Vec) *metric {
	m := &metric{vol: apart[float64](sh.size, 0)}
	for d := range 3 {
		for c := range 3 {
			m.s[d][c] = apart[float64](sh.size, 1+4*d+c)
		}
		m.g[d] = apart[float64](sh.size, 4+4*d)
	}
	var cone [3][]float64
	for d := range 3 {
		cone[d] = make([]float64, sh.size)
	}
	for k := -1; k <= sh.n[2]+1; k++ {
		for j := -1; j <= sh.n[1]+1; j++ {
			for i := -1; i <= sh.n[0]+1; i++ {
				m.faces(sh, node, i, j, k, &cone)
			}
		}
	}
	for k := -1; k <= sh.n[2]; k++ {
		for j := -1; j <= sh.n[1]; j++ {
			for i := -1; i <= sh.n[0]; i++ {
				c := sh.at(i, j, k)
				v := 0.0
				for d := range 3 {
					v += cone[d][c+sh.stride[d]] - cone[d][c]
				}
				m.vol[c] = v / 3
			}
		}
	}
	return m
}

// faces sets the three faces whose lowest node is (i,j,k).
func (m *metric) faces(sh *shape, node func(i, j, k int) mesh.Vec, i, j, k int, cone *[3][]float64) {
	c := sh.at(i, j, k)
	o := [3]int{i, j, k}
	for d := range 3 {
		a, b := (d+1)%3, (d+2)%3
		if o[a] > sh.n[a] || o[b] > sh.n[b] {
			continue
		}
		var u, w, uw [3]int = o, o, o
		u[a]++
		w[b]++
		uw[a]++
		uw[b]++
		p := patchIntegrals(node(i, j, k), node(u[0], u[1], u[2]), node(uw[0], uw[1], uw[2]), node(w[0], w[1], w[2]))
		for x := range 3 {
			m.s[d][x][c] = p.area[x]
		}
		m.g[d][c], cone[d][c] = p.spin, p.cone
	}
}

type integrals struct {
	area       mesh.Vec // of dS
	spin, cone float64  // of (ez x r).dS and r.dS
}

// patchIntegrals integrates over the bilinear patch p00 p10 p11 p01. The integrands are of second degree in either
// parameter, for which two Gauss points a direction are exact.
func patchIntegrals(p00, p10, p11, p01 mesh.Vec) integrals {
	var out integrals
	for _, u := range [2]float64{0.5 - 0.5/math.Sqrt(3), 0.5 + 0.5/math.Sqrt(3)} {
		for _, v := range [2]float64{0.5 - 0.5/math.Sqrt(3), 0.5 + 0.5/math.Sqrt(3)} {
			r := p00.Times((1 - u) * (1 - v)).Add(p10.Times(u * (1 - v))).Add(p11.Times(u * v)).Add(
				p01.Times((1 - u) * v))
			ru := p10.Sub(p00).Times(1 - v).Add(p11.Sub(p01).Times(v))
			rv := p01.Sub(p00).Times(1 - u).Add(p11.Sub(p10).Times(u))
			ds := ru.Cross(rv).Times(0.25)
			out.area = out.area.Add(ds)
			out.cone += r.Dot(ds)
			out.spin += r[0]*ds[1] - r[1]*ds[0]
		}
	}
	return out
}

// check reports the first cell without positive volume.
func (m *metric) check(sh *shape) error {
	for k := range sh.n[2] {
		for j := range sh.n[1] {
			for i := range sh.n[0] {
				if v := m.vol[sh.at(i, j, k)]; !(v > 0) || math.IsInf(v, 0) {
					return &GridError{i, j, k, fmt.Errorf("volume %.3g m3; want more than 0", v)}
				}
			}
		}
	}
	return nil
}

// GridError is a fault of a block, found before anything is computed.
type GridError struct {
	I, J, K int // cell
	Err     error
}

func (e *GridError) Error() string {
	return fmt.Sprintf("bladerow: grid cell (%d, %d, %d): %v", e.I, e.J, e.K, e.Err)
}

func (e *GridError) Unwrap() error { return e.Err }
