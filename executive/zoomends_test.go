package executive_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// stalling is the smooth fan with a stall line.
func stalling() knownFan {
	f := smooth
	f.stall = func(n float64) float64 { return 1.5 + 0.6*(1-n) }
	return f
}

// endless is a fan without a stall line.
var endless = knownFan{
	flow: func(n, k float64) float64 { return n / (1 + 0.35*(k-1.176)) },
	eff:  func(n, k float64) float64 { return 0.9 - 0.02*(k-1.2)*(k-1.2) },
}

// margin is the exact stall margin at a result, percent.
func (f knownFan) margin(r *result.Result, scale float64) float64 {
	fan := r.Components["fan"]
	n := fan.Map.Nc / knownSpeed
	k := knownShare * knownFlow * knownFlow * math.Exp(-fan.Map.X)
	w, ws := f.flow(n, k), f.flow(n, f.stall(n))
	return 100 * (w/ws*(f.stall(n)*ws*ws)/(k*w*w) - 1)
}

// surgeRule names the fan's margin.
var surgeRule = config.Rule{Name: "fan_surge", When: "fan.SMN < 5", Severity: "warning", Message: "low"}

// If a rule names the stall margin, stall ends are found, and the margin is the exact one within its error. The runs
// without flow are no failures, and cause no warning.
func TestMarginOfRounds(t *testing.T) {
	for _, scale := range []string{"absolute", "design"}[:enginetest.Trials(t, 1, 2, 2)] {
		engine := knownEngine(t, 1e-3, scale, []float64{1300, 1400, 1500}[:enginetest.Trials(t, 2, 3, 3)]...)
		plain := zoomKnown(t, engine, stalling(), 2)
		engine.Rules = []config.Rule{surgeRule}
		r := zoomKnown(t, engine, stalling(), 2)
		for i, c := range r.Cases {
			z := c.Zoom["fan"]
			got, want := c.Components["fan"].Value("SMN"), stalling().margin(c, 1)
			t.Logf("%s, %s: SMN %.2f +- %.2f, exact %.2f; %d runs, %d for ends", scale, c.Name, got, z.SMNError, want,
				z.Runs, z.RunsEnds)
			if !(math.Abs(got-want) <= z.SMNError) || z.SMNError > 2 {
				t.Errorf("%s, %s: SMN %.3f, exact %.3f, error %.3f", scale, c.Name, got, want, z.SMNError)
			}
			if z.Failed != 0 || z.RunsEnds == 0 || z.RunsEnds > 15 || z.Runs != plain.Cases[i].Zoom["fan"].Runs {
				t.Errorf("%s, %s: %+v", scale, c.Name, z)
			}
			if c.Performance != plain.Cases[i].Performance {
				t.Errorf("%s, %s: the ends change the performance: %+v, %+v", scale, c.Name, c.Performance,
					plain.Cases[i].Performance)
			}
			if smw := c.Components["fan"].Value("SMW"); !(smw > 0) {
				t.Errorf("%s, %s: SMW %g", scale, c.Name, smw)
			}
		}
		if len(r.Warnings) > 0 {
			t.Errorf("%s: warnings %v", scale, r.Warnings)
		}
	}
}

// If no rule names the margin, it is not computed, which one case reports; ends: true seeks both ends, the same by any
// number of workers, and ends: false none.
func TestWhoSeeksEnds(t *testing.T) {
	testenv.Long(t, "studies with stall ends")
	engine := knownEngine(t, 1e-3, "absolute", 1400, 1500)
	r := zoomKnown(t, engine, stalling(), 2)
	said := 0
	for _, c := range r.Cases {
		if c.Components["fan"].Has("SMN") || c.Zoom["fan"].RunsEnds != 0 {
			t.Errorf("%s: %+v", c.Name, c.Zoom["fan"])
		}
		said += strings.Count(c.Zoom["fan"].Message, "no surge margin")
	}
	must.Equal(t, 1, said)
	engine.Zooms[0].Ends.Both = true
	both := zoomKnown(t, engine, stalling(), 2).Cases[0]
	if z := both.Zoom["fan"]; !both.Components["fan"].Has("SMN") || z.RunsEnds == 0 {
		t.Errorf("both: %+v", z)
	}
	four := zoomKnown(t, engine, stalling(), 4).Cases[0]
	of := func(r *result.Result) []any { return []any{r.Components["fan"], r.Zoom["fan"], r.Performance} }
	must.Equal(t, of(both), of(four), cmp.Exporter(func(reflect.Type) bool { return true }))
	engine.Zooms[0].Ends = config.Ends{Off: true, Tolerance: 0.01}
	engine.Rules = []config.Rule{surgeRule}
	if off := zoomKnown(t, engine, stalling(), 2).Cases[0]; off.Components["fan"].Has("SMN") ||
		off.Zoom["fan"].RunsEnds != 0 {
		t.Errorf("off: %+v", off.Zoom["fan"])
	}
}

// Runs that crash among those for ends are failures, and warned of. The greatest number of runs holds for them, too.
func TestEndsThatAreNotFound(t *testing.T) {
	fan := endless
	engine := knownEngine(t, 1e-3, "absolute", 1400)
	engine.Rules = []config.Rule{surgeRule}
	r := zoomKnown(t, engine, fan, 2)
	z := r.Cases[0].Zoom["fan"]
	if r.Cases[0].Components["fan"].Has("SMN") || z.RunsEnds == 0 || z.RunsEnds > 8 || z.Failed > 0 ||
		!strings.Contains(z.Message, " % of the design speed: flow was found up to the limit of the search") {
		t.Errorf("no end: %+v", z)
	}
	engine.Zooms[0].Most = 6
	if z := zoomKnown(t, engine, stalling(), 2).Cases[0].Zoom["fan"]; z.Runs+z.RunsEnds > 6 {
		t.Errorf("at most 6 runs: %+v", z)
	}
}

// A whole map is made to an error instead of by speeds. The engine works on it.
func TestWholeMapToAnError(t *testing.T) {
	testenv.Long(t, "a whole map")
	engine := knownEngine(t, 1e-2, "absolute", 1400, 1500)
	// below, the fan would destroy entropy
	engine.Zooms[0].Span, engine.Zooms[0].Speeds = "whole", []float64{0.82, 1.05}
	exact := exactly(t, engine, endless)
	r := zoomKnown(t, engine, endless, 2)
	for i, c := range r.Cases {
		z := c.Zoom["fan"]
		t.Logf("%s: %d runs in %d rounds, true error %.2g, estimate %.2g", c.Name, z.Runs, z.Rounds,
			trueError(c, exact[i]), z.Error)
		if z.Runs < 8 || z.Runs > 40 || z.Error > 1e-2 || trueError(c, exact[i]) > z.Error {
			t.Errorf("%s: true error %.2g: %+v", c.Name, trueError(c, exact[i]), z)
		}
	}
	if m := r.ZoomedMaps["fan"].Map; m.Nc[0] > 0.85*knownSpeed || m.Nc[len(m.Nc)-1] < 1.02*knownSpeed {
		t.Errorf("map of lines %v, warnings %v", m.Nc, r.Warnings)
	}
}
