package transient

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// A guess extrapolates the last change. It is the last solution before anything was learned
// and after forget.
func TestPredictor(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		slope := rapid.Float64Range(-3, 3)
		a, b := slope.Draw(t, "a"), slope.Draw(t, "b")
		f := func(u []float64) []float64 { return []float64{1 + a*math.Log(u[0]), 2 + b*math.Log(u[0])} }
		p := newPredictor(2, 2)
		from, to := []float64{100, 5}, []float64{101, 5}
		if x := p.at(to, from, f(from)); x[0] != f(from)[0] || x[1] != f(from)[1] {
			t.Fatalf("before it learned anything it guesses %v", x)
		}
		p.learn(to, from, f(to), f(from))
		next := []float64{102, 5}
		got, want, before := p.at(next, to, f(to)), f(next), f(to)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 0.05*math.Abs(want[i]-before[i])+1e-14 {
				t.Fatalf("guess %v, solution %v", got, want)
			}
		}
		p.forget()
		if x := p.at(next, to, f(to)); x[0] != before[0] {
			t.Fatalf("after it forgot it guesses %v, not %v", x, before)
		}
	})
}
