package model

import (
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/config"
)

// Model is an engine ready to be evaluated. It is for one goroutine; Clone makes
// another.
type Model struct {
	Engine *config.Engine
	lib    *mapLibrary
	Parts  []*Part // in the order of evaluation
	steps  []step  // the evaluations themselves
	after  [][]int // by step: those that take something from it
	Index  map[string]*Part
	ctx    components.Context
	perf   performance

	controls *controls

	designed bool
	Limited  []string // limits that bind in the last off-design solution
}

// Part is a component, bleed or shaft in an engine.
type Part struct {
	Name        string
	typ         *config.Type
	Component   components.Component
	Declaration *components.Declaration
	stations    map[string]string // port -> station number
}

// New wires an engine. Errors name the component.
func New(cfg *config.Engine) (*Model, error) {
	g, err := newGas(cfg)
	if err != nil {
		return nil, err
	}
	return newModel(cfg, &mapLibrary{gas: g, have: map[string]any{}})
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

func newModel(cfg *config.Engine, lib *mapLibrary) (*Model, error) {
	m := &Model{Engine: cfg, lib: lib, Index: map[string]*Part{}}
	m.ctx.Gas = lib.gas
	for i := range cfg.Components {
		c := &cfg.Components[i]
		comp, decl, err := components.New(c)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", cfg.File, c.Pos, err)
		}
		p := &Part{Name: c.Name, typ: c.Type, Component: comp, Declaration: decl, stations: c.Stations}
		if _, ok := comp.(*components.Ambient); ok && cfg.Gas.WAR != 0 && !c.Values["WAR"].Set {
			*p.number("WAR").At = cfg.Gas.WAR
		}
		m.Add(p)
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
	m.perf.collect(m)
	if err := m.joinControls(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) Add(p *Part) {
	m.Parts = append(m.Parts, p)
	m.Index[p.Name] = p
}

// wire joins inlets to outlets, bleeds to their ends and shafts to their clients.
func (m *Model) wire() error {
	for _, l := range m.Engine.Links {
		from, to := m.Index[l.From.Component], m.Index[l.To.Component]
		out, in := from.outlet(l.From.Port), to.inlet(l.To.Port)
		if out == nil || in == nil {
			return fmt.Errorf("%s:%v: %v -> %v joins nothing", m.Engine.File, l.Pos, l.From, l.To)
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
		m.Add(&Part{Name: b.Name, typ: components.BleedType(), Component: bleed, Declaration: decl})
	}
	for _, s := range m.Engine.Shafts {
		shaft, decl, err := components.NewShaft(s.Values, m.couplings(&s))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, s.Pos, s.Name, err)
		}
		m.Add(&Part{Name: s.Name, typ: components.ShaftType(), Component: shaft, Declaration: decl})
	}
	for _, b := range m.Engine.Buses {
		bus, decl, err := components.NewBus(b.Values, m.couplings(&b))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.Engine.File, b.Pos, b.Name, err)
		}
		m.Add(&Part{Name: b.Name, typ: components.BusType(), Component: bus, Declaration: decl})
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

// freestream hands the ambient state to those who need it.
func (m *Model) freestream() error {
	var free *components.Freestream
	for _, p := range m.Parts {
		if a, ok := p.Component.(*components.Ambient); ok {
			if free != nil {
				return fmt.Errorf("%s: %s: an engine has one ambient", m.Engine.File, p.Name)
			}
			free = a.Free()
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

func (p *Part) outlet(port string) *components.OutPort {
	for i := range p.Declaration.Outlets {
		if p.Declaration.Outlets[i].Port == port {
			return &p.Declaration.Outlets[i]
		}
	}
	return nil
}

func (p *Part) inlet(port string) *components.InPort {
	for i := range p.Declaration.Inlets {
		if p.Declaration.Inlets[i].Port == port {
			return &p.Declaration.Inlets[i]
		}
	}
	return nil
}

func (p *Part) number(name string) *components.Number {
	for i := range p.Declaration.Numbers {
		if p.Declaration.Numbers[i].Name == name {
			return &p.Declaration.Numbers[i]
		}
	}
	return nil
}

// Variant is a model of another engine file that shares the gas and the maps of this one.
func (m *Model) Variant(cfg *config.Engine) (*Model, error) { return newModel(cfg, m.lib) }

// Clone returns a model in the same state, sharing only what does not change.
func (m *Model) Clone() (*Model, error) {
	c, err := newModel(m.Engine, m.lib)
	if err != nil {
		return nil, err
	}
	state := m.save()
	c.Restore(state) // a map is scaled to the design point, so that comes first
	for i, p := range m.Parts {
		if u, ok := p.Component.(components.MapUser); ok {
			if pm, _, absolute := u.Map(); pm != nil {
				if err := c.Parts[i].Component.(components.MapUser).SetMap(pm, absolute); err != nil {
					return nil, err
				}
			}
		}
	}
	c.Restore(state)
	c.designed = m.designed
	return c, nil
}

// Memory is everything of a model that a solve changes: parameters, and what
// the design fixed.
type Memory struct{ Numbers, Fixed []float64 }

func (m *Model) save() Memory {
	var s Memory
	m.SaveTo(&s)
	return s
}

// SaveTo is save into a memory that may be used again.
func (m *Model) SaveTo(s *Memory) {
	s.Numbers, s.Fixed = s.Numbers[:0], s.Fixed[:0]
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			s.Numbers = append(s.Numbers, *n.At)
		}
		for _, f := range p.Declaration.Fixed {
			s.Fixed = append(s.Fixed, *f)
		}
	}
	for _, d := range m.controls.decl {
		for _, n := range d.Numbers {
			s.Numbers = append(s.Numbers, *n.At)
		}
	}
}

func (m *Model) Restore(s Memory) {
	i, j := 0, 0
	for _, p := range m.Parts {
		for _, n := range p.Declaration.Numbers {
			*n.At = s.Numbers[i]
			i++
		}
		for _, f := range p.Declaration.Fixed {
			*f = s.Fixed[j]
			j++
		}
	}
	for _, d := range m.controls.decl {
		for _, n := range d.Numbers {
			*n.At = s.Numbers[i]
			i++
		}
	}
}

// evaluate runs all components once and gathers the performance.
func (m *Model) evaluate() error { return m.evaluateSome(nil) }

// evaluateSome runs the marked steps, of which the others do not take anything.
func (m *Model) evaluateSome(marked []bool) error {
	for i, s := range m.steps {
		if marked != nil && !marked[i] {
			continue
		}
		if err := s.eval(&m.ctx); err != nil {
			return &EvalError{Component: s.part.Name, Err: err}
		}
	}
	m.perf.compute()
	return nil
}

// EvalError tells in which component an evaluation failed.
type EvalError struct {
	Component string
	Err       error
}

func (e *EvalError) Error() string { return e.Component + ": " + e.Err.Error() }
func (e *EvalError) Unwrap() error { return e.Err }

// statics sets the statics of every station whose area the design fixed, for
// output; they are no part of the equations.
func (m *Model) statics() error {
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			if o.Area == nil {
				continue
			}
			if m.ctx.Mode == components.Design {
				*o.Area = 0
				if *o.MN > 0 {
					if err := o.At.StaticMN(m.ctx.Gas, *o.MN); err != nil {
						return &EvalError{p.Name, err}
					}
					*o.Area = o.At.A
				}
			} else if *o.Area > 0 {
				if err := o.At.StaticA(m.ctx.Gas, *o.Area, 0); err != nil {
					return &EvalError{p.Name, fmt.Errorf("%s: %w", o.Port, err)}
				}
			}
		}
	}
	return nil
}

// margins sets the stall margins, for output and rules.
func (m *Model) margins() {
	for _, p := range m.Parts {
		if c, ok := p.Component.(interface{ Margins() }); ok {
			c.Margins()
		}
	}
}

// Settle evaluates the model where it is, so that its stations are filled.
func (m *Model) Settle() error {
	m.ctx.Mode, m.ctx.Stores = components.OffDesign, false
	if err := m.evaluate(); err != nil {
		return err
	}
	if err := m.statics(); err != nil {
		return err
	}
	m.margins()
	return nil
}
