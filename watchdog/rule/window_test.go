package rule

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

var table = origin{file: "history.dat"}

func add(s *series, iter, x float64) { s.add(place{iter: iter}, iter, x, table) }

// decay is x = a 10^(-rate i) with a swing of so many orders and that period.
func decay(n int, a, rate, swing, period float64) *series {
	s := newSeries(keep{values: 300, logs: 300, level: true})
	for i := range n {
		x := float64(i)
		add(s, x, a*math.Pow(10, -rate*x+swing/2*math.Sin(2*math.Pi*x/period)))
	}
	return s
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// A straight decay: its slope is exact, and nothing wobbles about it.
func TestDecay(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(-0.05, 0.05).Draw(t, "rate")
		a := math.Pow(10, rapid.Float64Range(-8, 8).Draw(t, "a"))
		s := decay(200, a, rate, 0, 1)
		if got := s.trend(span{n: 100}); !near(got, -rate, 1e-9) {
			t.Errorf("trend %g; want %g", got, -rate)
		}
		if size := s.wobble(span{n: 100}); !near(size, 0, 1e-9) {
			t.Errorf("wobble %g", size)
		}
		if want := 199 * rate; rate > 0 && !near(s.drop(span{}), want, 1e-9) {
			t.Errorf("drop %g; want %g", s.drop(span{}), want)
		}
		if rate < 0 && !near(s.rise(span{}), -199*rate, 1e-9) {
			t.Errorf("rise %g", s.rise(span{}))
		}
	})
}

// A swing of one order and a period of 20 iterations, seen over five periods: the
// line through them is not quite level, which adds 0.13.
func TestSwing(t *testing.T) {
	s := decay(300, 1, 0, 1, 20)
	size, crossings := s.wobble(span{n: 100}), s.crossings(span{n: 100})
	if !near(size, 1, 0.15) || crossings < 8 || crossings > 11 {
		t.Errorf("wobble %g, crossings %g", size, crossings)
	}
	if s.steady(span{n: 100}, 0.5) || !s.steady(span{n: 100}, 10) {
		t.Error("steady")
	}
}

// Until a window has passed, nothing is known.
func TestWindowNotFull(t *testing.T) {
	s := decay(49, 1, 0.1, 0, 1)
	if !math.IsNaN(s.trend(span{n: 50})) || s.steady(span{n: 50}, 1e9) {
		t.Error("49 iterations pass for 50")
	}
	add(s, 49, 1e-5)
	if math.IsNaN(s.trend(span{n: 50})) {
		t.Error("50 iterations do not")
	}
	none := newSeries(keep{values: 50, logs: 50, level: true})
	if !math.IsNaN(none.trend(span{n: 50})) || !math.IsNaN(none.drop(span{})) ||
		!math.IsNaN(none.rise(span{})) || none.steady(span{n: 1}, 1) {
		t.Error("a value that never came")
	}
}

// Lines every tenth iteration: windows count iterations, not lines.
func TestSparse(t *testing.T) {
	s := newSeries(keep{values: 200, logs: 200, level: true})
	for i := 0; i <= 200; i += 10 {
		add(s, float64(i), math.Pow(10, -0.01*float64(i)))
	}
	if got := s.trend(span{n: 100}); !near(got, -0.01, 1e-12) {
		t.Errorf("trend %g per iteration", got)
	}
	if from, ok := s.window(span{n: 100}); !ok || s.iter[from] != 110 {
		t.Errorf("window from %d", from)
	}
}

// However long a run is, its memory is bounded and its windows right.
func TestBounded(t *testing.T) {
	for _, k := range []keep{{logs: 2000, level: true}, {values: 2000, logs: 2000, level: true},
		{values: 2000, level: true}} {
		s := newSeries(k)
		for i := range 20 * 2000 {
			add(s, float64(i), math.Pow(10, -1e-4*float64(i)))
		}
		if n := 2000 + 2000/64; len(s.iter) > n || cap(s.iter) > n || cap(s.log) > n || cap(s.val) > n {
			t.Errorf("%d samples kept", len(s.iter))
		}
		if got := s.rise(span{}); got != 0 {
			t.Errorf("rise %g", got)
		}
		if got := s.drop(span{}); !near(got, 1e-4*(20*2000-1), 1e-9) {
			t.Errorf("drop %g", got)
		}
		if k.logs == 0 {
			if w := s.spread(span{n: 2000}); !(w.mean > 0) {
				t.Errorf("mean %g", w.mean)
			}
			continue
		}
		if got := s.trend(span{n: 2000}); !near(got, -1e-4, 1e-12) {
			t.Errorf("trend %g", got)
		}
	}
}

// A solver that starts again starts its history again.
func TestRestart(t *testing.T) {
	s := decay(100, 1, 0.1, 0, 1)
	s.add(place{start: 1, iter: 1}, 1, 1e-20, table)
	if len(s.iter) != 1 || s.drop(span{}) != 0 {
		t.Errorf("%d values, drop %g", len(s.iter), s.drop(span{}))
	}
}

// Names that differ by a letter or digit at the end of a word are of neighbours; other slips are told.
func TestSlips(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"forceZ", "forceX"}:                           false,
		{"probeB_p", "probeA_p"}:                       false,
		{"T_stage2a", "T_stage2"}:                      false,
		{"T_stage2", "T_stage2b"}:                      false,
		{"residual_z-velocity", "residual_x-velocity"}: false,
		{"residual_k", "residual_p"}:                   false,
		{"residul_p", "residual_p"}:                    true,
		{"Massflow", "mass_flow"}:                      true,
		{"residaul_p", "residual_p"}:                   true,
	} {
		if got := misspells(pair[0], pair[1]); got != want {
			t.Errorf("%s for %s: %v", pair[0], pair[1], got)
		}
	}
}

// A quantile of a time with very many samples takes few of them, evenly.
func TestManySamples(t *testing.T) {
	s := newSeries(keep{values: minSamples, wall: 1e9})
	for i := range 3 * mostSorted {
		add(s, float64(i), float64(i))
	}
	w := span{n: 2.5 * mostSorted, wall: true}
	if got, n := s.median(w), len(s.orders[0].of); n > mostSorted || !near(got, 1.75*mostSorted, 3) {
		t.Errorf("median %g of %d", got, n)
	}
}
