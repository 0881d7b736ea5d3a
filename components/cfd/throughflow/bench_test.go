package throughflow

import (
	"context"
	"testing"

	"github.com/peregrine-sim/peregrine/components/cfd/march"
)

// One implicit step on the E3 fan's default mesh; ns/cell is the time per cell and
// iteration on one core.
func BenchmarkStep(b *testing.B) {
	c := e3Case(b)
	s, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	s.at = len(s.levels) - 1
	l := s.levels[s.at]
	for b.Loop() {
		if !l.step(&s.c) {
			b.Fatal("diverged")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(l.m.nz*l.m.nr), "ns/cell")
}

// A cold run of the E3 fan rotor at its design point, meshing and all.
func BenchmarkE3Point(b *testing.B) {
	c := e3Case(b)
	for b.Loop() {
		s, err := New(c)
		if err != nil {
			b.Fatal(err)
		}
		r, err := s.Run(context.Background(), nil)
		if err != nil || r.Status != march.Converged {
			b.Fatal(err, r.Status)
		}
	}
}
