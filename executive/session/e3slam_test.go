package session

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// e3Slam runs the E3's acceleration, with --set options.
func e3Slam(t *testing.T, sets ...string) (*result.Results, *result.Result) {
	t.Helper()
	cfg := must.Value(config.Load(enginetest.Example("e3-slam.yaml"), components.Catalogue(), sets))(t)
	res := solveAll(t, cfg)
	r := res.Cases[len(res.Cases)-1]
	converged(t, r)
	return res, r
}

// accelerates is the time from the lever's step at 1 s to 95 % of the last thrust.
func accelerates(h *result.History) float64 {
	fn := h.Column("performance.Fn")
	i := slices.IndexFunc(fn, func(f float64) bool { return f >= 0.95*fn[len(fn)-1] })
	share := (0.95*fn[len(fn)-1] - fn[i-1]) / (fn[i] - fn[i-1])
	return h.T[i-1] + share*(h.T[i]-h.T[i-1]) - 1
}

// The E3 accelerates from ground idle to takeoff under a PI governor and ends, within 0.01 %, at the steady takeoff.
// Each of its limiters is in charge on the way, and holds its limited quantity within 0.1 %.
func TestE3Slam(t *testing.T) {
	testenv.Long(t, "an acceleration of the E3")
	res, r := e3Slam(t)
	want := res.Cases[1]
	must.Equal(t, "takeoff", want.Name)
	for name, pair := range map[string][2]float64{
		"Fn": {r.Performance.Fn, want.Performance.Fn}, "Wf": {r.Performance.Wf, want.Performance.Wf},
		"N1": {r.Shafts["lp"]["N"], want.Shafts["lp"]["N"]}, "N2": {r.Shafts["hp"]["N"], want.Shafts["hp"]["N"]},
		"T41": {r.Stations["hpt.rotor"].Tt, want.Stations["hpt.rotor"].Tt},
	} {
		d := pair[0]/pair[1] - 1
		t.Logf("%s ends %.2g from the steady one, relatively", name, d)
		if math.Abs(d) > 1e-4 {
			t.Errorf("%s ends at %.8g, the steady one is %.8g", name, pair[0], pair[1])
		}
	}
	h := r.History
	most, least := slices.Max(h.Column("hpt.rotor.Tt")), slices.Min(h.Column("hpc.SMN"))
	t.Logf("T41 at most %.2f K, SMN at least %.3f, 95 %% of thrust in %.2f s", most, least, accelerates(h))
	near(t, "the highest T41", most, 1650, 1e-3)
	if least < 23*(1-1e-3) || least > 23.1 {
		t.Errorf("SMN is %.3f at least, the limit is 23", least)
	}
	charge := map[string]int{}
	names := []string{"governor.out", "hot.out", "surge.out", "accel.out"}
	for i := range h.T {
		charge[slices.MinFunc(names, func(a, b string) int {
			if h.Column(a)[i] < h.Column(b)[i] {
				return -1
			}
			return 1
		})]++
	}
	for _, n := range names {
		if charge[n] < 10 {
			t.Errorf("%s is in charge at %d points", n, charge[n])
		}
	}
	for _, w := range res.Warnings {
		if w.Case == "slam" {
			t.Errorf("%+v", w)
		}
	}
}

// The effects of the example's assumptions are those that it states. With a slow sensor the
// limiter acts late, and a warning reports by how much the limit is passed.
func TestE3SlamAssumptions(t *testing.T) {
	testenv.Long(t, "accelerations of the E3")
	_, heavy := e3Slam(t, "hp.inertia=30 kg m2", "lp.inertia=300 kg m2")
	must.Within(t, "time with heavier spools", accelerates(heavy.History), 5.15, 0.05)
	res, late := e3Slam(t, "pyrometer.lag=0.2 s")
	most := slices.Max(late.History.Column("hpt.rotor.Tt"))
	must.Within(t, "the highest T41 with a slow sensor", most, 1708.1, 0.1)
	told := slices.ContainsFunc(res.Warnings, func(w result.Warning) bool {
		return w.Case == "slam" && w.Rule == "limit_passed" && strings.Contains(w.Message,
			"hpt.rotor.Tt max 1650 K is passed from 2.15 s") && strings.Contains(w.Message, "58.07 K")
	})
	if !told {
		t.Errorf("%+v", res.Warnings)
	}
}
