package model

// The controls of an engine in a transient: their states, and what they move.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// mover is a control that moves a quantity of the engine, with the balance by which it does.
type mover struct {
	*balance
	signal *float64
}

// addControls adds the states, balances and inputs of the model's controls. The controls
// start at rest at the present solution, as far as that is possible.
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
		now, vary, err := d.m.moveTarget(at)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", d.m.Engine.File, at.Pos, err)
		}
		want[i] = now
		b := &balance{config.Balance{Vary: vary, Until: at.Path, Target: want[i], Pos: at.Pos}, want[i]}
		balances = append(balances, b)
		d.movers = append(d.movers, mover{b, k.net.Signal(i)})
	}
	if err := d.addLevers(); err != nil {
		return nil, err
	}
	for i := range d.inputs { // controls come to rest with the scheduled values at the start
		if in := &d.inputs[i]; k.owns(in.at) {
			*in.at = in.values[0]
		}
	}
	for _, i := range k.net.Rest(0, k.z, want) {
		d.unsettled = append(d.unsettled, k.cfg[i].Name)
	}
	for i := range want {
		if d.m.designed && math.IsNaN(*k.net.Signal(i)) {
			return nil, d.noValueError(&k.cfg[i])
		}
	}
	for i := range k.cfg {
		if k.net.Sampled(i) {
			held := k.net.Signal(i)
			d.sampledInputs = append(d.sampledInputs, len(d.inputs))
			d.inputs = append(d.inputs, input{at: held, t: []float64{0}, values: []float64{*held}})
			continue
		}
		first, n := k.net.Place(i)
		for s := first; s < first+n; s++ {
			if d.m.designed && math.IsNaN(k.z[s]) {
				return nil, d.noValueError(&k.cfg[i])
			}
			typical := max(math.Abs(k.z[s]), math.Abs(*k.net.Signal(i)))
			d.states = append(d.states,
				state{name: k.cfg[i].Name, at: &k.z[s], rate: func() float64 { return k.dz[s] },
					typical: magnitude(&typical), dim: unit.None})
		}
	}
	return balances, nil
}

// addLevers adds the values of the input controls that the case leaves as they are: somebody may move them.
func (d *dynamics) addLevers() error {
	for i := range d.controls.cfg {
		c := &d.controls.cfg[i]
		if c.Type.Name != "input" {
			continue
		}
		path := c.Name + ".value"
		_, at, _, err := d.m.Parameter(path)
		if err != nil {
			return fmt.Errorf("%s:%v: %w", d.m.Engine.File, c.Pos, err)
		}
		if !slices.ContainsFunc(d.inputs, func(in input) bool { return in.at == at }) {
			d.inputs = append(d.inputs, input{name: path, at: at, t: []float64{0}, values: []float64{*at}})
		}
	}
	return nil
}

// noValueError reports a control whose signal has no value at the start.
func (d *dynamics) noValueError(c *config.Control) error {
	return fmt.Errorf("%s:%v: control %s has no value where the engine starts: one of its inputs has none there "+
		"(such as a stall margin on a map without a stall line), or depends on the control itself", d.m.Engine.File,
		c.Pos, c.Name)
}

// moveTarget returns the present value of the quantity that a control moves, and the
// parameter that is varied for it.
func (m *Model) moveTarget(at *config.Move) (now float64, vary string, err error) {
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

// updateControls sets the controls' signals and the targets that they move. It runs after
// each evaluation of the engine.
func (d *dynamics) updateControls() {
	k := d.controls
	k.net.Signals(d.controlTime, k.z)
	for i := range d.movers {
		d.movers[i].target = *d.movers[i].signal
	}
}

// sample runs the sampled controls at t, s, and reports whether any of them acted.
func (d *dynamics) sample(t float64) bool {
	if d.controls == nil || !d.controls.net.Sample(t, d.controls.z) {
		return false
	}
	for _, i := range d.sampledInputs {
		d.inputs[i].values[0] = *d.inputs[i].at
	}
	d.haveRates = false
	return true
}

// discreteState returns what changes at single instants, for a checkpoint: the memory of
// sampled controls, and which flames are out. The integrator has the states of continuous
// controls.
func (d *dynamics) discreteState() []float64 {
	var out []float64
	if d.controls != nil {
		out = d.controls.net.Memory()
	}
	for _, f := range d.flames {
		switch {
		case f.blownOut:
			out = append(out, 2)
		case f.out:
			out = append(out, 1)
		default:
			out = append(out, 0)
		}
	}
	return out
}

// setDiscreteState restores what discreteState returned.
func (d *dynamics) setDiscreteState(m []float64) error {
	if want := len(d.discreteState()); len(m) != want {
		return fmt.Errorf("%d values are remembered, want %d", len(m), want)
	}
	n := len(m) - len(d.flames)
	if d.controls != nil {
		if err := d.controls.net.SetMemory(m[:n]); err != nil {
			return err
		}
	}
	for _, i := range d.sampledInputs {
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
	d.haveRates = false
	return nil
}
