package throughflow

import (
	"math"
	"testing"
)

// The estimate of the design throttle passes the design flow within 3 %, and the
// throttles around it make a line that falls from choke to stall.
func TestThrottles(t *testing.T) {
	c := e3Case(t)
	c.Settings = coarse
	c.Exit = Exit{}
	k, err := c.DesignThrottle(e3W, e3PR, e3TR)
	if err != nil {
		t.Fatal(err)
	}
	c.Exit = Exit{K: k}
	_, r := run(t, c)
	if math.Abs(r.W/e3W-1) > 0.03 {
		t.Errorf("W %.1f kg/s at the throttle for %.1f", r.W, e3W)
	}
	ks := Throttles(k, 4)
	if len(ks) != 4 || !(ks[0] < k && ks[3] > k) {
		t.Fatalf("throttles %.4g around %.4g", ks, k)
	}
	last := math.Inf(1)
	for _, x := range ks[:3] {
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
