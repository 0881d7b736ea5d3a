package model

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// mover is a control that moves something, with the balance by which it does.
type mover struct {
	*balance
	signal *float64
}

// addControls makes states, balances and inputs of the model's controls, at rest with
// the present solution as far as they can be.
func (d *dynamics) addControls(c *config.Case) ([]*balance, error) {
	k := d.m.controls
	if !c.Transient.Controls || len(k.cfg) == 0 {
		return nil, nil
	}
	d.controls = k
	var balances []*balance
	want := map[int]float64{}
	for i := range k.cfg {
		at := &k.cfg[i].Moves
		if at.Path == "" {
			continue
		}
		now, vary, err := d.m.moved(at)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", d.m.Engine.File, at.Pos, err)
		}
		want[i] = now
		b := &balance{config.Balance{Vary: vary, Until: at.Path, Target: want[i], Pos: at.Pos}, want[i]}
		balances = append(balances, b)
		d.movers = append(d.movers, mover{b, k.net.Signal(i)})
	}
	for i := range d.inputs { // what schedules ask for at the start is what controls rest with
		if in := &d.inputs[i]; k.owns(in.at) {
			*in.at = in.values[0]
		}
	}
	for _, i := range k.net.Rest(0, k.z, want) {
		d.unrest = append(d.unrest, k.cfg[i].Name)
	}
	for i := range want {
		if d.m.designed && math.IsNaN(*k.net.Signal(i)) {
			return nil, d.valueless(&k.cfg[i])
		}
	}
	for i := range k.cfg {
		if k.net.Sampled(i) {
			held := k.net.Signal(i)
			d.held = append(d.held, len(d.inputs))
			d.inputs = append(d.inputs, input{at: held, t: []float64{0}, values: []float64{*held}})
			continue
		}
		first, n := k.net.Place(i)
		for s := first; s < first+n; s++ {
			if d.m.designed && math.IsNaN(k.z[s]) {
				return nil, d.valueless(&k.cfg[i])
			}
			typical := max(math.Abs(k.z[s]), math.Abs(*k.net.Signal(i)))
			d.states = append(d.states, state{name: k.cfg[i].Name, at: &k.z[s], rate: func() float64 { return k.dz[s] }, typical: magnitude(&typical), dim: unit.None})
		}
	}
	return balances, nil
}

// valueless tells of a control that cannot be at rest.
func (d *dynamics) valueless(c *config.Control) error {
	return fmt.Errorf("%s:%v: control %s has no value where the engine starts: something that it follows has none there, as a stall margin has on a map without a stall line, or follows it in turn", d.m.Engine.File, c.Pos, c.Name)
}

// moved is what a control moves, as it stands, and the parameter that is varied for it.
func (m *Model) moved(at *config.Move) (now float64, vary string, err error) {
	if at.Vary != "" {
		r, err := m.Read(at.Path)
		if err != nil {
			return 0, "", err
		}
		return r.Get(), at.Vary, nil
	}
	_, p, designOnly, err := m.Parameter(at.Path)
	switch {
	case err != nil:
		return 0, "", err
	case designOnly:
		return 0, "", fmt.Errorf("%s fixes the design and has no effect off design", at.Path)
	}
	return *p, at.Path, nil
}

// follows sets the signals and what they ask for, after the engine was evaluated.
func (d *dynamics) follows() {
	k := d.controls
	k.net.Signals(d.now, k.z)
	for i := range d.movers {
		d.movers[i].target = *d.movers[i].signal
	}
}

// sample lets the sampled controls act at t, s, where the engine is, and tells whether
// any did.
func (d *dynamics) sample(t float64) bool {
	if d.controls == nil || !d.controls.net.Sample(t, d.controls.z) {
		return false
	}
	for _, i := range d.held {
		d.inputs[i].values[0] = *d.inputs[i].at
	}
	d.known = false
	return true
}

// memory is what changed for good at a time, for a checkpoint: what sampled controls
// remember from one sample to the next, and which flames are out. The states of
// continuous controls are those of the integrator.
func (d *dynamics) memory() []float64 {
	var out []float64
	if d.controls != nil {
		out = d.controls.net.Memory()
	}
	for _, f := range d.flames {
		switch {
		case f.blown:
			out = append(out, 2)
		case f.out:
			out = append(out, 1)
		default:
			out = append(out, 0)
		}
	}
	return out
}

// setMemory takes up what memory gave.
func (d *dynamics) setMemory(m []float64) error {
	if want := len(d.memory()); len(m) != want {
		return fmt.Errorf("%d values are remembered, want %d", len(m), want)
	}
	n := len(m) - len(d.flames)
	if d.controls != nil {
		if err := d.controls.net.SetMemory(m[:n]); err != nil {
			return err
		}
	}
	for _, i := range d.held {
		d.inputs[i].values[0] = *d.inputs[i].at
	}
	for i := range d.flames {
		switch f := &d.flames[i]; m[n+i] {
		case 2:
			d.putOut(f)
		case 1:
			f.out = true
		}
	}
	d.known = false
	return nil
}
