package zoom_test

import (
	"math"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade/bladetest"
)

// e3Fan is the E3's fan rotor.
func e3Fan(tb testing.TB) machine.Machine {
	text := must.Value(os.ReadFile("../config/examples/geometry/e3-fan.yaml"))(tb)
	return withAnnulus(tb, machine.Machine{Name: "fan", Geometry: string(text), Nc: 3727.7, Wc: 643.7, PR: 1.634,
		Eff: 0.917})
}

// rotor67 is NASA Rotor 67.
func rotor67(tb testing.TB) machine.Machine {
	return withAnnulus(tb, machine.Machine{Name: "rotor67", Geometry: bladetest.Rotor67(tb, -0.1, 0.1), Nc: 16043,
		Wc: 33.25, PR: 1.63, Eff: 0.92})
}

// withAnnulus adds gas and inlet of a machine.
func withAnnulus(tb testing.TB, m machine.Machine) machine.Machine {
	g := must.Value(blade.Parse([]byte(m.Geometry)))(tb)
	z0, _ := g.Ends()
	m.RHub, m.RTip = g.Hub.At(z0), g.Casing.At(z0)
	m.Gamma, m.R = 1.4, 287.05
	return m
}

// eleven are the speed lines of a machine from 70 to 105 %, with operating points of similar flow.
func eleven(m machine.Machine) []zoom.EndLine {
	var lines []zoom.EndLine
	for i := range 11 {
		nu := 0.7 + 0.035*float64(i)
		pr := 1 + (m.PR-1)*nu*nu
		wc := m.Wc * nu
		lines = append(lines, zoom.EndLine{
			RunPoint: m.PointOf(machine.Target{Nc: nu * m.Nc, Wc: wc, PR: pr}), Wc: wc,
			Throttle: math.Log((1 - 0.28*nu*nu) * pr * flow.Pref / (wc * wc)),
		})
	}
	return lines
}

// BenchmarkEnds brackets the ends of eleven speed lines, 70 to 105 %, to 1 % of throttle, by the axisymmetric solver:
// stall ends alone, and both. Reported are the mean and the greatest number of runs a line and end, rounds, the share
// of ends that were found, the iterations of a run, and those of all runs that ended at their limit, as deep in
// choke.
func BenchmarkEnds(b *testing.B) {
	for _, m := range []machine.Machine{e3Fan(b), rotor67(b)} {
		for _, both := range []bool{false, true} {
			name := m.Name + "/stall"
			if both {
				name = m.Name + "/both"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					e := zoom.NewEnds(&m,
						zoom.StudyOf(b, func() plugin.Solver { return solver.Builtin("throughflow") }), eleven(m),
						0.01, both)
					for more := true; more; {
						more = must.Value(e.Make(b.Context()))(b)
					}
					most, found := 0, 0
					iterations, nothing := 0.0, 0.0
					for _, o := range e.Account().Outcomes {
						iterations += o.Result.Numbers["iterations"]
						if o.Class == event.NotConverged {
							nothing += o.Result.Numbers["iterations"]
						}
					}
					for _, end := range e.Ends() {
						most = max(most, end.Runs)
						if end.Why == "" {
							found++
						}
						b.Logf("%s at %.1f %%: throttle %.5g to %.5g, Wc %.4g PR %.4f, %d runs, %d lone %s",
							end.Side(), 100*end.Nu, end.Inside, end.Beyond, end.Wc, end.PR, end.Runs, end.Lone, end.Why)
					}
					n := float64(len(e.Ends()))
					b.ReportMetric(float64(e.Runs)/n, "runs/end")
					b.ReportMetric(float64(most), "most-runs")
					b.ReportMetric(float64(e.Round), "rounds")
					b.ReportMetric(100*float64(found)/n, "%found")
					b.ReportMetric(iterations/float64(e.Runs), "iterations/run")
					b.ReportMetric(nothing, "iterations-to-a-limit")
				}
			})
		}
	}
}
