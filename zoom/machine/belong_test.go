package machine

import (
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// The face of E3's fan, 3.086 m2, takes its 643.7 kg/s. It passes at most 241.2 kg/s a square metre, as air of the
// standard day does at Mach 1, and a tenth of its flow is that of another engine.
func TestBladesTakeTheFlow(t *testing.T) {
	g := must.Value(blade.Parse(must.Value(os.ReadFile("../../config/examples/geometry/e3-fan.yaml"))(t)))(t)
	for _, c := range []struct {
		wc   float64
		want string
	}{
		{643.7, ""}, {720, ""}, {800, "passes at most 744.4 kg/s"},
		{60, "the flow would enter at Mach 0.047, want 0.05"},
	} {
		m := Machine{Name: "fan", Type: "fan", Gamma: 1.4, R: 287.05, Nc: 3739, Wc: c.wc}
		err := m.Belong(g)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%g kg/s: %v, want %q", c.wc, err, c.want)
		}
	}
}
