package components

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
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
// Outside a table its end counts.
type Inlet struct {
	recovery, actual float64
	law              string
	table            *Curve
	mn               float64
	in               *flow.Station
	out              flow.Station
	area             float64
	free             *Freestream
	drag             float64
}

const (
	fixedRecovery = "fixed"
	milRecovery   = "MIL-E-5008B"
	tableRecovery = "table"
)

var inletKind = kind{
	typ: config.Type{
		Name: "inlet", Doc: "Inlet: total pressure recovery and ram drag.",
		Ports: []config.Port{flowIn, flowOut},
		Params: []config.Param{
			number("ram_recovery", unit.None, 1.0, 0.1, 1, "total pressure recovery; with a law over Mach number a factor on it"),
			{Name: "recovery", Kind: config.Word, Words: []string{fixedRecovery, milRecovery, tableRecovery}, Default: fixedRecovery, Doc: "recovery over flight Mach number: constant, by the specification, or that of recovery_table"},
			{Name: "recovery_table", Kind: config.File, Doc: "CSV of recovery over flight Mach number with the columns MN, recovery"},
			exitMN,
		},
		Outputs: []config.Output{
			{Name: "Fram", Dim: unit.Force, Doc: "ram drag"},
			{Name: "eRam", Dim: unit.None, Doc: "total pressure recovery"},
		},
	},
	make: func() Component { return &Inlet{} },
}

// Declare implements Component.
func (c *Inlet) Declare(d *Declaration) {
	d.Number("ram_recovery", &c.recovery)
	d.Word("recovery", &c.law)
	d.Files = append(d.Files, FileSlot{Name: "recovery_table", Read: readCurve("MN", "recovery"), Set: func(v any) { c.table = v.(*Curve) }})
	d.DesignNumber("MN", &c.mn)
	d.In("in", &c.in)
	d.OutSized("out", &c.out, &c.mn, &c.area)
	d.Output("Fram", &c.drag)
	d.Output("eRam", &c.actual)
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
			return fmt.Errorf("recovery is that of a table, and there is none; name one with recovery_table")
		}
		r, _ := c.table.At(c.free.MN)
		c.actual *= r
	}
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
