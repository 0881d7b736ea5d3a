package components

import (
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// NewBleed makes the bleed of a checked file entry.
func NewBleed(values config.Values) (*Bleed, *Declaration, error) {
	b := &Bleed{}
	d, err := Declare(b, values)
	if !values.Has("pressure") {
		b.pressure = b.work
	}
	return b, d, err
}

// Declare implements Component.
func (b *Bleed) Declare(d *Declaration) {
	d.Describe("bleed", "Bleed: part of a compressor's flow that cools a turbine or leaves the engine.")
	d.Number("W", &b.share, unit.None, "share of the source's inlet flow").Within(0, 0.9).Required()
	d.Number("work", &b.work, unit.None,
		"share of the source's enthalpy rise that it has at extraction; 1 is the exit").Default(1).Within(0, 1)
	d.Number("pressure", &b.pressure, unit.None,
		"share of the source's pressure rise that it has at extraction; default: as work").Within(0, 1).Also(
		"frac_P", "fracBldP")
	d.Number("enters", &b.enters, unit.None,
		"where it enters a turbine: 1 at its inlet pressure, 0 at its exit pressure, where it does no work").Default(
		0).Within(0, 1)
	d.Flag("nonchargeable", &b.nonchargeable,
		"mixes with the main flow ahead of the turbine's rotor, so that it does full work and T41 includes it")
	d.Outlets = []OutPort{{Port: "out", At: &b.flow, Internal: true}} // no port: its state has the bleed's own name
	d.Output("W", &b.flow.W, unit.MassFlow, "flow")
}

// Eval implements Component; a bleed is evaluated by its source.
func (b *Bleed) Eval(*Context) error { return nil }

// leave sets the stream where it leaves a compression and returns its flow.
func (b *Bleed) leave(g gas.Model, in, out *flow.Station) (float64, error) {
	b.flow.Comp = in.Comp
	b.flow.W = b.share * in.W
	h := in.H + b.work*(out.H-in.H)
	p := in.P + b.pressure*(out.P-in.P)
	return b.flow.W, b.flow.SetHP(g, h, p)
}

// Flow is the stream.
func (b *Bleed) Flow() *flow.Station { return &b.flow }
