package throughflow

import (
	"testing"

	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// A field gives back the cells' values at their middles, what lies between by linear
// interpolation, and the outermost values beyond.
func TestField(t *testing.T) {
	const nz, nr = 6, 4
	f := &Field{nz: nz, nr: nr, ps: 9e4}
	linear := func(z, h float64) march.FlowState {
		return march.FlowState{Rho: 1 + z, Vz: 100 + 10*h, Vr: z - h, Vtheta: 5 * h, Ps: 1e5 * (1 + 0.1*z + 0.2*h)}
	}
	z := func(i int) float64 { return 0.1 * float64(i*i) } // uneven
	for j := range nr {
		for i := range nz {
			f.z = append(f.z, z(i))
			f.at = append(f.at, linear(z(i), (float64(j)+0.5)/nr))
		}
	}
	same := func(z, h float64, want march.FlowState) {
		t.Helper()
		got := f.At(z, h)
		for _, v := range [][2]float64{{got.Rho, want.Rho}, {got.Vz, want.Vz}, {got.Vr, want.Vr},
			{got.Vtheta, want.Vtheta}, {got.Ps, want.Ps}} {
			if d := v[0] - v[1]; d > 1e-9*(1+v[1]) || d < -1e-9*(1+v[1]) {
				t.Errorf("at z %g, height %g: %+v, want %+v", z, h, got, want)
				return
			}
		}
	}
	for _, p := range [][2]float64{{0, 0.125}, {0.1, 0.375}, {0.77, 0.5}, {2.5, 0.875}, {1.9, 0.6}} {
		same(p[0], p[1], linear(p[0], p[1]))
	}
	same(-3, 0.5, linear(0, 0.5))
	same(30, 0.5, linear(2.5, 0.5))
	same(1, 0, linear(1, 0.125))
	same(1, 1, linear(1, 0.875))
	if f.ExitPs() != 9e4 {
		t.Error(f.ExitPs())
	}
}
