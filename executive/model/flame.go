package model

import (
	"github.com/peregrine-sim/peregrine/components"
)

// flame is that of a burner, which goes out where its fuel gets too lean, or where a
// schedule puts it out. It does not come back by itself: relight is not modelled.
type flame struct {
	part   string
	burner components.Flame
	input  int // that says whether it burns
	out    bool
	blown  bool // by itself
}

// findFlames makes inputs of whether burners burn.
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

// putOut makes a flame one that went out by itself, whatever a schedule says.
func (d *dynamics) putOut(f *flame) {
	f.out, f.blown = true, true
	in := &d.inputs[f.input]
	*in = input{at: in.at, t: []float64{0}, values: []float64{0}}
	d.known = false
}
