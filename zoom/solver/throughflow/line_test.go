package throughflow

import (
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The estimate of the design throttle passes the design flow within 3 %, and
// from throttle to throttle around it the flow falls.
func TestDesignThrottle(t *testing.T) {
	c := coarseE3(t)
	c.Exit = march.Exit{}
	k := must.Value(c.DesignThrottle(e3W, e3PR, e3TR))(t)
	c.Exit = march.Exit{K: k}
	_, r := run(t, c)
	must.Near(t, "flow at the throttle", r.W, e3W, 0.03)
	last := math.Inf(1)
	for _, share := range []float64{0.75, 1.08} {
		x := share * k
		c.Exit.K = x
		_, r := run(t, c)
		if r.W >= last {
			t.Errorf("W %.2f kg/s at K %.4g, %.2f at the wider throttle", r.W, x, last)
		}
		last = r.W
	}
	if _, err := c.DesignThrottle(-1, 1, 1); err == nil {
		t.Error("a negative flow has a throttle")
	}
}
