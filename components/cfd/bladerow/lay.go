package bladerow

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/components/cfd/blade"
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
