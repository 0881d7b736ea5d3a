package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Inlet brings the free stream to the engine face.
//
//	Pt_out = ram_recovery r(MN) Pt_in,  ht_out = ht_in
//	Fram   = W V
//
// r(MN), over the flight Mach number, is 1 (`recovery: fixed`), a table's, or that of
// US Military Specification MIL-E-5008B, an estimate for supersonic inlets:
//
//	r = 1                               MN <= 1
//	r = 1 - 0.075 (MN - 1)^1.35         1 < MN < 5
//	r = 800/(MN^4 + 935)                MN >= 5
//
// (as in Mattingly, Elements of Gas Turbine Propulsion, 1996, equations 4.12.)
// Outside a table its end counts. A flow solver may give the recovery over flight Mach number and corrected flow; see
// LawUse.
type Inlet struct {
	recovery, actual float64
	law              string
	table            *Curve
	mn               float64
	in               *flow.Station
	out              flow.Station
	area             float64
	free             *Freestream
	use              LawUse
	drag             float64
}

const (
	fixedRecovery = "fixed"
	milRecovery   = "MIL-E-5008B"
	tableRecovery = "table"
)

// Declare implements Component.
func (c *Inlet) Declare(d *Declaration) {
	d.Describe("inlet", "Inlet: total pressure recovery and ram drag.")
	d.Also("intake", "diffuser")
	d.Number("ram_recovery", &c.recovery, unit.None,
		"total pressure recovery; with a law over Mach number a factor on it").Default(1).Within(0.1, 1).Also(
		"eRamBase", "eRam")
	d.Word("recovery", &c.law,
		"recovery over flight Mach number: constant, by the specification, or that of recovery_table", fixedRecovery,
		milRecovery, tableRecovery)
	d.File("recovery_table", readCurve("MN", "recovery"), func(v any) { c.table = v.(*Curve) },
		"CSV of recovery over flight Mach number with the columns MN, recovery")
	d.exitMN(&c.mn)
	d.In("in", &c.in, "flow in")
	d.Out("out", &c.out, "flow out").Sized(&c.mn, &c.area)
	d.Output("Fram", &c.drag, unit.Force, "ram drag")
	d.Output("eRam", &c.actual, unit.None, "total pressure recovery")
	c.use.fits = func() error {
		if c.law != fixedRecovery {
			return fmt.Errorf("law %s gives its recovery already; leave recovery out", c.law)
		}
		return nil
	}
	d.Law(&c.use, []string{"MN", "Wc"}, []string{"eRam"})
	d.Free = &c.free
	d.Drag = &c.drag
}

// Eval implements Component.
func (c *Inlet) Eval(x *Context) error {
	c.actual = c.recovery
	switch c.law {
	case milRecovery:
		c.actual *= milE5008B(c.free.MN)
	case tableRecovery:
		if c.table == nil {
			return fmt.Errorf("the recovery law is a table, but no table is given: name its file with recovery_table")
		}
		r, _ := c.table.At(c.free.MN)
		c.actual *= r
	}
	c.actual = c.use.look(x.Mode, pair{c.free.MN, c.in.Wc()}, pair{c.actual})[0]
	c.drag = c.in.W * c.free.V
	c.out.W, c.out.Comp = c.in.W, c.in.Comp
	return c.out.SetHP(x.Gas, c.in.H, c.in.P*c.actual)
}

func milE5008B(mn float64) float64 {
	switch {
	case mn <= 1:
		return 1
	case mn < 5:
		return 1 - 0.075*math.Pow(mn-1, 1.35)
	}
	return 800 / (mn*mn*mn*mn + 935)
}
