package bladerow

// The flow of a solver, as fields and files.

import (
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// Fields returns the flow on the mesh that is marched, a Field a row. A node's state is
// the mean of the cells around it, ghost cells included: on a boundary that is the state
// on it, and both periodic sides agree.
func (s *Solver) Fields() []*field.Field {
	var out []*field.Field
	for n, r := range s.c.rows() {
		l := s.rows[n][s.at]
		f := &field.Field{Grid: l.grid.Grid, Passage: field.Passage{
			Row: r.Body.Name, Blades: r.Body.Blades, N: r.N, Gamma: s.c.Gas.Gamma, R: s.c.Gas.R,
			Pt: l.ref.p, Tt: l.ref.t, LE: l.grid.LE, TE: l.grid.TE,
		}}
		scales := [5]float64{l.ref.rho, l.ref.v, l.ref.v, l.ref.v, l.ref.p}
		for v, to := range []*[]float64{&f.Rho, &f.Vx, &f.Vy, &f.Vz, &f.Ps} {
			*to = l.atNodes(l.q[v], scales[v])
		}
		out = append(out, f)
	}
	return out
}

// atNodes returns the mean of the eight cells around each node, times scale.
func (l *level) atNodes(cell []float64, scale float64) []float64 {
	g := l.grid
	out := make([]float64, len(g.X))
	j, k := l.stride[1], l.stride[2]
	for c := range out {
		n := c % (g.NI + 1)
		m := c / (g.NI + 1)
		a := l.at(n, m%(g.NJ+1), m/(g.NJ+1))
		sum := cell[a] + cell[a-1] + cell[a-j] + cell[a-1-j] + cell[a-k] + cell[a-1-k] + cell[a-j-k] + cell[a-1-j-k]
		out[c] = 0.125 * scale * sum
	}
	return out
}

// WriteGrid writes the grid of the mesh that the flow is on.
func (s *Solver) WriteGrid(w io.Writer) error { return field.WriteGrid(w, s.Fields()) }

// WriteFlow writes the flow on it.
func (s *Solver) WriteFlow(w io.Writer) error { return field.WriteFlow(w, s.Fields()) }

// Lay lays the mesh of a blade row without computing anything, and measures it: a Field
// that has nodes and no flow. It fails with the first cell of no positive volume (a
// GridError), or if the flow path is too short for the mesh.
func Lay(b *blade.Body, set mesh.Mesh) (*field.Field, Quality, error) {
	if err := b.Check(); err != nil {
		return nil, Quality{}, err
	}
	p, err := mesh.NewPassage(b, set)
	if err != nil {
		return nil, Quality{}, err
	}
	q, err := qualityOf(p)
	if err != nil {
		return nil, Quality{}, fmt.Errorf("blade row %q: %w", b.Name, err)
	}
	return &field.Field{Grid: p.Grid, Passage: field.Passage{Row: b.Name, Blades: b.Blades, LE: p.LE, TE: p.TE}}, q, nil
}

// Quality describes a mesh.
type Quality struct {
	Cells     int
	MinVolume float64 // m3
	// largest angle by which the corners between i- and j-lines, or k-lines and others, are off 90 deg, rad
	MaxSkew   float64
	MaxAspect float64 // longest over shortest edge of a cell
	MaxGrowth float64 // largest ratio of volumes of neighbouring cells
}

// qualityOf measures the mesh; it fails with the first cell of no positive volume.
func qualityOf(p *mesh.Passage) (Quality, error) {
	sh := newShape(p.NI, p.NJ, p.NK)
	m := newMetric(&sh, p.Extended(-p.Pitch))
	if err := m.check(&sh); err != nil {
		return Quality{}, err
	}
	q := Quality{Cells: p.NI * p.NJ * p.NK, MinVolume: math.Inf(1)}
	for k := range p.NK {
		for j := range p.NJ {
			for i := range p.NI {
				c := sh.at(i, j, k)
				q.MinVolume = min(q.MinVolume, m.vol[c])
				for d, n := range [3]int{i, j, k} {
					if n > 0 {
						r := m.vol[c] / m.vol[c-sh.stride[d]]
						q.MaxGrowth = max(q.MaxGrowth, r, 1/r)
					}
				}
				o := p.Vertex(i, j, k)
				e := [3]mesh.Vec{p.Vertex(i+1, j, k).Sub(o), p.Vertex(i, j+1, k).Sub(o), p.Vertex(i, j, k+1).Sub(o)}
				l := [3]float64{e[0].Norm(), e[1].Norm(), e[2].Norm()}
				q.MaxAspect = max(q.MaxAspect, max(l[0], l[1], l[2])/min(l[0], l[1], l[2]))
				for a := range 3 {
					b := (a + 1) % 3
					q.MaxSkew = max(q.MaxSkew, math.Abs(math.Asin(max(-1, min(1, e[a].Dot(e[b])/(l[a]*l[b]))))))
				}
			}
		}
	}
	return q, nil
}
