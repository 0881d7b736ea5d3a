package zoom_test

import (
	"testing"

	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A whole map of a known machine has the error that it is to have; where its lines bend more sharply than the runs are apart,
// not more than twice that.
func TestWholeMap(t *testing.T) {
	const to = 5e-3
	for _, c := range []struct {
		name string
		wide float64
		true float64
		most int
	}{{"smooth", 5, to, 28}, {"sharp", 1, 2 * to, 28}} {
		t.Run(c.name, func(t *testing.T) {
			m := zoom.Machine{Name: "fan", Gamma: 1.4, R: 287.05, Nc: boundedSpeed, Wc: boundedFlow, PR: 1.6, Eff: 0.9, RHub: 0.3, RTip: 1}
			r, e := makeWhole(t, m, func() plugin.Solver { return bounded{deep: 9, wide: c.wide} }, to)
			wc, pr, eff, n := missesOf(t, r, 100)
			t.Logf("%d runs in %d rounds: stated %.2g, true Wc %.2g, PR %.2g, eff %.2g at %d points", r.Runs, r.Round, e, wc, pr, eff, n)
			if worst := max(wc, pr, eff); e > to || !(worst <= c.true) || n < 50 || r.Runs > c.most {
				t.Errorf("%d runs, stated %.2g, true %.2g at %d points", r.Runs, e, worst, n)
			}
		})
	}
}
