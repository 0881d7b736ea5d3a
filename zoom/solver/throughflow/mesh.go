package throughflow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// mesh is a structured mesh in the meridional plane: nz cells along the flow, nr
// from hub to casing. Node (i,j) has index i*(nr+1)+j, cell (i,j) i*nr+j. All
// areas and volumes are per radian and carry the blades' blockage b, the share
// of the circumference that is free of metal.
type mesh struct {
	nz, nr int
	z, r   []float64 // nodes, m
	b      []float64 // nodes

	// Face areas: i-faces between nodes (i,j) and (i,j+1), index i*nr+j,
	// normal downstream; j-faces between (i,j) and (i+1,j), index
	// i*(nr+1)+j, normal towards the casing. m2/rad.
	siz, sir, sjz, sjr []float64

	// Cells: volume m3/rad; closure of the face areas, which carries the pressure's share of the axisymmetric and the
	// blockage source; centre.
	vol, cz, cr []float64
	zc, rc      []float64

	// Mean face of a cell along i and along j: unit normal and area.
	inz, inr, ia []float64
	jnz, jnr, ja []float64

	lines *axial // where the node lines came from
	rows  []span // cells of each blade row, in flow order
}

// span is the range of i-cells [lo, hi) that a blade row fills: its leading edge
// is node line lo, its trailing edge node line hi.
type span struct {
	row    *blade.Row
	number int // from 0, in flow order
	lo, hi int
}

// newMesh lays node lines on the leading and trailing edges of every row and stretches the lines between them smoothly.
// Across the flow the nodes divide the height evenly.
func newMesh(g *blade.Geometry, nz, nr, unit int) *mesh {
	lines := layout(g, nz, unit)
	m := &mesh{nz: nz, nr: nr, lines: lines}
	m.z = make([]float64, (nz+1)*(nr+1))
	m.r = make([]float64, len(m.z))
	m.b = make([]float64, len(m.z))
	for i := range nz + 1 {
		for j := range nr + 1 {
			k := i*(nr+1) + j
			m.z[k], m.r[k] = lines.node(g, i, float64(j)/float64(nr))
			m.b[k] = 1
		}
	}
	for n, row := range g.Rows {
		s := span{row, n, lines.edges[2*n+1], lines.edges[2*n+2]}
		m.rows = append(m.rows, s)
		for i := s.lo + 1; i < s.hi; i++ {
			for j := range nr + 1 {
				k := i*(nr+1) + j
				t := row.At(m.z[k], m.r[k]).Thickness
				m.b[k] = max(1-float64(row.Blades)*t/(2*math.Pi*m.r[k]), 0.05)
			}
		}
	}
	m.metrics()
	return m
}

// coarse returns the mesh of every second node.
func (m *mesh) coarse() *mesh {
	c := &mesh{nz: m.nz / 2, nr: m.nr / 2, lines: m.lines}
	for i := 0; i <= m.nz; i += 2 {
		for j := 0; j <= m.nr; j += 2 {
			k := i*(m.nr+1) + j
			c.z, c.r, c.b = append(c.z, m.z[k]), append(c.r, m.r[k]), append(c.b, m.b[k])
		}
	}
	for _, s := range m.rows {
		c.rows = append(c.rows, span{s.row, s.number, s.lo / 2, s.hi / 2})
	}
	c.metrics()
	return c
}

func (m *mesh) metrics() {
	nz, nr := m.nz, m.nr
	m.siz, m.sir = make([]float64, (nz+1)*nr), make([]float64, (nz+1)*nr)
	m.sjz, m.sjr = make([]float64, nz*(nr+1)), make([]float64, nz*(nr+1))
	for _, p := range []*[]float64{&m.vol, &m.cz, &m.cr, &m.zc, &m.rc, &m.inz, &m.inr, &m.ia, &m.jnz, &m.jnr, &m.ja} {
		*p = make([]float64, nz*nr)
	}
	node := func(i, j int) int { return i*(nr+1) + j }
	for i := range nz + 1 {
		for j := range nr {
			m.siz[i*nr+j], m.sir[i*nr+j] = m.face(node(i, j), node(i, j+1))
		}
	}
	for i := range nz {
		for j := range nr + 1 {
			z, r := m.face(node(i, j), node(i+1, j))
			m.sjz[i*(nr+1)+j], m.sjr[i*(nr+1)+j] = -z, -r
		}
	}
	for i := range nz {
		for j := range nr {
			k := i*nr + j
			m.cz[k] = m.siz[k+nr] - m.siz[k] + m.sjz[node(i, j)+1] - m.sjz[node(i, j)]
			m.cr[k] = m.sir[k+nr] - m.sir[k] + m.sjr[node(i, j)+1] - m.sjr[node(i, j)]
			m.cell(k, node(i, j), node(i+1, j), node(i+1, j+1), node(i, j+1))
			m.inz[k], m.inr[k], m.ia[k] = unit(m.siz[k]+m.siz[k+nr], m.sir[k]+m.sir[k+nr])
			n := node(i, j)
			m.jnz[k], m.jnr[k], m.ja[k] = unit(m.sjz[n]+m.sjz[n+1], m.sjr[n]+m.sjr[n+1])
		}
	}
}

// unit returns the direction of a vector and half its length.
func unit(z, r float64) (nz, nr, half float64) {
	l := math.Hypot(z, r)
	return z / l, r / l, l / 2
}

// face returns the area vector of the straight face from node a to node b, with
// its normal to the right of a->b when z points right and r up.
func (m *mesh) face(a, b int) (sz, sr float64) {
	w := (m.r[a] + m.r[b]) / 2 * (m.b[a] + m.b[b]) / 2
	return w * (m.r[b] - m.r[a]), -w * (m.z[b] - m.z[a])
}

// cell sets volume and centre of the quadrilateral n0 n1 n2 n3.
func (m *mesh) cell(k, n0, n1, n2, n3 int) {
	area := ((m.z[n2]-m.z[n0])*(m.r[n3]-m.r[n1]) - (m.z[n3]-m.z[n1])*(m.r[n2]-m.r[n0])) / 2
	m.zc[k] = (m.z[n0] + m.z[n1] + m.z[n2] + m.z[n3]) / 4
	m.rc[k] = (m.r[n0] + m.r[n1] + m.r[n2] + m.r[n3]) / 4
	m.vol[k] = area * m.rc[k] * (m.b[n0] + m.b[n1] + m.b[n2] + m.b[n3]) / 4
}

// axial is the layout of the node lines: blocks between edges, each with its
// own distribution.
type axial struct {
	edges  []int       // node line of inlet, LE, TE, LE, TE, ..., exit
	place  [][]float64 // per block, fractions 0..1 of its node lines
	g      *blade.Geometry
	z0, z1 float64
}

// layout shares nz cells among the blocks in multiples of unit. Outside the rows
// the cells grow geometrically away from them.
func layout(g *blade.Geometry, nz, unit int) *axial {
	a := &axial{g: g}
	a.z0, a.z1 = g.Ends()
	blocks := 2*len(g.Rows) + 1
	cells := make([]int, blocks)
	left := nz
	if blocks == 1 {
		cells[0] = nz
	} else {
		// 30 % of the cells lie in the rows, the others by turns outside.
		inRows := max(nz*3/10/len(g.Rows)/unit, 2) * unit
		for n := range g.Rows {
			cells[2*n+1] = inRows
			left -= inRows
		}
		gaps := len(g.Rows) + 1
		for n := 0; n < blocks; n += 2 {
			c := left / gaps / unit * unit
			cells[n], left, gaps = c, left-c, gaps-1
		}
	}
	a.edges = []int{0}
	for n, c := range cells {
		a.edges = append(a.edges, a.edges[n]+c)
	}
	a.place = make([][]float64, blocks)
	for n, c := range cells {
		a.place[n] = a.fractions(n, c)
	}
	return a
}

// fractions distributes the c cells of block n. A block that ends at a row starts there with the row's own spacing, if
// it is long enough to grow from it.
func (a *axial) fractions(n, c int) []float64 {
	f := make([]float64, c+1)
	for k := range f {
		f[k] = float64(k) / float64(c)
	}
	rows := len(a.g.Rows)
	if rows == 0 || n%2 == 1 || n != 0 && n != 2*rows {
		return f
	}
	near, length := a.g.Rows[0], 0.0
	if n == 0 {
		r := a.middle(near)
		length = near.Edge(true, r) - a.z0
	} else {
		near = a.g.Rows[rows-1]
		length = a.z1 - near.Edge(false, a.middle(near))
	}
	r := a.middle(near)
	d := (near.Edge(false, r) - near.Edge(true, r)) / float64(a.edges[2]-a.edges[1])
	growth := ratio(d/length, c)
	s := 0.0
	for k := range c {
		f[k+1] = s + math.Pow(growth, float64(k))
		s = f[k+1]
	}
	for k := range f {
		f[k] /= s
	}
	if n == 0 {
		for k := range c/2 + 1 {
			f[k], f[c-k] = 1-f[c-k], 1-f[k]
		}
	}
	return f
}

func (a *axial) middle(row *blade.Row) float64 {
	return (a.g.Hub.At(row.StackZ) + a.g.Casing.At(row.StackZ)) / 2
}

// ratio solves first (q^n - 1)/(q - 1) = 1 for the growth q, 1 to 1.3.
func ratio(first float64, n int) float64 {
	lo, hi := 1.0, 1.3
	for range 60 {
		q := (lo + hi) / 2
		sum, t := 0.0, first
		for range n {
			sum, t = sum+t, t*q
		}
		if sum < 1 {
			lo = q
		} else {
			hi = q
		}
	}
	return (lo + hi) / 2
}

// node returns the node on line i at the fraction eta of the height.
func (a *axial) node(g *blade.Geometry, i int, eta float64) (z, r float64) {
	n := 0
	for n < len(a.place)-1 && i > a.edges[n+1] {
		n++
	}
	f := a.place[n][i-a.edges[n]]
	z = (1-f)*a.edge(n, eta) + f*a.edge(n+1, eta)
	return z, a.radius(z, eta)
}

// edge returns the axial place of the e-th block boundary at the fraction eta of the height there.
func (a *axial) edge(e int, eta float64) float64 {
	switch e {
	case 0:
		return a.z0
	case 2*len(a.g.Rows) + 1:
		return a.z1
	}
	row, leading := a.g.Rows[(e-1)/2], e%2 == 1
	z := row.StackZ
	for range 30 {
		next := row.Edge(leading, a.radius(z, eta))
		if math.Abs(next-z) < 1e-13 {
			break
		}
		z = next
	}
	return z
}

func (a *axial) radius(z, eta float64) float64 {
	hub := a.g.Hub.At(z)
	return hub + eta*(a.g.Casing.At(z)-hub)
}

// check reports a cell without volume: walls too crooked for so many cells.
func (m *mesh) check() error {
	for i := range m.nz {
		for j := range m.nr {
			if k := i*m.nr + j; !(m.vol[k] > 0) {
				return fmt.Errorf(
					"mesh cell (%d, %d) at z = %.4g m, r = %.4g m has no volume: smooth the walls or change NZ and NR",
					i, j, m.zc[k], m.rc[k])
			}
		}
	}
	return nil
}
