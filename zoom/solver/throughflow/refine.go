package throughflow

import "math"

// Refined returns the settings of a case of so many rows with about f times as many cells in each direction. It also
// reduces the number of meshes of the start to the number that the cells allow.
func (s Settings) Refined(rows int, f float64) Settings {
	s = s.withDefaults(rows)
	if f == 1 {
		return s
	}
	nz, nr := f*float64(s.NZ), f*float64(s.NR)
	unit := func() float64 { return math.Exp2(float64(s.Levels - 1)) }
	for s.Levels > 1 && (nz < leastNZ(rows)*unit() || nr < leastNR*unit()) {
		s.Levels--
	}
	s.NZ = int(math.Round(nz/unit()) * unit())
	s.NR = int(math.Round(nr/unit()) * unit())
	return s
}

// leastNZ and leastNR return the least numbers of cells of the coarsest mesh of the start.
func leastNZ(rows int) float64 { return 8 * (1 + float64(rows)) }

const leastNR = 4
