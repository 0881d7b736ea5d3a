package model

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// e3WithVolumes is the E3 with inertias and with volumes behind its fan and booster, its
// HPC, its burner, its turbines and its mixer. All are assumed: inertias that
// accelerate it in some 6 s, and volumes of ducts as long as such an engine's.
func e3WithVolumes(t testing.TB) *config.Engine {
	t.Helper()
	file := enginetest.Example("e3.yaml")
	data := must.Value(os.ReadFile(file))(t)
	text := string(data)
	for _, edit := range [][2]string{
		{"flow:\n", `  v25: {type: volume, volume: 0.15 m3}
  v3:  {type: volume, volume: 0.06 m3}
  v48: {type: volume, volume: 0.05 m3}
  v16: {type: volume, volume: 4 m3}
  v6:  {type: volume, volume: 0.6 m3}
flow:
`},
		{"core_inlet -> hpc -> burner -> hpt -> lpt -> core_duct", "core_inlet -> v25 -> hpc -> v3 -> burner -> hpt -> v48 -> lpt -> v6 -> core_duct"},
		{"return -> bypass_duct", "return -> v16 -> bypass_duct"},
		{"{N: 12645 rpm,", "{N: 12645 rpm, inertia: 30 kg m2,"},
		{"{N: 3539 rpm,", "{N: 3539 rpm, inertia: 150 kg m2,"},
	} {
		if strings.Count(text, edit[0]) != 1 {
			t.Fatalf("%s has %d of %q", file, strings.Count(text, edit[0]), edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	return must.Value(config.Parse(file, []byte(text), components.Catalogue(), nil))(t)
}

// Volumes change nothing of the E3's operating points, and it stands still with them.
func TestE3VolumesAtRest(t *testing.T) {
	cfg := e3WithVolumes(t)
	without, with := solveAll(t, movingEngine(t, enginetest.Example("e3.yaml"))), solveAll(t, cfg)
	for i, c := range without.Cases {
		for _, q := range quantity.Performance {
			key := q.Name
			want, _ := c.Performance.Value(key)
			if got, _ := with.Cases[i].Performance.Value(key); math.Abs(got-want) > 1e-8*math.Abs(want) {
				t.Errorf("%s: %s is %.12g, without volumes %.12g", c.Name, key, got, want)
			}
		}
	}
	r := move(t, cfg, config.Case{Transient: &config.Transient{Duration: 5, Integrator: "rosenbrock"}})
	if !r.Converged {
		t.Fatal(r.Message)
	}
	for k, q := range r.History.Columns {
		v := r.History.Values[k]
		if last := v[len(v)-1]; math.Abs(last-v[0]) > 1e-7*math.Abs(v[0]) {
			t.Errorf("%s goes from %.12g to %.12g", q.Path, v[0], last)
		}
	}
}

// Throttled back, it comes to the operating point that is solved for.
func TestE3VolumesEndSteady(t *testing.T) {
	testenv.Long(t, "300 s of an E3 with volumes")
	cfg := e3WithVolumes(t)
	s := must.Value(NewSession(context.Background(), cfg))(t)
	less := 0.9 * s.Design().Performance.Wf
	r := move(t, cfg, config.Case{Transient: &config.Transient{Duration: 300, Integrator: "rosenbrock", Schedules: []config.Schedule{fuel(0, less)}}})
	if !r.Converged {
		t.Fatal(r.Message)
	}
	p := must.Value(s.Point())(t)
	if _, err := p.Solve(context.Background(), &config.Case{Name: "steady", Solve: []config.Balance{{Vary: "burner.FAR", Until: "burner.Wf", Target: less}}}); err != nil {
		t.Fatal(err)
	}
	want := p.Result("steady")
	for name, shaft := range want.Shafts {
		if got := r.Shafts[name]["N"]; math.Abs(got/shaft["N"]-1) > 1e-8 {
			t.Errorf("%s: N ends at %.12g, at rest it is %.12g", name, got, shaft["N"])
		}
	}
	if got := r.Performance.Fn; math.Abs(got/want.Performance.Fn-1) > 1e-8 {
		t.Errorf("Fn ends at %.12g, at rest it is %.12g", got, want.Performance.Fn)
	}
}
