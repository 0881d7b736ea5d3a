package session

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkSlam is 12 s of the simple turbojet with equilibrium gas, its fuel
// stepped up at 0 s, at a tolerance of 1e-5, on one core, by each integrator.
// real-time is simulated over elapsed time. Target: 2,000.
func BenchmarkSlam(b *testing.B) {
	for _, method := range config.Integrators {
		b.Run(method, func(b *testing.B) {
			s := slamSession(b, method, 1e-5)
			m := must.Value(s.Model.Clone())(b)
			must.OK(b, m.Settle())
			must.OK(b, s.SolveAncestors(b.Context(), m, "low"))
			start := m.Save()
			c := s.Engine.Case("dash")
			evaluations, steps := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				m.Restore(start)
				must.OK(b, m.Settle())
				r, err := transient.Solve(b.Context(), m.Model, c, transient.Options{}, nil)
				if err != nil || !r.Converged {
					b.Fatal(err, r.Message)
				}
				evaluations, steps = r.Solver.Evaluations, r.Solver.Steps
			}
			b.ReportMetric(float64(evaluations), "evaluations/op")
			b.ReportMetric(float64(steps), "steps/op")
			b.ReportMetric(12*float64(b.N)/b.Elapsed().Seconds(), "real-time")
		})
	}
}

// BenchmarkE3VolumesSlam is that of an E3 with five volumes, by each integrator that is
// made for stiff equations. Target: 200.
func BenchmarkE3VolumesSlam(b *testing.B) {
	for _, method := range []string{"rosenbrock", "gear"} {
		b.Run(method, func(b *testing.B) { slamE3(b, enginetest.E3WithVolumes(b), method) })
	}
}

func slamE3(b *testing.B, cfg *config.Engine, method string) {
	s := must.Value(Open(context.Background(), cfg))(b)
	m := must.Value(s.Model.Clone())(b)
	c := &config.Case{
		Name: "slam", Kind: "transient", Transient: &config.Transient{Duration: 12, RTol: 1e-5, ATol: 1e-3,
			Integrator: method, Schedules: []config.Schedule{enginetest.Fuel(0, 0.8*s.Design().Performance.Wf)}}}
	start := m.Save()
	evaluations, steps := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		m.Restore(start)
		must.OK(b, m.Settle())
		r, err := transient.Solve(b.Context(), m.Model, c, transient.Options{}, nil)
		if err != nil || !r.Converged {
			b.Fatal(err, r.Message)
		}
		evaluations, steps = r.Solver.Evaluations, r.Solver.Steps
	}
	b.ReportMetric(float64(evaluations), "evaluations/op")
	b.ReportMetric(float64(steps), "steps/op")
	b.ReportMetric(12*float64(b.N)/b.Elapsed().Seconds(), "real-time")
}
