package mesh

import "math"

// Refined returns the mesh with about f times as many cells in each direction and its spacings at walls and edges over
// f. It also returns the possible number of levels, 3 at most: every number of cells is a multiple of 2^(levels-1), and
// at least four times that.
func (m Mesh) Refined(f float64) (Mesh, int) {
	m = m.WithDefaults()
	counts := []*int{&m.Upstream, &m.Blade, &m.Downstream, &m.Pitch, &m.Span}
	least := math.Inf(1)
	for _, n := range counts {
		least = min(least, f*float64(*n))
	}
	levels := 1
	for levels < 3 && least >= float64(int(4)<<levels) {
		levels++
	}
	unit := 1 << (levels - 1)
	for _, n := range counts {
		*n = max(int(math.Round(f*float64(*n)/float64(unit)))*unit, 4*unit)
	}
	for _, n := range []*int{&m.Gap, &m.Closing} {
		*n = max(int(math.Round(f*float64(*n)/float64(unit)))*unit, unit)
	}
	m.Wall, m.Edge = min(m.Wall/f, 0.1), min(m.Edge/f, 0.1)
	return m, levels
}
