package solver

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// turbineRun runs the example's turbine stage, or a part of it, at a setting of its vanes, deg, by bladerow on a
// coarse mesh.
func turbineRun(t *testing.T, geometry string, throttle, setting float64) plugin.Result {
	t.Helper()
	const pt, tt = 4.4e5, 1450.0
	req := plugin.Request{
		Folder: t.TempDir(), Numbers: map[string]float64{},
		Arrays: map[string][]float64{machine.InSpan: {0.25, 0.75}, machine.InPt: {pt, pt}, machine.InTt: {tt, tt},
			machine.InAlpha: {0, 0}},
		Texts: map[string]string{machine.InGeometry: geometry, "model": "euler", "start": "rest"},
	}
	for _, s := range new(BladeRow).Describe().Settings {
		if s.Default != nil {
			req.Numbers[s.Name] = *s.Default
		}
	}
	for name, v := range map[string]float64{machine.InSpeed: 12600, machine.InGamma: 1.3, machine.InR: 287,
		machine.InThrottle: throttle, machine.InSetting: setting, "refine": 0.25, "cfl": 20} {
		req.Numbers[name] = v
	}
	r, err := new(BladeRow).Run(t.Context(), req, func(event.Event) {})
	if err != nil || r.Class != event.Converged {
		t.Fatalf("%v, %s: %s", err, r.Class, r.Message)
	}
	return r
}

// A vane with its rotor gives power: what leaves has less total temperature by as much, and the efficiency is a
// turbine's. As the throttle opens, the pressure ratio rises, and the flow to where the stage chokes. A vane that
// closes has a smaller throat, and passes less. The vane by itself has no efficiency.
func TestTurbineStage(t *testing.T) {
	text := must.Value(os.ReadFile("../../config/examples/geometry/hpt-stage.yaml"))(t)
	settable := strings.Replace(string(text), "    rotating: false\n", "    rotating: false\n    setting: 1\n", 1)
	if settable == string(text) {
		t.Fatal("the vane is not found")
	}
	vane, _, _ := strings.Cut(string(text), "  - name: rotor")
	if err := RowsProblem("throughflow", parsed(t, string(text))); err == nil ||
		!strings.Contains(err.Error(), `throughflow: Geometry: row "rotor" is a turbine's`) {
		t.Errorf("throughflow takes a turbine: %v", err)
	}
	if err := RowsProblem("throughflow", parsed(t, vane)); err != nil {
		t.Errorf("throughflow refuses vanes: %v", err)
	}
	must.OK(t, RowsProblem("bladerow", parsed(t, string(text))))
	stage := func(throttle float64) map[string]float64 {
		n := turbineRun(t, settable, throttle, 0).Numbers
		if eff := (1 - n[machine.OutTR]) / (1 - math.Pow(n[machine.OutPR], 0.3/1.3)); math.Abs(n[machine.OutEff]-eff) >
			1e-9 ||
			eff < 0.7 ||
			eff > 0.95 {
			t.Errorf(
				"efficiency %.4f at PR %.4f and TR %.4f, of which %.4f follows",
				n[machine.OutEff],
				n[machine.OutPR],
				n[machine.OutTR],
				eff,
			)
		}
		if math.Abs(n[machine.OutMass]) > 1e-3 || math.Abs(n[machine.OutEnergy]) > 2e-3 || n["power"] >= 0 {
			t.Errorf(
				"mass error %.2g, energy error %.2g, power %.4g W",
				n[machine.OutMass],
				n[machine.OutEnergy],
				n["power"],
			)
		}
		return n
	}
	testenv.Long(t, "makes runs of a stage in three dimensions")
	wide, narrow := stage(160), stage(185)
	if w, old := wide[machine.OutW], narrow[machine.OutW]; wide[machine.OutPR] >= narrow[machine.OutPR] || w <= old ||
		w > 1.05*old {
		t.Errorf("flow %.4g and pressure %.4g after %.4g and %.4g", w, wide[machine.OutPR], old, narrow[machine.OutPR])
	}
	shut := turbineRun(t, settable, 160, 3).Numbers
	throat := math.Cos(69.3*math.Pi/180) / math.Cos(66.3*math.Pi/180)
	if ratio := shut[machine.OutW] / wide[machine.OutW]; ratio > 0.98 || ratio < throat-0.03 {
		t.Errorf("as the vane closes by 3 deg the flow falls to %.4f; the throat to %.4f", ratio, throat)
	}
	if eff := turbineRun(t, vane, 300, 0).Numbers[machine.OutEff]; eff != 0 {
		t.Errorf("the vane by itself has an efficiency of %g", eff)
	}
}

func parsed(t *testing.T, text string) *blade.Geometry {
	t.Helper()
	return must.Value(blade.Parse([]byte(text)))(t)
}
