package components

import (
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// The specification's law: no loss below Mach 1, its two branches above, and the
// figures that are printed with it.
func TestMilE5008B(t *testing.T) {
	for _, c := range []struct{ mn, want float64 }{
		{0, 1}, {1, 1}, {2, 0.925}, {1.5, 1 - 0.075*0.3922920489483754}, {5, 800.0 / 1560}, {6, 800.0 / 2231},
	} {
		near(t, "recovery", milE5008B(c.mn), c.want, 1e-12)
	}
}

func TestInletRecoveryLaws(t *testing.T) {
	x := design(t)
	at := func(mn float64, params map[string]any) float64 {
		c, d := build(t, "inlet", params)
		table := must.Value(d.Files[0].Read(strings.NewReader("MN,recovery\n0,0.9\n1,1\n2,0.8\n")))(t)
		d.Files[0].Set(table)
		feed(t, d, "in", inflow(t, x, 100, 400, 1e5, 0))
		*d.Free = &Freestream{V: 100, MN: mn}
		eval(t, c, x)
		near(t, "eRam", value(t, d, "eRam"), outlet(t, d, "out").P/1e5, 1e-12)
		return outlet(t, d, "out").P / 1e5
	}
	near(t, "fixed", at(2, map[string]any{"ram_recovery": 0.97}), 0.97, 1e-14)
	near(t, "MIL-E-5008B", at(2, map[string]any{"recovery": "MIL-E-5008B", "ram_recovery": 0.97}), 0.97*0.925, 1e-14)
	near(t, "table", at(0.5, map[string]any{"recovery": "table"}), 0.95, 1e-14)
	near(t, "beyond the table", at(3, map[string]any{"recovery": "table"}), 0.8, 1e-14)
	c, d := build(t, "inlet", map[string]any{"recovery": "table"})
	feed(t, d, "in", inflow(t, x, 100, 400, 1e5, 0))
	*d.Free = &Freestream{}
	must.Fail(t, c.Eval(x), "recovery_table")
}
