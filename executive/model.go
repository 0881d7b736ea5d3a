// Package executive makes an engine run: it wires components into a dataflow
// graph, assembles their unknowns and residuals into one system, solves it at
// design and off design, and joins zooming, watching and results to it.
package executive

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
	cfg   *config.Engine
	lib   *mapLibrary
	parts []*part // in the order of evaluation
	steps []step  // the evaluations themselves
	after [][]int // by step: those that take something from it
	index map[string]*part
	ctx   components.Context
	perf  performance

	controls *controls

	designed bool
	limited  []string // limits that bind in the last off-design solution
}

// part is a component, bleed or shaft in an engine.
type part struct {
	name     string
	typ      *config.Type
	comp     components.Component
	decl     *components.Declaration
	stations map[string]string // port -> station number
}

// NewModel wires an engine. Errors name the component.
func NewModel(cfg *config.Engine) (*Model, error) {
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
	m := &Model{cfg: cfg, lib: lib, index: map[string]*part{}}
	m.ctx.Gas = lib.gas
	for i := range cfg.Components {
		c := &cfg.Components[i]
		comp, decl, err := components.New(c)
		if err != nil {
			return nil, fmt.Errorf("%s:%v: %w", cfg.File, c.Pos, err)
		}
		p := &part{name: c.Name, typ: c.Type, comp: comp, decl: decl, stations: c.Stations}
		if _, ok := comp.(*components.Ambient); ok && cfg.Gas.WAR != 0 && !c.Values["WAR"].Set {
			*p.number("WAR").At = cfg.Gas.WAR
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
	m.perf.collect(m)
	if err := m.joinControls(); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) add(p *part) {
	m.parts = append(m.parts, p)
	m.index[p.name] = p
}

// wire joins inlets to outlets, bleeds to their ends and shafts to their clients.
func (m *Model) wire() error {
	for _, l := range m.cfg.Links {
		from, to := m.index[l.From.Component], m.index[l.To.Component]
		out, in := from.outlet(l.From.Port), to.inlet(l.To.Port)
		if out == nil || in == nil {
			return fmt.Errorf("%s:%v: %v -> %v joins nothing", m.cfg.File, l.Pos, l.From, l.To)
		}
		*in.At = out.At
	}
	for _, b := range m.cfg.Bleeds {
		bleed, decl, err := components.NewBleed(b.Values)
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.cfg.File, b.Pos, b.Name, err)
		}
		from := m.index[b.From]
		*from.decl.BleedOuts[0].At = append(*from.decl.BleedOuts[0].At, bleed)
		if b.To != "" {
			to := m.index[b.To]
			*to.decl.BleedIns[0].At = append(*to.decl.BleedIns[0].At, bleed)
		}
		m.add(&part{name: b.Name, typ: components.BleedType(), comp: bleed, decl: decl})
	}
	for _, s := range m.cfg.Shafts {
		shaft, decl, err := components.NewShaft(s.Values, m.couplings(&s))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.cfg.File, s.Pos, s.Name, err)
		}
		m.add(&part{name: s.Name, typ: components.ShaftType(), comp: shaft, decl: decl})
	}
	for _, b := range m.cfg.Buses {
		bus, decl, err := components.NewBus(b.Values, m.couplings(&b))
		if err != nil {
			return fmt.Errorf("%s:%v: %s: %w", m.cfg.File, b.Pos, b.Name, err)
		}
		m.add(&part{name: b.Name, typ: components.BusType(), comp: bus, decl: decl})
	}
	return m.freestream()
}

// couplings returns the ports that a shaft or bus joins.
func (m *Model) couplings(s *config.ShaftEntry) []*components.Coupling {
	var list []*components.Coupling
	for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
		for _, c := range m.index[e.Component].decl.Couplings {
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
	for _, p := range m.parts {
		if a, ok := p.comp.(*components.Ambient); ok {
			if free != nil {
				return fmt.Errorf("%s: %s: an engine has one ambient", m.cfg.File, p.name)
			}
			free = a.Free()
		}
	}
	for _, p := range m.parts {
		if p.decl.Free == nil {
			continue
		}
		if free == nil {
			return fmt.Errorf("%s: %s needs an ambient; add a component of type ambient", m.cfg.File, p.name)
		}
		*p.decl.Free = free
	}
	return nil
}

func (p *part) outlet(port string) *components.OutPort {
	for i := range p.decl.Outlets {
		if p.decl.Outlets[i].Port == port {
			return &p.decl.Outlets[i]
		}
	}
	return nil
}

func (p *part) inlet(port string) *components.InPort {
	for i := range p.decl.Inlets {
		if p.decl.Inlets[i].Port == port {
			return &p.decl.Inlets[i]
		}
	}
	return nil
}

func (p *part) number(name string) *components.Number {
	for i := range p.decl.Numbers {
		if p.decl.Numbers[i].Name == name {
			return &p.decl.Numbers[i]
		}
	}
	return nil
}

// Variant is a model of another engine file that shares the gas and the maps of this one.
func (m *Model) Variant(cfg *config.Engine) (*Model, error) { return newModel(cfg, m.lib) }

// Clone returns a model in the same state, sharing only what does not change.
func (m *Model) Clone() (*Model, error) {
	c, err := newModel(m.cfg, m.lib)
	if err != nil {
		return nil, err
	}
	state := m.save()
	c.restore(state) // a map is scaled to the design point, so that comes first
	for i, p := range m.parts {
		if u, ok := p.comp.(components.MapUser); ok {
			if pm, _, absolute := u.Map(); pm != nil {
				if err := c.parts[i].comp.(components.MapUser).SetMap(pm, absolute); err != nil {
					return nil, err
				}
			}
		}
	}
	c.restore(state)
	c.designed = m.designed
	return c, nil
}

// memory is everything of a model that a solve changes: parameters, and what
// the design fixed.
type memory struct{ numbers, fixed []float64 }

func (m *Model) save() memory {
	var s memory
	m.saveTo(&s)
	return s
}

// saveTo is save into a memory that may be used again.
func (m *Model) saveTo(s *memory) {
	s.numbers, s.fixed = s.numbers[:0], s.fixed[:0]
	for _, p := range m.parts {
		for _, n := range p.decl.Numbers {
			s.numbers = append(s.numbers, *n.At)
		}
		for _, f := range p.decl.Fixed {
			s.fixed = append(s.fixed, *f)
		}
	}
	for _, d := range m.controls.decl {
		for _, n := range d.Numbers {
			s.numbers = append(s.numbers, *n.At)
		}
	}
}

func (m *Model) restore(s memory) {
	i, j := 0, 0
	for _, p := range m.parts {
		for _, n := range p.decl.Numbers {
			*n.At = s.numbers[i]
			i++
		}
		for _, f := range p.decl.Fixed {
			*f = s.fixed[j]
			j++
		}
	}
	for _, d := range m.controls.decl {
		for _, n := range d.Numbers {
			*n.At = s.numbers[i]
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
			return &EvalError{Component: s.part.name, Err: err}
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
	for _, p := range m.parts {
		for _, o := range p.decl.Outlets {
			if o.Area == nil {
				continue
			}
			if m.ctx.Mode == components.Design {
				*o.Area = 0
				if *o.MN > 0 {
					if err := o.At.StaticMN(m.ctx.Gas, *o.MN); err != nil {
						return &EvalError{p.name, err}
					}
					*o.Area = o.At.A
				}
			} else if *o.Area > 0 {
				if err := o.At.StaticA(m.ctx.Gas, *o.Area, 0); err != nil {
					return &EvalError{p.name, fmt.Errorf("%s: %w", o.Port, err)}
				}
			}
		}
	}
	return nil
}

// margins sets the stall margins, for output and rules.
func (m *Model) margins() {
	for _, p := range m.parts {
		if c, ok := p.comp.(interface{ Margins() }); ok {
			c.Margins()
		}
	}
}

// settle evaluates the model where it is, so that its stations are filled.
func (m *Model) settle() error {
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
