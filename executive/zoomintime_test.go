package executive_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// turning is the zoomed turbofan, without its cases and zooms, with shafts that have inertia.
func turning(t testing.TB) string {
	t.Helper()
	text := must.Value(os.ReadFile("testdata/zoomed.yaml"))(t)
	body, _, _ := strings.Cut(string(text), "cases:")
	for _, r := range [][2]string{{"N: 12600 rpm,", "N: 12600 rpm, inertia: 20 kg m2,"},
		{"N: 3450 rpm,", "N: 3450 rpm, inertia: 200 kg m2,"}} {
		body = strings.Replace(body, r[0], r[1], 1)
	}
	return body
}

// slowing is the zoomed turbofan with a transient: its fuel falls and rises again.
func slowing(t testing.TB, to, inTime string) *config.Engine {
	t.Helper()
	blades := must.Value(filepath.Abs(enginetest.Example("geometry/e3-fan.yaml")))(t)
	body := turning(t)
	body += `cases:
  part: {solve: [{vary: burner.FAR, until: hpt.rotor.Tt = 1430 K}]}
  dip:
    kind: transient
    from: part
    duration: 8 s
    every: 0.1 s
    rtol: 1e-8
    schedule: {burner.Wf: [[0 s, 0.8 kg/s], [1 s, 0.8 kg/s], [3 s, 0.5 kg/s], [5 s, 0.5 kg/s], [7 s, 0.8 kg/s]]}
zoom:
  fan: {solver: throughflow, geometry: ` + blades + `, scale: absolute, to: ` + to + `, in_time: ` + inTime + `}
`
	return enginetest.Parse(t, body)
}

// In a transient runs are made where the error is about to be larger than wanted, and its results are those of the
// fan itself within that. Where it extrapolates, none are made.
func TestResponseInTime(t *testing.T) {
	engine := slowing(t, "0.1 %", "extend")
	exact := transientWith(t, engine, "dip", installed("fan", &smooth, true))
	worst := map[string]float64{}
	for _, inTime := range []string{"extend", "extrapolate"} {
		r := zoomKnown(t, slowing(t, "0.1 %", inTime), smooth, 2)
		steady, dip := r.Cases[0], r.Cases[1]
		z := dip.Zoom["fan"]
		made := 0
		for _, e := range z.InTime.Extended {
			made += e.Runs
			if e.Side == "" || e.Runs != 1 {
				t.Errorf("%+v", e)
			}
		}
		worst[inTime] = farthest(exact, dip, "performance.Fn")
		t.Logf("%s: %d runs, %d of them in time; thrust is at most %.2g off", inTime, z.Runs, made, worst[inTime])
		if !dip.Converged || z.Runs != steady.Zoom["fan"].Runs+made {
			t.Errorf("%s: converged %t, %d runs, %d steady, %d in time", inTime, dip.Converged, z.Runs,
				steady.Zoom["fan"].Runs, made)
		}
		if (made > 0) != (inTime == "extend") {
			t.Errorf("%s: %d runs in time", inTime, made)
		}
	}
	if worst["extend"] > 1e-3 || worst["extrapolate"] < 2*worst["extend"] {
		t.Errorf("thrust is off by at most %v", worst)
	}
}

// farthest is the largest relative difference of a column at the times after 0 of both histories.
func farthest(a, b *result.Result, path string) float64 {
	at := map[float64]float64{}
	for i, t := range a.History.T {
		at[t] = a.History.Column(path)[i]
	}
	worst := 0.0
	for i, t := range b.History.T {
		if v, ok := at[t]; ok && t > 0 {
			worst = max(worst, math.Abs(b.History.Column(path)[i]/v-1))
		}
	}
	return worst
}

// A transient that saves the stall margin has it all the way, between the speeds of the steady cases: the margin of
// the fan itself.
func TestMarginInTime(t *testing.T) {
	testenv.Long(t, "a transient with stall ends")
	engine := slowing(t, "0.1 %", "extend")
	engine.Case("dip").Transient.Save = []config.Quantity{{Path: "fan.SMN"}, {Path: "fan.NcMap"}, {Path: "fan.xMap"}}
	engine.Cases = append(engine.Cases,
		config.Case{Name: "low", Solve: []config.Balance{{Vary: "burner.FAR", Until: "hpt.rotor.Tt", Target: 1200}}})
	fan := stalling()
	r := must.Value(executive.Run(t.Context(), engine, []string{"dip", "part", "low"},
		executive.Options{Zoomer: knownZoomer{t: t, solver: fan, workers: 2}}))(t)
	c := r.Cases[0]
	if z := c.Zoom["fan"]; !c.Converged || z.RunsEnds == 0 || len(z.InTime.Extended) == 0 {
		t.Fatalf("%s %+v", c.Message, z)
	}
	worst := 0.0
	smn, nc, x := c.History.Column("fan.SMN"), c.History.Column("fan.NcMap"), c.History.Column("fan.xMap")
	for i := range smn {
		n, k := nc[i]/knownSpeed, knownShare*knownFlow*knownFlow*math.Exp(-x[i])
		w, ws := fan.flow(n, k), fan.flow(n, fan.stall(n))
		worst = max(worst, math.Abs(smn[i]-100*(fan.stall(n)*ws/(k*w)-1)))
	}
	t.Logf("speeds from %.3f; low at %.3f", slices.Min(nc)/knownSpeed, r.Cases[2].Components["fan"].Map.Nc/knownSpeed)
	t.Logf("SMN %.1f to %.1f, off by at most %.2f", slices.Min(smn), slices.Max(smn), worst)
	if !(worst < 3) || len(smn) < 50 {
		t.Errorf("off by %.2f at %d points", worst, len(smn))
	}
}
