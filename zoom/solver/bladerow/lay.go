package bladerow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Lay lays the mesh of a blade row without computing anything, and measures it: a Field
// that has nodes and no flow. It fails with the first cell of no positive volume (a
// GridError), or if the flow path is too short for the mesh.
func Lay(b *blade.Body, set Mesh) (*Field, Quality, error) {
	if err := b.Check(); err != nil {
		return nil, Quality{}, err
	}
	p, err := newPassage(b, set)
	if err != nil {
		return nil, Quality{}, err
	}
	q, err := p.quality()
	if err != nil {
		return nil, Quality{}, fmt.Errorf("blade row %q: %w", b.Name, err)
	}
	return &Field{Grid: p.Grid, Passage: Passage{Row: b.Name, Blades: b.Blades, LE: p.le, TE: p.te}}, q, nil
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

// quality measures the mesh; it fails with the first cell of no positive volume.
func (p *passage) quality() (Quality, error) {
	sh := newShape(p.NI, p.NJ, p.NK)
	m := newMetric(&sh, p.extended(-p.pitch))
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
				o := p.node(i, j, k)
				e := [3]vec{p.node(i+1, j, k).sub(o), p.node(i, j+1, k).sub(o), p.node(i, j, k+1).sub(o)}
				l := [3]float64{e[0].norm(), e[1].norm(), e[2].norm()}
				q.MaxAspect = max(q.MaxAspect, max(l[0], l[1], l[2])/min(l[0], l[1], l[2]))
				for a := range 3 {
					b := (a + 1) % 3
					q.MaxSkew = max(q.MaxSkew, math.Abs(math.Asin(max(-1, min(1, e[a].dot(e[b])/(l[a]*l[b]))))))
				}
			}
		}
	}
	return q, nil
}
