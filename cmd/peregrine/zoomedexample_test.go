package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// zoomedExample is the example in which a fan by throughflow and a turbine by bladerow are zoomed at once.
const zoomedExample = "turbofan-zoomed"

// The example with a fan and a turbine zoomed, on the mesh that it has: its cases, its transient and its sweep, which
// works on the same runs. What it prints keeps its bits, as that of the other examples does.
func TestZoomedExample(t *testing.T) {
	testenv.Long(t, "dozens of runs on their own mesh")
	t.Parallel()
	out := zoomed[zoomedExample].run(t)
	now := golden.Figures{}
	must.OK(t, now.AddJSON(zoomedExample, []byte(out)))
	golden.Compare(t, filepath.Join("testdata", "stored", zoomedExample+".gz"), now)
	var res result.Results
	must.OK(t, json.Unmarshal([]byte(out), &res))
	if len(res.Warnings) > 0 {
		t.Errorf("warnings: %v", res.Warnings)
	}
	// The error of a case and that of the design, to which runs are scaled, are each within what the file wants.
	within := map[string]float64{"fan": math.Sqrt2 * 1e-3, "hpt": math.Sqrt2 * 2e-3}
	thrust := map[string]float64{}
	for _, c := range res.Cases {
		thrust[c.Name] = c.Performance.Fn
		for name, solver := range map[string]string{"fan": "throughflow", "hpt": "bladerow"} {
			z := c.Zoom[name]
			if z == nil || !strings.HasPrefix(z.Fidelity, solver) || z.Failed > 0 || z.Runs == 0 || z.Runs > 12 ||
				z.Error > within[name] {
				t.Errorf("%s: %s zoomed by %+v", c.Name, name, z)
			}
		}
		power := func(name string) float64 { return c.Components[name].Value("power") }
		if c.Kind != "transient" && math.Abs(power("hpt")/power("hpc")-1)+math.Abs(power("lpt")/power("fan")-1) > 1e-8 {
			t.Errorf("%s: power is off balance", c.Name)
		}
	}
	// At its end the transient, whose fuel flow is then nearly that of part power, is nearly there.
	if e := thrust["throttle_back"]/thrust["part_power"] - 1; math.Abs(e) > 5e-3 {
		t.Errorf("the transient ends %.2g of thrust off part power", e)
	}

	dir := t.TempDir()
	zoomed[zoomedExample].copyAnswers(t, filepath.Join(dir, "cache"))
	out, err := verb(t, "sweep", filepath.Join("../../config/examples", zoomedExample+".yaml"), "--zoom", "--json",
		"--cache", filepath.Join(dir, "cache"), "--work", filepath.Join(dir, "work"))
	if err != nil {
		t.Fatal(err, out)
	}
	var swept struct {
		Cases []struct {
			Rows []struct {
				Values    []float64 // turbine temperature, thrust and others
				Converged bool
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &swept); err != nil || len(swept.Cases) != 1 ||
		len(swept.Cases[0].Rows) != 5 {
		t.Fatal(err, out)
	}
	for i, name := range map[int]string{0: "part_power", 4: "high_power"} {
		row := swept.Cases[0].Rows[i]
		if got := row.Values[1]; !row.Converged || math.Abs(got/thrust[name]-1) > 1e-8 {
			t.Errorf("%s: thrust %.8g N in the sweep, %.8g in the case", name, got, thrust[name])
		}
	}
}
