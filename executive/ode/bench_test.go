package ode

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkStep measures the time of one accepted step of each method, rejected ones and
// the equations (a few dozen flops) included: steps of HIRES, stiff, with 8 unknowns.
func BenchmarkStep(b *testing.B) {
	h := hires()
	for _, m := range Methods() {
		b.Run(m.Name, func(b *testing.B) {
			s := must.Value(m.New(h.Problem, Settings{RTol: 1e-6}, h.t0, h.y0))(b)
			b.ReportAllocs()
			for b.Loop() {
				if s.T() >= h.t1 {
					must.OK(b, s.Reset(h.t0, h.y0))
				}
				must.OK(b, s.Step(h.t1))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkAccuracy measures the cost of digits: a whole run of each reference problem, with its evaluations and the
// correct digits reached.
func BenchmarkAccuracy(b *testing.B) {
	for _, r := range []reference{brusselator(), pleiades(), hires(), vanDerPol()} {
		for _, m := range Methods() {
			if r.name == "van der Pol, mu 1e3" && !m.Stiff {
				continue // millions of steps
			}
			for _, tol := range []float64{1e-4, 1e-7} {
				b.Run(fmt.Sprintf("%s/%s/%.0e", r.name, m.Name, tol), func(b *testing.B) {
					var s Stepper
					for b.Loop() {
						var err error
						if s, err = m.New(r.Problem, Settings{RTol: tol, ATol: []float64{tol * 1e-3}}, r.t0,
							r.y0); err != nil {
							b.Fatal(err)
						}
						for s.T() < r.t1 {
							must.OK(b, s.Step(r.t1))
						}
					}
					b.ReportMetric(digits(s.Y(), r.y1), "digits")
					b.ReportMetric(float64(s.Stats().Evaluations), "evaluations")
				})
			}
		}
	}
}
