package transient

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"pgregory.net/rapid"
)

// An input is met at its points, from both sides of a step, and lies between
// neighbouring points otherwise.
func TestInputs(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "points")
		in := input{}
		for i := range n {
			at := 0.0
			if i > 0 {
				at = in.t[i-1] + float64(rapid.IntRange(0, 3).Draw(t, "gap"))
				if i > 1 && at == in.t[i-2] {
					at++ // two points at one time at most
				}
			}
			in.t, in.values = append(in.t, at), append(in.values, rapid.Float64Range(-5, 5).Draw(t, "value"))
		}
		kinks := breaks([]config.Schedule{{T: in.t}}, in.t[n-1]+1)
		from := 0.0
		for _, to := range kinks {
			in.enter(from)
			before, after := in.value(from), in.value(to)
			wantAfter, wantBefore := in.values[0], in.values[0]
			for i, at := range in.t {
				if at <= from {
					wantBefore = in.values[i]
				}
				if at <= from || at == to && (i == 0 || in.t[i-1] < to) {
					wantAfter = in.values[i]
				}
			}
			if before != wantBefore || math.Abs(after-wantAfter) > 1e-12 {
				t.Fatalf("from %g s: %g, want %g; to %g s: %g, want %g; %v %v", from, before, wantBefore, to, after,
					wantAfter, in.t, in.values)
			}
			if mid := in.value((from + to) / 2); math.Abs(mid-(before+after)/2) > 1e-12 {
				t.Fatalf("between %g and %g it is %g", before, after, mid)
			}
			from = to
		}
	})
}
