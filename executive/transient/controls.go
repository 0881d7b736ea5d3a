package transient

// The controls of an engine in a transient: their states, and the quantities that they move.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/graph"
)

// addControls adds the states, balances and inputs of the model's controls. The controls
// start at rest at the present solution, as far as that is possible.
func (d *dynamics) addControls(c *config.Case) ([]*graph.Balance, error) {
	k := d.m.Controls
	if !c.Transient.Controls || len(k.Config) == 0 {
		return nil, nil
	}
	d.controls = k
	var balances []*graph.Balance
	want := map[int]float64{}
	for i := range k.Config {
		at := &k.Config[i].Moves
		if at.Path == "" {
			continue
		}
		now, vary, err := moveTarget(d.m, at)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", d.m.Engine.File, at.Pos, err)
		}
		want[i] = now
		b := graph.NewBalance(config.Balance{Vary: vary, Until: at.Path, Target: want[i], Pos: at.Pos})
		balances = append(balances, b)
		d.movers = append(d.movers, mover{b, k.Network.Signal(i)})
	}
	if err := d.addLevers(); err != nil {
		return nil, err
	}
	for i := range d.inputs { // controls come to rest with the scheduled values at the start
		if in := &d.inputs[i]; k.Owns(in.at) {
			*in.at = in.values[0]
		}
	}
	for _, i := range k.Network.Rest(0, k.States, want) {
		d.unsettled = append(d.unsettled, k.Config[i].Name)
	}
	for i := range want {
		if d.m.Designed && math.IsNaN(*k.Network.Signal(i)) {
			return nil, d.noValueError(&k.Config[i])
		}
	}
	for i := range k.Config {
		if k.Network.Sampled(i) {
			held := k.Network.Signal(i)
			d.sampledInputs = append(d.sampledInputs, len(d.inputs))
			d.inputs = append(d.inputs, input{at: held, t: []float64{0}, values: []float64{*held}})
			continue
		}
		first, n := k.Network.Place(i)
		for s := first; s < first+n; s++ {
			if d.m.Designed && math.IsNaN(k.States[s]) {
				return nil, d.noValueError(&k.Config[i])
			}
			typical := max(math.Abs(k.States[s]), math.Abs(*k.Network.Signal(i)))
			d.states = append(d.states,
				state{name: k.Config[i].Name, at: &k.States[s], rate: func() float64 { return k.Rates[s] },
					typical: magnitude(&typical), dim: unit.None})
		}
	}
	return balances, nil
}

// addLevers adds the values of the input controls that the case does not schedule: the user may steer them.
func (d *dynamics) addLevers() error {
	for i := range d.controls.Config {
		c := &d.controls.Config[i]
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

// moveTarget returns the present value of the quantity that a control moves, and the parameter varied for it.
func moveTarget(m *graph.Model, at *config.Move) (now float64, vary string, err error) {
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

// updateControls sets the controls' signals and the targets that they move. It runs after each evaluation of the
// engine.
func (d *dynamics) updateControls() {
	k := d.controls
	k.Network.Signals(d.controlTime, k.States)
	for i := range d.movers {
		d.movers[i].Current = *d.movers[i].signal
	}
}

// sample runs the sampled controls at t, s, and reports whether any of them acted.
func (d *dynamics) sample(t float64) bool {
	if d.controls == nil || !d.controls.Network.Sample(t, d.controls.States) {
		return false
	}
	for _, i := range d.sampledInputs {
		d.inputs[i].values[0] = *d.inputs[i].at
	}
	d.haveRates = false
	return true
}
