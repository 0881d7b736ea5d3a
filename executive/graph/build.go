package graph

// A model is built from an engine file: components are made, wired at their ports, sorted,
// and given their maps and controls. This file calls all others that take part in building.

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
)

// New wires an engine. Errors name the component.
func New(cfg *config.Engine) (*Model, error) { return NewWith(cfg, components.New) }

// NewWith is New with the function that makes components.
func NewWith(cfg *config.Engine, makeComponent componentMaker) (*Model, error) {
	g, err := newGas(cfg)
	if err != nil {
		return nil, err
	}
	return newModel(cfg, &sharedData{gas: g, makeComponent: makeComponent, read: map[string]any{}})
}

// newGas makes the gas of an engine file.
func newGas(cfg *config.Engine) (gas.Model, error) {
	g := cfg.Gas
	var model gas.Model
	convention, err := gas.ConventionOf(g.Convention)
	if err == nil {
		var fuel gas.Fuel
		if fuel, err = convention.NewFuel(g.Fuel.Name, g.Fuel.Formula, g.Fuel.LHV, g.Fuel.Enthalpy); err == nil {
			model, err = convention.New(g.Model, fuel)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%v: %w", cfg.File, g.Pos, err)
	}
	return model, nil
}

func newModel(cfg *config.Engine, lib *sharedData) (*Model, error) {
	m := &Model{Engine: cfg, lib: lib, Index: map[string]*Part{}}
	m.Context.Gas = lib.gas
	for i := range cfg.Components {
		c := &cfg.Components[i]
		comp, decl, err := lib.makeComponent(c)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", cfg.File, c.Pos, err)
		}
		p := &Part{Name: c.Name, Type: c.Type, Component: comp, Declaration: decl, stations: c.Stations}
		if n := p.NumberAt(decl.WAR); n != nil {
			humidity := c.Values[n.Name]
			// --set has no place, and may replace the file's
			if humidity.Pos != (document.Pos{}) && cfg.Gas.WARPos != (document.Pos{}) {
				return nil, fmt.Errorf(
					"%s:%v: %s.%s: the water in the air is given as gas.WAR, too, at %v; keep one of them", cfg.File,
					humidity.Pos, c.Name, n.Name, cfg.Gas.WARPos)
			}
			if cfg.Gas.WAR != 0 && !humidity.Set {
				*n.At = cfg.Gas.WAR
			}
		}
		m.add(p)
	}
	if err := m.wire(); err != nil {
		return nil, err
	}
	if err := m.order(); err != nil {
		return nil, err
	}
	if err := m.setMaps(); err != nil {
		return nil, err
	}
	m.Perf.collect(m)
	if err := m.joinControls(); err != nil {
		return nil, err
	}
	m.collectValues()
	return m, nil
}

func (m *Model) add(p *Part) {
	m.Parts = append(m.Parts, p)
	m.Index[p.Name] = p
}

// wire joins inlets to outlets, bleeds to their ends and shafts to their clients.
func (m *Model) wire() error {
	for _, l := range m.Engine.Links {
		from, to := m.Index[l.From.Component], m.Index[l.To.Component]
		out, in := from.Outlet(l.From.Port), to.Inlet(l.To.Port)
		if out == nil || in == nil {
			return fmt.Errorf("%s:%v: %v -> %v joins no ports", m.Engine.File, l.Pos, l.From, l.To)
		}
		*in.At = out.At
	}
	for _, b := range m.Engine.Bleeds {
		bleed, decl, err := components.NewBleed(b.Values)
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, b.Pos, b.Name, err)
		}
		from := m.Index[b.From]
		*from.Declaration.BleedOuts[0].At = append(*from.Declaration.BleedOuts[0].At, bleed)
		if b.To != "" {
			to := m.Index[b.To]
			*to.Declaration.BleedIns[0].At = append(*to.Declaration.BleedIns[0].At, bleed)
		}
		m.add(&Part{Name: b.Name, Type: &decl.Type, Component: bleed, Declaration: decl, Section: OfBleeds})
	}
	for _, s := range m.Engine.Shafts {
		shaft, decl, err := components.NewShaft(s.Values, m.couplings(&s))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, s.Pos, s.Name, err)
		}
		m.add(&Part{Name: s.Name, Type: &decl.Type, Component: shaft, Declaration: decl, Section: OfShafts})
	}
	for _, b := range m.Engine.Buses {
		bus, decl, err := components.NewBus(b.Values, m.couplings(&b))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, b.Pos, b.Name, err)
		}
		m.add(&Part{Name: b.Name, Type: &decl.Type, Component: bus, Declaration: decl, Section: OfBuses})
	}
	return m.freestream()
}

// couplings returns the ports that a shaft or bus joins.
func (m *Model) couplings(s *config.ShaftEntry) []*components.Coupling {
	var list []*components.Coupling
	for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
		for _, c := range m.Index[e.Component].Declaration.Couplings {
			if c.Port == e.Port {
				list = append(list, c.At)
			}
		}
	}
	return list
}

// freestream connects the ambient state to the components that read it.
func (m *Model) freestream() error {
	var free *components.Freestream
	for _, p := range m.Parts {
		if IsAmbient(p) {
			if free != nil {
				return fmt.Errorf("%s: %s: an engine has one ambient", m.Engine.File, p.Name)
			}
			free = p.Declaration.Ambient
		}
	}
	for _, p := range m.Parts {
		if p.Declaration.Free == nil {
			continue
		}
		if free == nil {
			return fmt.Errorf("%s: %s needs an ambient; add a component of type ambient", m.Engine.File, p.Name)
		}
		*p.Declaration.Free = free
	}
	return nil
}

// Variant returns a model of another engine file with the gas and the maps of this one.
func (m *Model) Variant(cfg *config.Engine) (*Model, error) { return newModel(cfg, m.lib) }

// Clone returns a model in the same state. The two share only immutable data.
func (m *Model) Clone() (*Model, error) {
	c, err := newModel(m.Engine, m.lib)
	if err != nil {
		return nil, err
	}
	state := m.Save()
	c.Restore(state) // a map is scaled to the design point, so that comes first
	for i, p := range m.Parts {
		if err := c.Parts[i].chartFrom(p); err != nil {
			return nil, err
		}
	}
	c.Restore(state)
	c.Designed = m.Designed
	return c, nil
}
