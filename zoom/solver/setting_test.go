package solver

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// vanePoint is a request for throughflow on the E3's fan behind a vane, at a setting, deg.
func vanePoint(t *testing.T, setting float64) plugin.Request {
	t.Helper()
	text := must.Value(os.ReadFile("../../config/examples/geometry/e3-fan-vane.yaml"))(t)
	r := fanPoint(t, 1, 0.8)
	r.Numbers["cells_z"] = 96
	r.Numbers[machine.InSetting] = setting
	r.Texts[machine.InGeometry] = string(text)
	return r
}

// A vane that turns the flow with the rotor takes work and flow from it, one that turns it against adds to them. By
// Euler's equation the work is U V_theta behind the rotor less U V_theta ahead of it, so that at small angles it
// changes with the setting about linearly.
func TestVaneTurnsTheFlow(t *testing.T) {
	var w, work []float64
	for _, setting := range []float64{-6, 0, 6} {
		r, _ := answer(t, vanePoint(t, setting), event.Converged)
		n := r.Numbers
		t.Logf("setting %g: W %.2f kg/s, PR %.4f, TR %.4f, eff %.4f", setting, n[machine.OutW], n[machine.OutPR],
			n[machine.OutTR], n[machine.OutEff])
		w, work = append(w, n[machine.OutW]), append(work, n[machine.OutTR]-1)
	}
	for i := 1; i < len(w); i++ {
		if !(w[i] < w[i-1]) || !(work[i] < work[i-1]) {
			t.Errorf("flow %v and work %v do not fall as the vane closes", w, work)
		}
	}
	if d := (work[0] - work[1]) / (work[1] - work[2]); math.Abs(d-1) > 0.5 {
		t.Errorf("work %v changes by %.2g times as much to one side as to the other", work, d)
	}
	// The swirl's work alone: U (Vz tan alpha) at the rotor's middle, over cp Tt.
	const u, vz, cp, tt = 390.36 * 0.745, 190.0, 1004.7, 288.15
	swirl := u * vz * math.Tan(6*math.Pi/180) / (cp * tt)
	if got := work[1] - work[2]; got < 0.3*swirl || got > 3*swirl {
		t.Errorf("6 deg take %.3g of the work, where the swirl's is %.3g", got, swirl)
	}
}

// At a setting of 0 a run is that without one, and a setting at which rows cannot stand is an error that says so.
func TestSettingOfNothing(t *testing.T) {
	at, without := vanePoint(t, 0), vanePoint(t, 0)
	at.Numbers["max_iterations"], without.Numbers["max_iterations"] = 60, 60
	delete(without.Numbers, machine.InSetting)
	a, _ := answer(t, at, event.NotConverged)
	b, _ := answer(t, without, event.NotConverged)
	must.Equal(t, a, b)
	if r, _ := answer(t, vanePoint(t, 95), event.Unphysical); !strings.Contains(r.Message,
		`at a setting of 95 deg: row "vane", section 1 (radius 0.345 m): stagger 95 deg`) {
		t.Errorf("a vane across the flow: %s", r.Message)
	}
}
