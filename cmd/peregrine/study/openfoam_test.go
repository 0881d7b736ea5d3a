package study

// A program behind a description, as users have it: OpenFOAM makes an engine's fan.

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

const openfoamExample = "openfoam-fan"

// The example of a fan by OpenFOAM, from an empty cache, on a mesh with half the cells.
func TestOpenFOAMFan(t *testing.T) {
	testenv.Program(t, "openfoam python3", "rhoSimpleFoam")
	testenv.Long(t, "minutes of OpenFOAM")
	t.Parallel()
	w := newWorkshop(t)
	engine := w.path("examples", openfoamExample+".yaml")
	replaceIn(t, engine, "most: 12}", "most: 12, settings: {refine: 0.75}}")
	if code, out, problems := w.peregrine("run", engine); code != cli.BadInput ||
		!strings.Contains(problems, "peregrine plugin trust") {
		t.Errorf("before anybody has seen its commands: exit code %d\n%s%s", code, out, problems)
	}
	r := w.resultsOf(0, engine, "--trust")
	for _, c := range r.Cases {
		z := c.Zoom["fan"]
		if z == nil || !strings.HasPrefix(z.Fidelity, "cascade 1, RANS") || z.Runs < 4 || z.Failed > 0 ||
			z.Error > math.Sqrt2*1e-2 || !c.Converged {
			t.Errorf("%s: zoom %+v", c.Name, z)
		}
	}
	for _, warning := range r.Warnings {
		t.Errorf("warning %s: %s", warning.Rule, warning.Message)
	}
	lines := cascadeRuns(t, w)
	longest := 0
	for speed, line := range lines {
		longest = max(longest, len(line))
		slices.SortFunc(line, func(a, b cascadeRun) int { return int(math.Copysign(1, a.throttle-b.throttle)) })
		for i, c := range line {
			c.physics(t, speed)
			if i > 0 && (c.out["W"] >= line[i-1].out["W"] || c.out["PR"] <= line[i-1].out["PR"]) {
				t.Errorf("%g rpm: flow %g and pressure ratio %g at throttle %g, %g and %g at %g", speed,
					c.out["W"], c.out["PR"], c.throttle, line[i-1].out["W"], line[i-1].out["PR"], line[i-1].throttle)
			}
		}
	}
	if longest < 3 {
		t.Errorf("no speed line of %d has three throttles", len(lines))
	}
	second := w.resultsOf(0, engine)
	for i, c := range second.Cases {
		if z := c.Zoom["fan"]; z.Cached < z.Runs || c.Performance.Fn != r.Cases[i].Performance.Fn {
			t.Errorf("%s, a second time: zoom %+v", c.Name, z)
		}
	}
	w.nothingLeft()
}

// cascadeRun is a run of the cascade.
type cascadeRun struct {
	throttle float64
	out      map[string]float64
}

// cascadeRuns are the runs of a workshop by speed, rpm.
func cascadeRuns(t *testing.T, w *workshop) map[float64][]cascadeRun {
	t.Helper()
	folders := must.Value(filepath.Glob(w.path("runs", "*", "fan-n*")))(t)
	lines := map[float64][]cascadeRun{}
	for _, folder := range folders {
		req := must.Value(record.Read(folder))(t)
		var res plugin.Result
		must.OK(t, plugin.ReadFile(folder, plugin.ResultFile, &res))
		n := req.Numbers["N"]
		lines[n] = append(lines[n], cascadeRun{req.Numbers["throttle"], res.Numbers})
	}
	return lines
}

// physics holds a run to what any flow through a rotor obeys.
func (c cascadeRun) physics(t *testing.T, speed float64) {
	t.Helper()
	n := c.out
	const cp = 1.4 / 0.4 * 287.05
	for what, v := range map[string][2]float64{
		"flow out over flow in":                      {n["W"]/n["W_in"] - 1, 1e-5},
		"static pressure over that of the throttle":  {n["Ps2"]/(c.throttle*n["W"]*n["W"]) - 1, 1e-5},
		"total pressure at the inlet over the given": {n["Pt1"]/101325 - 1, 1e-5},
		"total temperature there":                    {n["Tt1"]/288.15 - 1, 1e-5},
		"swirl at the inlet":                         {n["swirl_in"], 1e-3},
		"work of the blade over the rise of enthalpy, over U^2": {
			(n["force"]*n["U"]/n["flux_out"] - cp*(n["Tt2"]-288.15)) / (n["U"] * n["U"]), 0.01},
		"work by Euler over the rise of enthalpy, over U^2": {
			-n["swirl_velocity"]/n["U"] - cp*(n["Tt2"]-288.15)/(n["U"]*n["U"]), 0.01},
		"loss of relative total pressure, which is none below 0": {min(0, n["loss"]), 0},
	} {
		if !(math.Abs(v[0]) <= v[1]) {
			t.Errorf("%g rpm, throttle %g: %s is off by %.3g", speed, c.throttle, what, v[0])
		}
	}
	if !(n["eff"] > 0.5 && n["eff"] < 1) {
		t.Errorf("%g rpm, throttle %g: efficiency %g", speed, c.throttle, n["eff"])
	}
}
