package throughflow

import (
	"math"
	"os"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
)

const e3File = "../../../config/examples/geometry/e3-fan.yaml"

// e3Case is the E3 fan rotor at its corrected design speed and flow (NASA
// CR-165148, appendix A).
func e3Case(t testing.TB) Case {
	t.Helper()
	text := must.Value(os.ReadFile(e3File))(t)
	g := must.Value(blade.Parse(text))(t)
	return Case{
		Geometry: g, Gas: air, N: 3727.7,
		Inlet: march.Inlet{Pt: []float64{101325}, Tt: []float64{288.15}},
		Exit:  march.Exit{W: 643.7},
	}
}

// coarse makes runs short where the mesh does not matter.
var coarse = Settings{NZ: 32, NR: 8, Levels: 2}

// coarseE3 is the E3's fan on the coarse mesh.
func coarseE3(t testing.TB) Case {
	t.Helper()
	c := e3Case(t)
	c.Settings = coarse
	return c
}

// shared is a run that is made once for all tests, which must not change it.
type shared struct {
	sync.Once
	s *Solver
	r *Result
}

func (x *shared) run(t testing.TB, c Case) (*Solver, *Result) {
	t.Helper()
	x.Do(func() { x.s, x.r = run(t, c) })
	if x.r == nil {
		t.Fatal("the shared run has no flow")
	}
	return x.s, x.r
}

var coarseRun, fineRun shared

// atDesign is the run of coarseE3.
func atDesign(t testing.TB) (*Solver, *Result) { return coarseRun.run(t, coarseE3(t)) }

// fineDesign is the run of e3Case, on the default mesh.
func fineDesign(t testing.TB) (*Solver, *Result) { return fineRun.run(t, e3Case(t)) }

// What the rotor's force does to the flow is what the shaft gives.
func TestShaftPower(t *testing.T) {
	_, r := atDesign(t)
	if math.Abs(r.EnergyError) > 1e-3 || math.Abs(r.MassError) > 1e-3 {
		t.Errorf("energy error %.2g, mass error %.2g", r.EnergyError, r.MassError)
	}
	dH := r.W * air.Cp() * (r.TR - 1) * 288.15
	must.Near(t, "power", r.Power, dH, 1e-3)
}

// Without loss the entropy, and with or without it the rothalpy, of a uniform
// inlet flow is uniform everywhere; what is not is the scheme's error.
func TestLosslessRotor(t *testing.T) {
	for _, mesh := range []struct {
		set               Settings
		entropy, rothalpy float64 // tolerances over cp, over cp Tt
	}{
		{Settings{NZ: 40, NR: 12, Levels: 2}, 4e-3, 3e-3},
		{Settings{NZ: 80, NR: 24}, 2e-3, 1.5e-3},
	}[:len(marchtest.Meshes(t, 1, 2))] {
		c := e3Case(t)
		c.Settings = mesh.set
		c.Settings.Calibration.Loss = -1
		c.Exit.W = 620
		s, r := run(t, c)
		l := s.levels[len(s.levels)-1]
		omega := c.N * math.Pi / 30
		worst := 0.0
		for i := range l.m.nz {
			for j := range l.m.nr {
				k := l.u.at(i, j)
				h := l.u.h[k]/l.u.ro[k] - omega*l.u.vt[k]
				worst = max(worst, math.Abs(h/(air.Cp()*288.15)-1))
			}
		}
		mean := 0.0
		for j, w := range r.Exit.DW {
			ds := math.Log(r.Exit.TtCell[j]/288.15) - math.Log(r.Exit.PtCell[j]/101325)/3.5
			mean += w * ds / r.Exit.W
		}
		entropy := math.Abs(mean)
		t.Logf("%dx%d: rothalpy off by %.2g of cp Tt, exit entropy by %.2g of cp, eff %.4f", mesh.set.NZ, mesh.set.NR,
			worst, entropy, r.Eff)
		if worst > mesh.rothalpy || entropy > mesh.entropy {
			t.Errorf("rothalpy off by %.2g, entropy by %.2g", worst, entropy)
		}
	}
}

// A rotor with loss gains the entropy that its loss coefficients say.
func TestEntropyRiseIsTheLoss(t *testing.T) {
	s, r := fineDesign(t)
	row := s.levels[len(s.levels)-1].rows[0]
	want, got := 0.0, 0.0
	for j, w := range r.Exit.DW {
		want += w * row.ds[j] / r.Exit.W
		got += w * (air.Cp()*math.Log(r.Exit.TtCell[j]/288.15) - air.R*math.Log(r.Exit.PtCell[j]/101325)) / r.Exit.W
	}
	must.Near(t, "entropy rise by loss coefficients", got, want, 0.05)
}

// Resume takes over what only runs have that diverge or stall: how often the Courant number was
// halved, the steps of reversed flow, the last residual.
func TestResumeTakesTheWholeState(t *testing.T) {
	c := coarseE3(t)
	s := newSolver(t, c)
	stopped(t, s, 0)
	s.halved, s.reversed, s.c.Settings.CFL = 1, 17, s.c.Settings.CFL/2
	on := resumed(t, c, s.Solution())
	must.Equal(t, s.Solution(), on.Solution())
	if norm := on.levels[on.at].norm; on.halved != 1 || on.reversed != 17 || norm != s.levels[s.at].norm {
		t.Errorf("halved %d times, reversed for %d steps, residual %g", on.halved, on.reversed, norm)
	}
}

// Corrected quantities: inlet pressure and temperature scale out.
func TestCorrectedFlow(t *testing.T) {
	c := coarseE3(t)
	_, a := atDesign(t)
	theta, delta := 0.9, 0.4
	c.Inlet.Pt[0] *= delta
	c.Inlet.Tt[0] *= theta
	c.N *= math.Sqrt(theta)
	c.Exit.W *= delta / math.Sqrt(theta)
	_, b := run(t, c)
	// The Reynolds number, alone, does not scale out.
	if math.Abs(a.TR/b.TR-1) > 2e-3 || math.Abs(a.PR/b.PR-1) > 1e-2 || b.Eff >= a.Eff {
		t.Errorf("PR %.5f and %.5f, TR %.5f and %.5f, eff %.4f and %.4f", a.PR, b.PR, a.TR, b.TR, a.Eff, b.Eff)
	}
}
