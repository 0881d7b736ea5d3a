package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// vaneExample is the example with a guide vane that turns.
const vaneExample = "turbofan-vane"

// The example with a guide vane that turns, zoomed: what it prints keeps its bits. As the vane closes at one turbine
// temperature, the fan takes less air at more speed; a transient that closes it further makes runs at settings where
// there were none.
func TestVaneExample(t *testing.T) {
	testenv.Long(t, "dozens of runs of throughflow")
	t.Parallel()
	out := zoomed[vaneExample].run(t)
	now := golden.Figures{}
	must.OK(t, now.AddJSON(vaneExample+" zoomed", []byte(out)))
	golden.Compare(t, filepath.Join("testdata", "stored", vaneExample+"-zoomed.gz"), now)
	var res result.Results
	must.OK(t, json.Unmarshal([]byte(out), &res))
	if len(res.Warnings) > 0 {
		t.Errorf("warnings: %v", res.Warnings)
	}
	of := map[string]*result.Result{}
	for _, c := range res.Cases {
		of[c.Name] = c
	}
	fan := func(name string) result.Component { return of[name].Components["fan"] }
	open, shut := fan("part_power"), fan("closed")
	if open.Map.Alpha != 0 || shut.Map.Alpha != 6 || fan("closing").Map.Alpha != 8 {
		t.Errorf("alpha %g, %g, %g", open.Map.Alpha, shut.Map.Alpha, fan("closing").Map.Alpha)
	}
	if !(shut.Value("Wc") < open.Value("Wc")) || !(shut.Value("Nc") > 1.03*open.Value("Nc")) {
		t.Errorf("closed: %g kg/s at %g rpm; open: %g at %g", shut.Value("Wc"), shut.Value("Nc"), open.Value("Wc"),
			open.Value("Nc"))
	}
	steady, closing := of["closed"].Zoom["fan"], of["closing"].Zoom["fan"]
	if closing.Runs <= steady.Runs || steady.Runs > 14 {
		t.Errorf("%d runs, %d with those in time", steady.Runs, closing.Runs)
	}
	for _, c := range res.Cases {
		if z := c.Zoom["fan"]; z.Failed > 0 || !z.ErrorHolds || z.Error > 1.5e-3 {
			t.Errorf("%s: %+v", c.Name, z)
		}
	}
}
