package throughflow

import "testing"

// One implicit step on the E3 fan's default mesh; ns/cell is the time per cell and
// iteration on one core.
func BenchmarkStep(b *testing.B) {
	c := e3Case(b)
	s := newSolver(b, c)
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
		run(b, c)
	}
}
