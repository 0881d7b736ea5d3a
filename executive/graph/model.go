package graph

// Model holds the parts of an engine in the order of their evaluation, evaluates them, and finds its parts and numbers.
// The models of one engine share its gas properties and its files; each file is read once.

import (
	"errors"
	"fmt"
	"sync"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/components/gas"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// IsAmbient reports whether a part is an ambient.
func IsAmbient(p *Part) bool { return p.Declaration.Ambient != nil }

// owner returns the part whose outlet a station is.
func (m *Model) owner(s *flow.Station) *Part {
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			if o.At == s {
				return p
			}
		}
	}
	return nil
}

// Model is an engine ready to be evaluated. It is for one goroutine; use Clone for another.
type Model struct {
	Engine     *config.Engine
	lib        *sharedData
	Parts      []*Part // in the order of evaluation
	steps      []step  // the evaluations themselves
	downstream [][]int // by step: its dependent steps
	Index      map[string]*Part
	Context    components.Context
	Perf       performance

	Controls *Controls

	numbers, fixed []*float64 // see Memory

	Designed bool // the design point was solved
}

// Part is a component, bleed or shaft in an engine.
type Part struct {
	Name        string
	Type        *config.Type
	Component   components.Component
	Declaration *components.Declaration
	Section     Section
	stations    map[string]string // port -> station number
}

// Section is the section of the engine file that declares a part.
type Section int

const (
	OfComponents Section = iota
	OfBleeds
	OfShafts
	OfBuses
)

func (p *Part) Outlet(port string) *components.OutPort {
	for i := range p.Declaration.Outlets {
		if p.Declaration.Outlets[i].Port == port {
			return &p.Declaration.Outlets[i]
		}
	}
	return nil
}

func (p *Part) Inlet(port string) *components.InPort {
	for i := range p.Declaration.Inlets {
		if p.Declaration.Inlets[i].Port == port {
			return &p.Declaration.Inlets[i]
		}
	}
	return nil
}

func (p *Part) Number(name string) *parameter.Number {
	for i := range p.Declaration.Numbers {
		if p.Declaration.Numbers[i].Name == name {
			return &p.Declaration.Numbers[i]
		}
	}
	return nil
}

// NumberAt returns the number at an address, nil if the address has none.
func (p *Part) NumberAt(at *float64) *parameter.Number {
	for i := range p.Declaration.Numbers {
		if p.Declaration.Numbers[i].At == at {
			return &p.Declaration.Numbers[i]
		}
	}
	return nil
}

// Evaluate runs all components once and gathers the performance.
func (m *Model) Evaluate() error { return m.evaluateSome(nil) }

// evaluateSome runs the marked steps, or all if marked is nil. The unmarked steps must not depend on the marked ones.
func (m *Model) evaluateSome(marked []bool) error {
	for i := range m.steps {
		if marked != nil && !marked[i] {
			continue
		}
		if err := m.EvaluateStep(i); err != nil {
			return err
		}
	}
	m.Perf.compute()
	return nil
}

// EvaluateStep runs one step of an evaluation. The steps that it needs must be done.
func (m *Model) EvaluateStep(i int) error {
	s := &m.steps[i]
	if err := s.eval(&m.Context); err != nil {
		return &EvalError{Component: s.part.Name, Err: err}
	}
	return nil
}

// StepCount is the number of steps of an evaluation.
func (m *Model) StepCount() int { return len(m.steps) }

// SumUp computes the performance from the steps that were evaluated last.
func (m *Model) SumUp() { m.Perf.compute() }

// EvaluateToFace runs the components up to the engine's face, off design, and reports whether they could be evaluated.
func (m *Model) EvaluateToFace() bool {
	m.Context.Mode = components.OffDesign
	for i, s := range m.steps {
		if m.EvaluateStep(i) != nil {
			return false
		}
		if d := s.part.Declaration; len(d.Outlets) > 0 && d.Outlets[0].At == m.Perf.Face {
			break
		}
	}
	return true
}

// EvalError reports a failed evaluation with its component.
type EvalError struct {
	Component string
	Err       error
}

func (e *EvalError) Error() string { return e.Component + ": " + e.Err.Error() }

func (e *EvalError) Unwrap() error { return e.Err }

// Unsolved reports whether an error means that one operating point was not solved.
func Unsolved(err error) bool {
	_, solve := errors.AsType[*SolveError](err)
	_, eval := errors.AsType[*EvalError](err)
	return solve || eval
}

// Statics sets the static quantities of every station whose area the design fixed. Only
// outputs need them; the equations do not.
func (m *Model) Statics() error {
	for _, p := range m.Parts {
		for _, o := range p.Declaration.Outlets {
			if o.Area == nil {
				continue
			}
			if m.Context.Mode == components.Design {
				*o.Area = 0
				if *o.MN > 0 {
					if err := o.At.StaticMN(m.Context.Gas, *o.MN); err != nil {
						return &EvalError{p.Name, err}
					}
					*o.Area = o.At.A
				}
			} else if *o.Area > 0 {
				if err := o.At.StaticA(m.Context.Gas, *o.Area, 0); err != nil {
					return &EvalError{p.Name, fmt.Errorf("%s: %w", o.Port, err)}
				}
			}
		}
	}
	return nil
}

// Margins sets the stall margins, for output and rules.
func (m *Model) Margins() {
	for _, p := range m.Parts {
		if c, ok := p.Component.(components.Stalling); ok {
			c.Margins()
		}
	}
}

// Settle evaluates the model with its present values, and so sets its stations and outputs.
func (m *Model) Settle() error {
	m.Context.Mode, m.Context.Stores = components.OffDesign, false
	if err := m.Evaluate(); err != nil {
		return err
	}
	if err := m.Statics(); err != nil {
		return err
	}
	m.Margins()
	return nil
}

// step is the evaluation of a part, or of a part's early ports.
type step struct {
	part *Part
	eval func(*components.Context) error
}

// componentMaker makes the component of an entry in the engine file. The entry was checked
// before.
type componentMaker func(*config.Component) (components.Component, *components.Declaration, error)

// sharedData holds the data shared by all models of an engine: its gas, the constructor of its components, and the
// maps, tables and rules read so far. Several goroutines may use it.
type sharedData struct {
	gas           gas.Model
	makeComponent componentMaker
	mu            sync.Mutex
	read          map[string]any
}

// once returns the data under a key. The first call for the key reads it.
func (l *sharedData) once(key string, read func() (any, error)) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v, ok := l.read[key]; ok {
		return v, nil
	}
	v, err := read()
	if err == nil {
		l.read[key] = v
	}
	return v, err
}

// Once returns the data under a key, which all models of the engine share. The first call for the key reads it.
func (m *Model) Once(key string, read func() (any, error)) (any, error) { return m.lib.once(key, read) }
