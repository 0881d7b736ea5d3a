package verify

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func hbtfEnvelope() *Envelope {
	// pyCycle's engine has a limit of T4. Its speeds are limited here to 105 % of the
	// design's, and its fan to the corrected speed at which the compressors' maps end.
	t4, n, nc := 2857/1.8, 1.05*4666.1, 1.05
	return &Envelope{Ambient: "fc", Vary: "burner.FAR", Limits: []config.Limit{
		{Path: "burner.out.Tt", Max: &t4}, {Path: "lp.N", Max: &n}, {Path: "fan.NcMap", Max: &nc},
	}}
}

// Without any starting value the envelope converges. The benchmark reports the fractions; here the first points must
// all converge, or report the reason.
func TestEnvelopeConverges(t *testing.T) {
	tries := enginetest.Trials(t, 20, 60, 60)
	points := must.Value(hbtfEnvelope().Search(context.Background(), hbtfSession(t), 1, tries))(t)
	failed := 0
	for i, q := range points {
		if !q.Converged {
			failed++
			t.Logf("point %d (%.0f m, Mach %.2f, %+.0f K, %.0f %%): %s", i+1, q.Altitude, q.Mach, q.DTs,
				100*q.Throttle, q.Reason)
			if q.Reason == "" {
				t.Errorf("point %d does not say why", i+1)
			}
		}
	}
	if float64(failed) > math.Ceil(0.01*float64(len(points))) {
		t.Errorf("%d of %d points did not converge", failed, len(points))
	}
}

// BenchmarkSobol is the first 500 Sobol points over the flight envelopes of pyCycle's HBTF and NPSS's JT9D, each from
// the design. Target: 99 % converge.
func BenchmarkSobol(b *testing.B) {
	for _, e := range orderedEngines()[4:] {
		b.Run(e.name, func(b *testing.B) {
			s := e.session(b)
			for b.Loop() {
				report(b, must.Value(e.envelope.Search(context.Background(), s, 1, 500))(b))
			}
		})
	}
}

func report(b *testing.B, points []EnvelopePoint) {
	var converged, extrapolated, evaluations float64
	for _, q := range points {
		evaluations += float64(q.Evaluations)
		if q.Converged {
			converged++
		} else {
			b.Logf("%.0f m, Mach %.3f, %+.1f K, %.1f %%: %s", q.Altitude, q.Mach, q.DTs, 100*q.Throttle, q.Reason)
		}
		if q.Converged && q.Extrapolated {
			extrapolated++
		}
	}
	n := float64(len(points))
	b.ReportMetric(100*converged/n, "%converged")
	b.ReportMetric(100*extrapolated/n, "%extrapolated")
	b.ReportMetric(evaluations/n, "evaluations/point")
}

// jt9dSession is NPSS's JT9D. Its compressors' maps hold their last value beyond the R-lines, where no operating point
// can then be found, so they continue smoothly here.
func jt9dSession(t testing.TB) *session.Session {
	t.Helper()
	dir := filepath.Dir(testenv.Reference(t, "README.md"))
	recovery, remove, err := jt9dRecovery(filepath.Join(dir, "jt9d", "jt9d_setup.json"))
	must.OK(t, err)
	t.Cleanup(remove)
	values := map[string]any{"maps": filepath.Join(dir, "jt9d"), "ram": 0.992 / 0.995, "recovery": recovery}
	text := must.Value(fill(JT9D, values))(t)
	return must.Value(session.Open(context.Background(), enginetest.Parse(t, text)))(t)
}

// jt9dEnvelope has the limits of NPSS's own maximum power: fan speed on its map,
// low-pressure spool, T4 (jt9d_setup.json).
func jt9dEnvelope() *Envelope {
	nc, n, t4 := 1.00007, 4000.0, 2730/1.8
	return &Envelope{Ambient: "Start", Vary: "Burner.FAR", Limits: []config.Limit{
		{Path: "Burner.out.Tt", Max: &t4}, {Path: "LP_Shaft.N", Max: &n}, {Path: "Fan.NcMap", Max: &nc},
	}}
}
