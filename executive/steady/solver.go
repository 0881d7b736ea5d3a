package steady

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// SharedEvaluations counts the evaluations of the engine for the data shared by all cases: the operating lines and the
// Jacobians at the base. Results do not count them.
func (m *Solver) SharedEvaluations() int {
	if m.base == nil {
		return 0
	}
	return int(m.base.shared.Load())
}

// Rebase makes the model's present solution the base of its operating points.
func (m *Solver) Rebase() {
	m.base = &base{at: m.Save()}
	m.side = nil // it has the old base
	if m.Perf.Face == nil || !(m.Perf.Face.T > 0) {
		return
	}
	m.base.speeds = map[string]float64{}
	for _, p := range m.Parts {
		for _, u := range p.Declaration.Unknowns {
			if u.Scaling == components.AsSpeed {
				m.base.speeds[p.Name+"."+u.Name] = *u.At / math.Sqrt(m.Perf.Face.Theta())
			}
		}
	}
}

// toBase takes the model to the base.
func (m *Solver) toBase(nw *newton.Solver) error {
	m.Restore(m.base.at)
	nw.Forget()
	return m.Settle()
}

// Solver solves an engine at its design point and at operating points. It holds its model, and the base from which
// operating points are solved.
type Solver struct {
	*graph.Model
	base    *base    // nil: none yet
	side    *Solver  // see sideModel
	Limited []string // limits that bind in the last off-design solution
	Missed  []string // the targets replaced by them, with values
}

// New returns the solver of a model.
func New(m *graph.Model) *Solver { return &Solver{Model: m} }

// Clone returns a solver in the same state on a clone of the model. The two share the base.
func (m *Solver) Clone() (*Solver, error) {
	c, err := m.Model.Clone()
	if err != nil {
		return nil, err
	}
	return &Solver{Model: c, base: m.base}, nil
}

// Variant returns a solver of another engine file with the gas and the maps of this one.
func (m *Solver) Variant(cfg *config.Engine) (*Solver, error) {
	v, err := m.Model.Variant(cfg)
	if err != nil {
		return nil, err
	}
	return New(v), nil
}

// equations are the square system of a design or of an operating point.
type equations struct {
	*graph.System
	held bool // a speed is held; see hold
}

// equations assembles the system of a mode, with extra balances.
func (m *Solver) equations(mode components.Mode, balances []*graph.Balance) (*equations, error) {
	s, err := m.Assemble(mode, balances)
	return &equations{System: s}, err
}

// sideModel returns another copy of the model, with its maps, for trial solves that must not change the model's own
// stations. The copy is kept for reuse.
func (m *Solver) sideModel() (*Solver, error) {
	if m.side != nil && slices.Equal(m.side.ChartsInUse(), m.ChartsInUse()) {
		return m.side, nil
	}
	c, err := m.Clone()
	m.side = c
	return c, err
}

// base is the solution from which operating points are solved: the design point, or the solution of the case's ancestor
// (`from`). Copies of a model share it.
type base struct {
	at    graph.Memory
	mu    sync.Mutex
	signs []baseSign   // that were found
	lines sync.Map     // by lineKey: the operating lines that were followed from here
	kept  atomic.Int64 // number of lines
	// shared counts the evaluations that served all cases: they are no single case's.
	shared atomic.Int64
	// Corrected speeds of the shafts, by the names of these unknowns; nil if the engine has no face.
	speeds map[string]float64
}

// baseSign is the sign of the determinant of a system's Jacobian at the base. Models with one base may have different
// maps, for example when zooming extends them.
type baseSign struct {
	system uint64
	charts []any // see ChartsInUse
	sign   int
}
