package study

import (
	"bytes"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A chop of the E3's throttle takes its zoomed fan below the speed lines that the map has for
// the start and the end. The step waits until the solver has made the next line, or goes
// on where the map is extrapolated, as the user chose; the result says where, and a second
// time all comes from the cache, and a checkpoint on the grown map goes on identically.
func TestZoomInTime(t *testing.T) {
	testenv.Long(t, "zooms a transient four times")
	t.Parallel()
	w := newWorkshop(t)
	w.edit("N: 12645 rpm,", "N: 12645 rpm, inertia: 30 kg m2,") // assumed
	w.edit("N: 3539 rpm,", "N: 3539 rpm, inertia: 250 kg m2,")
	w.edit("\nzoom:\n", `
  chop: {kind: transient, duration: 3.3 s, schedule: {burner.FAR: [[0 s, 0.0233], [1 s, 0.0195], [1.5 s, 0.0195], [2 s, 0.0255]]}}
zoom:
`)
	run := func(args ...string) *result.Result {
		c := w.results(0, append([]string{"--case", "chop"}, args...)...).Cases[0]
		if !c.Converged || c.Unzoomed == nil || c.Zoom["fan"] == nil || c.Zoom["fan"].InTime == nil {
			t.Fatalf("%+v", c.Zoom["fan"])
		}
		if d := c.Shafts["lp"]["N"]/c.Unzoomed.Shafts["lp"]["N"] - 1; d == 0 || math.Abs(d) > 0.02 {
			t.Errorf("the shaft ends %.2g from where it does without zoom, relatively", d)
		}
		return c
	}
	waited := run()
	z := waited.Zoom["fan"]
	if z.InTime.Leaving != "extend" || len(z.InTime.Extended) != 1 || len(z.InTime.GaveUp) > 0 ||
		waited.Outside["fan"] != nil || z.Runs < 10 {
		t.Errorf("waiting for runs: %+v %+v, outside %+v", z, z.InTime, waited.Outside)
	}
	for _, e := range z.InTime.Extended {
		if e.Side != "Nc below" || e.Runs != 5 || !slices.Contains(waited.History.T, e.T) || !(e.T > 0 && e.T < 4) {
			t.Errorf("%+v", e)
		}
	}
	second := run("--out", w.path("again"), "--checkpoint-every", "1s")
	if y := second.Zoom["fan"]; y.Runs != 0 || len(y.InTime.Extended) != 1 ||
		y.InTime.Extended[0].T != z.InTime.Extended[0].T || y.InTime.Extended[0].Cached != 5 {
		t.Errorf("a second time: %+v %+v", y, y.InTime)
	}
	must.Equal(t, second.History.T, waited.History.T)
	// The last checkpoint is beyond the stop; from there it goes on identically.
	resumed := run("--out", w.path("resumed"), "--resume", w.path("again", "chop.checkpoint"))
	if !slices.Equal(resumed.Zoom["fan"].InTime.Extended, second.Zoom["fan"].InTime.Extended) {
		t.Errorf("resumed: %+v", resumed.Zoom["fan"].InTime)
	}
	var histories [2][]byte
	for i, dir := range []string{"again", "resumed"} {
		var err error
		if histories[i], err = os.ReadFile(w.path(dir, "chop.csv")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(histories[0], histories[1]) {
		t.Error("the resumed history differs")
	}
	w.edit("runs: 5,", "runs: 5, in_time: extrapolate,")
	on := run()
	if y := on.Zoom["fan"].InTime; y.Leaving != "extrapolate" || y.Extended != nil || y.GaveUp != nil ||
		on.Outside["fan"] == nil {
		t.Errorf("going on: %+v, outside %+v", y, on.Outside)
	}
	w.nothingLeft()
}
