package bladerow

import (
	"math"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The E3 fan rotor by itself at corrected design speed (NASA CR-165148, appendix A) on
// 46,080 cells: its design intent, and here without the part-span shroud, so that this
// compares and validates nothing but that the rotor passes its design flow. It runs
// where PEREGRINE_VERIFY is set.
func TestE3FanRotor(t *testing.T) {
	if os.Getenv("PEREGRINE_VERIFY") == "" {
		testenv.OnlyManual(t, "PEREGRINE_VERIFY")
	}
	const designW, designPR, designEff = 643.7, 1.6342, 0.917
	g := e3Fan(t)
	row := g.Rows[0]
	body := must.Value(g.Solid(row, blade.SolidSections, blade.SolidPoints))(t)
	c := Case{Body: body, Gas: air, N: 3727.7, Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		Settings: Settings{Workers: 2}}
	choke, best := 0.0, math.Inf(1)
	var from *Solution
	for _, ps := range []float64{100e3, 108e3, 114e3, 119e3, 123e3} {
		c.Exit = march.Exit{Ps: ps}
		s := solver(t, c)
		if from != nil {
			must.OK(t, s.StartFrom(from))
		}
		r := run(t, s)
		t.Logf("Ps %.0f Pa: %s after %d iterations: W %.2f kg/s, PR %.4f, eff %.4f; mass error %.0e, energy "+
			"error %.0e", ps, r.Status, r.Iterations, r.W, r.PR, r.Eff, r.MassError, r.EnergyError)
		if r.Status != march.Converged {
			break
		}
		balances(t, r)
		choke, best = max(choke, r.W), min(best, math.Abs(r.W-designW))
		from = s.Solution()
	}
	t.Logf("design intent: %.1f kg/s, PR %.4f, eff %.3f", designW, designPR, designEff)
	if choke <= designW {
		t.Errorf("choking flow %.1f kg/s; the design flow is %.1f", choke, designW)
	}
}
