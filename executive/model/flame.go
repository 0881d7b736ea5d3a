package model

import (
	"github.com/peregrine-sim/peregrine/components"
)

// flame is a burner's flame. It goes out where the mixture gets too lean, or where a schedule
// puts it out. It does not relight: relight is not modelled.
type flame struct {
	part     string
	burner   components.Flame
	input    int // index of the input that switches it on and off
	out      bool
	blownOut bool // by itself
}

// findFlames lists the flames that can go out. Whether a flame burns is an input.
func (d *dynamics) findFlames() {
	for _, p := range d.m.Parts {
		b, ok := p.Component.(components.Flame)
		if !ok {
			continue
		}
		f := flame{part: p.Name, burner: b, input: len(d.inputs)}
		for i := range d.inputs {
			if d.inputs[i].at == b.Lit() {
				f.input = i // scheduled
			}
		}
		if f.input == len(d.inputs) {
			if !b.MayBlowOut() {
				continue
			}
			d.inputs = append(d.inputs, input{at: b.Lit(), t: []float64{0}, values: []float64{*b.Lit()}})
		}
		d.flames = append(d.flames, f)
	}
}

// putOut puts a flame out for the rest of the transient, against any schedule.
func (d *dynamics) putOut(f *flame) {
	f.out, f.blownOut = true, true
	in := &d.inputs[f.input]
	*in = input{at: in.at, t: []float64{0}, values: []float64{0}}
	d.haveRates = false
}
