package mesh

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Spacing meets its ends, grows without jumps and starts near the step asked for.
func TestSpaced(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 100).Draw(t, "n")
		first := rapid.Float64Range(0.02, 1).Draw(t, "first") / float64(n)
		last := rapid.Float64Range(0.02, 1).Draw(t, "last") / float64(n)
		if rapid.Bool().Draw(t, "open") {
			last = 0
		}
		x := Spaced(n, first, last)
		if x[0] != 0 || x[n] != 1 {
			t.Fatalf("ends %g, %g", x[0], x[n])
		}
		for i := 1; i <= n; i++ {
			if x[i] <= x[i-1] {
				t.Fatalf("step %d goes back", i)
			}
		}
		if r := x[1] / first; r < 0.3 || r > 3 {
			t.Errorf("first step %.3g, asked for %.3g", x[1], first)
		}
	})
}
