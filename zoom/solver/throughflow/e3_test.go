package throughflow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

// The E3 fan rotor by itself, mass-averaged, at its corrected design speed and
// flow: NASA CR-165148, appendix A.
const (
	e3W   = 643.7
	e3PR  = 1.6342
	e3TR  = 1.1646
	e3Eff = 0.917
)

// The goals that the solver was built to, and the figures that it is quoted with
// (go test ./zoom/solver/throughflow -run TestE3 -v).
func TestE3Uncalibrated(t *testing.T) {
	var effs, prs []float64
	for n, f := range marchtest.Meshes(t, 1, 2, 4) {
		set := Settings{NZ: 40 * f, NR: 12 * f, Levels: min(n+2, 3)}
		c := e3Case(t)
		c.Settings = set
		var r *Result
		if n == 1 {
			_, r = fineDesign(t)
		} else {
			_, r = run(t, c)
		}
		t.Logf("%3d x %2d: W %.2f kg/s, PR %.4f (published %.4f), TR %.4f (%.4f), eff %.4f (%.3f); %d iterations, "+
			"mass error %.1e, energy error %.1e",
			set.NZ, set.NR, r.W, r.PR, e3PR, r.TR, e3TR, r.Eff, e3Eff, r.Iterations, r.MassError, r.EnergyError)
		effs, prs = append(effs, r.Eff), append(prs, r.PR)
		must.Within(t, "mass error", r.MassError, 0, 1e-3)
		if set.NZ >= 80 && (math.Abs(r.PR/e3PR-1) > 0.06 || math.Abs(r.Eff-e3Eff) > 0.03) {
			t.Errorf("PR %.4f, eff %.4f: want within 6 %% of %g and 0.03 of %g", r.PR, r.Eff, e3PR, e3Eff)
		}
	}
	if len(effs) == 3 {
		t.Logf("mesh-independent (second order): PR %.4f, eff %.4f", prs[2]+(prs[2]-prs[1])/3,
			effs[2]+(effs[2]-effs[1])/3)
		if a, b := math.Abs(effs[1]-effs[0]), math.Abs(effs[2]-effs[1]); b > a/2 {
			t.Errorf("efficiency moves by %.2g and %.2g from mesh to mesh", a, b)
		}
	}
}

// With deviation and loss calibrated to the pressure ratio and the efficiency of the one published point, the line
// chokes 1 to 8 % above design flow and its efficiency peaks within 4 % of it.
func TestE3Calibrated(t *testing.T) {
	testenv.Long(t, "some fifteen solver runs")
	c := e3Case(t)
	c.Settings.Calibration = Calibration{Deviation: 1.626 * degree, Loss: -0.2679}
	if _, r := run(t, c); math.Abs(r.PR/e3PR-1) > 1e-3 || math.Abs(r.Eff-e3Eff) > 1e-3 {
		t.Errorf("at the published point PR %.5f, eff %.5f, want %g and %g: calibrate it anew", r.PR, r.Eff, e3PR,
			e3Eff)
	}
	design := must.Value(c.DesignThrottle(e3W, e3PR, e3TR))(t)
	c.Exit = march.Exit{}
	choke, peak, at := 0.0, 0.0, 0.0
	for _, f := range []float64{0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5} {
		c.Exit.K = f * design
		_, r := run(t, c)
		t.Logf("K/K_design %.2f: W %.2f kg/s, PR %.4f, TR %.4f, eff %.4f, exit Ps %.0f Pa, choked %v", f, r.W, r.PR,
			r.TR, r.Eff, r.Ps, r.Choked)
		choke = max(choke, r.W)
		if r.Eff > peak {
			peak, at = r.Eff, r.W
		}
	}
	t.Logf("chokes at %.2f kg/s, %+.1f %% of design; efficiency peaks at %.4f, %.2f kg/s, %+.1f %%", choke,
		100*(choke/e3W-1), peak, at, 100*(at/e3W-1))
	if over := choke/e3W - 1; over < 0.01 || over > 0.08 {
		t.Errorf("chokes %.1f %% above design flow, want 1 to 8", 100*over)
	}
	must.Near(t, "flow of the best efficiency", at, e3W, 0.04)
}

// How the answer moves with the hub radius behind the rotor, which is assumed.
func TestE3ExitHubRadius(t *testing.T) {
	testenv.Long(t, "a study of the E3 rotor")
	for _, exit := range []float64{0.445, 0.455, 0.465, 0.475, 0.485} {
		c := e3Case(t)
		z, r := c.Geometry.Hub.Points()
		for k := range z {
			if z[k] > 0.1 {
				r[k] = exit
			}
		}
		hub := must.Value(blade.NewCurve(z, r))(t)
		g := *c.Geometry
		g.Hub = hub
		c.Geometry = &g
		_, res := run(t, c)
		t.Logf("exit hub radius %.3f m: PR %.4f, TR %.4f, eff %.4f", exit, res.PR, res.TR, res.Eff)
	}
}
