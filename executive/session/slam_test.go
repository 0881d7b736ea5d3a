package session

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// slamEngine is the simple turbojet of pyCycle's examples with a shaft of
// 100 kg m2, its fuel stepped up for 20 s and back for another 20 s.
const slamEngine = `
engine: Simple turbojet
gas: {model: equilibrium, convention: pycycle, fuel: {name: Jet-A, enthalpy: 0 J/kg}}
components:
  fc: {type: ambient, altitude: 0 ft, mach: 1e-6}
  inlet: {type: inlet, MN: 0.6}
  comp: {type: compressor, PR: 13.5, eff: 83 %%, MN: 0.02, map: %[1]s/AXI5.json, map_Nc: 1, map_x: 2, map_alpha: 0}
  burner: {type: burner, dPqP: 3 %%, MN: 0.02}
  turb: {type: turbine, eff: 86 %%, MN: 0.4, map: %[1]s/LPT2269.json, map_Nc: 100, map_x: 6, map_alpha: 1}
  nozz: {type: nozzle, kind: sonic-throat, Cv: 0.99}
flow:
  - fc -> inlet -> comp -> burner -> turb -> nozz
shafts:
  shaft: {N: 8070 rpm, inertia: 100 kg m2, drives: [comp], driven_by: [turb]}
design:
  - {vary: fc.W, until: performance.Fn = 11800 lbf}
  - {vary: burner.FAR, until: burner.out.Tt = 2370 degR}
cases:
  low: {solve: [{vary: burner.FAR, until: burner.Wf = 1.45 lbm/s}]}
  slam:
    kind: transient
    from: low
    duration: 40 s
    schedule: {burner.Wf: [[0 s, 2.378 lbm/s], [20 s, 2.378 lbm/s], [20 s, 1.45 lbm/s]]}
    integrator: %[2]s
    rtol: %[3]g
    atol: 1e-6 rpm
  dash: {kind: transient, from: low, duration: 12 s, schedule: {burner.Wf: 2.378 lbm/s}, integrator: %[2]s, rtol: %[3]g}
`

func slamSession(t testing.TB, method string, rtol float64) *Session {
	t.Helper()
	maps := filepath.Join(filepath.Dir(testenv.Reference(t, "README.md")), "maps")
	return parsedSession(t, fmt.Sprintf(slamEngine, maps, method, rtol))
}

func solveOne(t testing.TB, s *Session, name string) *result.Result {
	t.Helper()
	r := must.Value(s.Solve(context.Background(), []string{name}, 1))(t)
	if !r[0].Converged {
		t.Fatalf("%s: %s", name, r[0].Message)
	}
	return r[0]
}

// All integrators agree at a tight tolerance, and with the speeds that the engine
// is known to have.
func TestSlam(t *testing.T) {
	var first [2]float64
	for i, method := range methods(t) {
		t.Run(method, func(t *testing.T) {
			r := solveOne(t, slamSession(t, method, 1e-7), "slam")
			i20 := 0
			for r.History.T[i20] < 20 {
				i20++
			}
			n := [2]float64{r.History.Column("shafts.shaft.N")[i20], r.Shafts["shaft"]["N"]}
			t.Logf("%.4f %.4f rpm, %+v", n[0], n[1], r.Solver)
			if i == 0 {
				first = n
			}
			for k, want := range [2]float64{7921.7, 7282.0} {
				must.Near(t, "N", n[k], want, 2e-4)
				must.Near(t, "N", n[k], first[k], 1e-6)
			}
		})
	}
}
