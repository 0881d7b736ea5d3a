package model

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// Model is an engine ready to be evaluated. It is for one goroutine; Clone makes a copy for
// another.
type Model struct {
	Engine     *config.Engine
	lib        *sharedData
	Parts      []*Part // in the order of evaluation
	steps      []step  // the evaluations themselves
	downstream [][]int // by step: the steps that depend on it
	Index      map[string]*Part
	ctx        components.Context
	perf       performance

	controls *controls

	designed bool
	base     *base    // nil: none yet
	side     *Model   // see sideModel
	Limited  []string // limits that bind in the last off-design solution
	missed   []string // the targets that they replace there, with values
}

// base is a solution from which operating points are reached: the design point, or
// that of the case that a case is from. Models that are copies of each other share it.
type base struct {
	at    Memory
	mu    sync.Mutex
	signs []baseSign   // that were found
	lines sync.Map     // by lineKey: the operating lines that were followed from here
	kept  atomic.Int64 // how many lines there are
	// shared counts the evaluations that served all cases: they are no single case's.
	shared atomic.Int64
	// Corrected speeds of the shafts, by the names of these unknowns; nil if the engine has no face.
	speeds map[string]float64
}

// baseSign is the sign of the determinant of a system's Jacobian at the base. Models with one base may
// have different maps, as where zooming extends them.
type baseSign struct {
	system uint64
	charts []any // see chartsInUse
	sign   int
}

// Part is a component, bleed or shaft in an engine.
type Part struct {
	Name        string
	typ         *config.Type
	Component   components.Component
	Declaration *components.Declaration
	section     section
	stations    map[string]string // port -> station number
}

// section is the section of the engine file that declares a part.
type section int

const (
	ofComponents section = iota
	ofBleeds
	ofShafts
	ofBuses
)

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

func (p *Part) number(name string) *parameter.Number {
	for i := range p.Declaration.Numbers {
		if p.Declaration.Numbers[i].Name == name {
			return &p.Declaration.Numbers[i]
		}
	}
	return nil
}

// numberAt is the number that stands at a place, nil if none does.
func (p *Part) numberAt(at *float64) *parameter.Number {
	for i := range p.Declaration.Numbers {
		if p.Declaration.Numbers[i].At == at {
			return &p.Declaration.Numbers[i]
		}
	}
	return nil
}

// Memory is what a solve changes in a model: parameters, and the values that the design fixed.
type Memory struct{ Numbers, Fixed []float64 }

func (m *Model) save() Memory {
	var s Memory
	m.SaveTo(&s)
	return s
}

// SaveTo saves the model's values to s, whose slices it reuses.
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

// Restore sets the model's values to those of a memory. It evaluates nothing; see Settle.
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

// evaluateSome runs the marked steps, or all if marked is nil. The steps that are not marked
// must not depend on those that are.
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

// EvalError reports an evaluation that failed, with the component in which it did.
type EvalError struct {
	Component string
	Err       error
}

func (e *EvalError) Error() string { return e.Component + ": " + e.Err.Error() }
func (e *EvalError) Unwrap() error { return e.Err }

// statics sets the static quantities of every station whose area the design fixed. Only
// outputs need them; the equations do not.
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
		if c, ok := p.Component.(components.Stalling); ok {
			c.Margins()
		}
	}
}

// Settle evaluates the model with its present values, which sets its stations and outputs.
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

// step is the evaluation of a part, or of a part's early ports.
type step struct {
	part *Part
	eval func(*components.Context) error
}
