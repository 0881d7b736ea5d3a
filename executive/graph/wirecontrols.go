package graph

// Wiring of an engine's controls: this file makes the control blocks and finds the signals
// that they measure.

import (
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/components/control"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// joinControls makes the controls of an engine. The components must be wired before.
func (m *Model) joinControls() error {
	k := &Controls{Config: m.Engine.Controls, index: map[string]int{}}
	for i, c := range k.Config {
		k.index[c.Name] = i
	}
	m.Controls = &Controls{} // paths that controls measure must not resolve to controls
	nodes := make([]control.Node, len(k.Config))
	k.decl = make([]control.Declaration, len(k.Config))
	for i := range k.Config {
		c := &k.Config[i]
		block, decl, err := control.New(c)
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, c.Pos, c.Name, err)
		}
		k.decl[i] = *decl
		nodes[i] = control.Node{Name: c.Name, Block: block, Period: c.Period}
		for _, s := range c.In {
			src, err := k.source(m, c, &k.decl[i], s)
			if err != nil {
				return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, c.Pos, c.Name, err)
			}
			nodes[i].In = append(nodes[i].In, src)
		}
		k.Timed = k.Timed || c.Formula != nil && c.Formula.Timed
	}
	var err error
	if k.Network, err = control.NewNetwork(nodes); err != nil {
		if loop, ok := errors.AsType[*control.LoopError](err); ok {
			return fmt.Errorf("%s:%v: %w", m.Engine.File, k.Config[k.index[loop.Names[0]]].Pos, err)
		}
		return err
	}
	k.States, k.Rates = make([]float64, k.Network.States()), make([]float64, k.Network.States())
	m.Controls = k
	return nil
}

// source returns where a signal comes from: another control, a parameter, or an output of
// the engine. A parameter is added to the numbers of the control.
func (k *Controls) source(m *Model, c *config.Control, d *control.Declaration,
	s config.Signal) (control.Source, error) {
	switch {
	case s.Control != "":
		return control.Source{Node: k.index[s.Control]}, nil
	case s.Param != "":
		value := c.Values.Num(s.Param)
		d.Numbers = append(d.Numbers, parameter.Number{Name: s.Param, At: &value})
		return control.Source{Read: func() float64 { return value }}, nil
	}
	at, err := m.Read(s.Path)
	if err != nil {
		return control.Source{}, err
	}
	k.Statics, k.Margins = k.Statics || at.Statics, k.Margins || at.Margins
	return control.Source{Read: at.Get}, nil
}
