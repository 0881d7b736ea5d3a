package throughflow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// vanes returns a row of vanes with the metal angles given, degrees, at hub,
// middle and casing.
func vanes(t *testing.T, n int, z, hub, casing, chord float64, le, te [3]float64) *blade.Row {
	t.Helper()
	var s []blade.Section
	for k := range le {
		s = append(s, blade.Section{
			Chord: chord, Stagger: (le[k] + te[k]) / 2 * degree, BetaLE: le[k] * degree, BetaTE: te[k] * degree,
			ThicknessRatio: 0.06, MaxThicknessAt: 0.5,
		})
	}
	return must.Value(blade.NewRow("vanes", n, false, z, []float64{hub, (hub + casing) / 2, casing}, s))(t)
}

// A stator turns the flow to its metal angle plus deviation, does no work, and
// loses the total pressure that its coefficients say.
func TestStator(t *testing.T) {
	g := duct(t, 0, 1, constant(0.6), constant(1))
	g.Rows = []*blade.Row{vanes(t, 60, 0.5, 0.6, 1, 0.12, [3]float64{38, 38, 38}, [3]float64{5, 5, 5})}
	c := Case{
		Geometry: g, Gas: air,
		Inlet:    march.Inlet{Pt: []float64{1.2e5}, Tt: []float64{320}, Alpha: []float64{38 * degree}},
		Exit:     march.Exit{Ps: 1.05e5},
		Settings: Settings{NZ: 48, NR: 12, Levels: 2},
	}
	_, r := run(t, c)
	if math.Abs(r.TR-1) > 1e-4 || r.Power != 0 {
		t.Errorf("TR %.6f, power %g W", r.TR, r.Power)
	}
	row := r.Rows[0]
	loss, weight := 0.0, 0.0
	for j := range row.Loss {
		alpha := math.Atan2(r.Exit.Vtheta[j], r.Exit.Vz[j])
		if math.Abs(alpha-row.Beta2[j]) > 1.5*degree {
			t.Errorf("line %d leaves at %.2f deg, the row aims at %.2f", j, alpha/degree, row.Beta2[j]/degree)
		}
		if row.Deviation[j] < 2*degree || row.Deviation[j] > 15*degree {
			t.Errorf("line %d: deviation %.2f deg", j, row.Deviation[j]/degree)
		}
		p := math.Pow(1+0.2*row.Mach1[j]*row.Mach1[j], -3.5)
		loss, weight = loss+row.Loss[j]*(1-p)*r.Exit.DW[j], weight+r.Exit.DW[j]
	}
	must.Near(t, "loss of total pressure", 1-r.PR, loss/weight, 0.1)
}

// Rotor and stator run in one solver; the stator takes swirl out and adds no energy.
func TestStage(t *testing.T) {
	c := e3Case(t)
	c.Settings = Settings{NZ: 64, NR: 12, Levels: 2}
	_, alone := run(t, c)
	g := *c.Geometry
	g.Rows = append([]*blade.Row{g.Rows[0]},
		vanes(t, 60, 0.40, 0.465, 1.025, 0.16, [3]float64{48, 42, 36}, [3]float64{-4, -4, -4}))
	c.Geometry = &g
	byDefault := c
	byDefault.Settings = Settings{}
	if _, err := New(byDefault); err != nil {
		t.Errorf("the default settings do not suit a stage: %v", err)
	}
	_, stage := run(t, c)
	if len(stage.Rows) != 2 || math.Abs(stage.TR/alone.TR-1) > 5e-3 {
		t.Errorf("%d rows, TR %.5f, rotor alone %.5f", len(stage.Rows), stage.TR, alone.TR)
	}
	if stage.Eff >= alone.Eff {
		t.Errorf("eff %.4f, rotor alone %.4f", stage.Eff, alone.Eff)
	}
	if math.Abs(stage.EnergyError) > 1e-3 || math.Abs(stage.MassError) > 1e-3 {
		t.Errorf("energy error %.2g, mass error %.2g", stage.EnergyError, stage.MassError)
	}
	for j := range stage.Exit.Vtheta {
		if a := math.Atan2(stage.Exit.Vtheta[j], stage.Exit.Vz[j]); math.Abs(a) > 16*degree {
			t.Errorf("cell %d leaves at %.1f deg", j, a/degree)
		}
	}
}
