package graph

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/newton"
)

// System is the square system of equations of one mode. It has the unknowns and residuals of all components and those
// of the balances that a case adds.
type System struct {
	Model     *Model
	Mode      components.Mode // Design, OffDesign, or OffDesign|Transient
	Unknowns  []unknown
	Residuals []Residual
	Balances  []*Balance
	Problem   newton.Problem
	Statics   bool   // a residual reads a static quantity
	Margins   bool   // a residual reads a stall margin
	AfterEval func() // called after the engine is evaluated, before residuals are read; may be nil
}

type unknown struct {
	Name    string
	At      *float64
	lo, hi  *float64
	Typical float64
	Scaling components.Similarity
}

type Residual struct {
	Name    string
	Get     func() float64
	Doc     string
	Explain func() string // the values behind it, for people; may be nil
	Of      *Part         // whose it is; nil: a target's
	// Of a target:
	Until string         // target quantity
	Vary  *float64       // varied parameter
	Now   func() float64 // present value of the quantity
	Unit  unit.Unit      // for messages
}

// Balance is a config.Balance with its present target, which changes on the way to a case and in a transient.
type Balance struct {
	config.Balance
	Current float64
}

// NewBalance returns a balance that is at its target.
func NewBalance(b config.Balance) *Balance { return &Balance{b, b.Target} }

// Assemble builds the system of a mode, with extra balances.
func (m *Model) Assemble(mode components.Mode, balances []*Balance) (*System, error) {
	return m.AssembleWithout(mode, balances, nil)
}

// AssembleWithout is Assemble without the unknowns and residuals that states replace. The
// keys of replaced are the addresses of their values.
func (m *Model) AssembleWithout(mode components.Mode, balances []*Balance,
	replaced map[*float64]bool) (*System, error) {
	s := &System{Model: m, Mode: mode}
	for _, p := range m.Parts {
		for _, u := range p.Declaration.Unknowns {
			if u.In(mode) && !replaced[u.At] {
				s.Unknowns = append(s.Unknowns,
					unknown{p.Name + "." + u.Name, u.At, u.Min, u.Max, u.Typical, u.Scaling})
			}
		}
		if t, ok := p.Component.(components.ShaftBalancer); ok && mode == components.Design {
			if u, free := t.BalancedByShaft(); free && !isVaried(balances, p.Name+"."+u.Name) {
				s.Unknowns = append(s.Unknowns,
					unknown{p.Name + "." + u.Name, u.At, u.Min, u.Max, u.Typical, u.Scaling})
			}
		}
		for _, r := range p.Declaration.Residuals {
			if r.In(mode) && !replaced[r.At] {
				s.Residuals = append(s.Residuals,
					Residual{Name: p.Name + "." + r.Name, Get: func() float64 { return *r.At }, Doc: r.Doc,
						Explain: explainerOf(p), Of: p})
			}
		}
	}
	s.Balances = balances
	for _, b := range balances {
		if err := s.AddBalance(b); err != nil {
			return nil, err
		}
	}
	if len(s.Unknowns) != len(s.Residuals) {
		return nil, s.notSquare()
	}
	s.Prepare()
	return s, nil
}

func isVaried(balances []*Balance, path string) bool {
	for _, b := range balances {
		if b.Vary == path {
			return true
		}
	}
	return false
}

// Varied is the unknown that a balance adds.
func (s *System) Varied(b config.Balance) (unknown, error) {
	p, at, designOnly, err := s.Model.Parameter(b.Vary)
	if err != nil {
		return unknown{}, fmt.Errorf("%s:%v: %w", s.Model.Engine.File, b.Pos, err)
	}
	for _, u := range s.Unknowns {
		if u.At == at {
			return unknown{}, fmt.Errorf("%s:%v: %s is found by the engine itself here; vary something else",
				s.Model.Engine.File, b.Pos, b.Vary)
		}
	}
	if designOnly && s.Mode != components.Design {
		return unknown{}, fmt.Errorf("%s:%v: %s fixes the design and has no effect off design; vary it in the design",
			s.Model.Engine.File, b.Pos, b.Vary)
	}
	lo, hi := b.Min, b.Max
	if spec := p.param(b.Vary[strings.LastIndex(b.Vary, ".")+1:]); spec != nil && (spec.Min != 0 || spec.Max != 0) {
		if lo == nil {
			lo = &spec.Min
		}
		if hi == nil {
			hi = &spec.Max
		}
	}
	typical := math.Abs(*at)
	if typical == 0 {
		typical = 1e-3
		if hi != nil {
			typical = 1e-3 * math.Abs(*hi)
		}
	}
	return unknown{Name: b.Vary, At: at, lo: lo, hi: hi, Typical: typical}, nil
}

// AddBalance adds a vary/until pair.
func (s *System) AddBalance(b *Balance) error {
	u, err := s.Varied(b.Balance)
	if err != nil {
		return err
	}
	read, err := s.Model.Read(b.Until)
	if err != nil {
		return fmt.Errorf("%s:%v: %w", s.Model.Engine.File, b.Pos, err)
	}
	if b.Until == b.Vary { // the parameter follows a control, not an output of its name
		read = Reading{Get: func() float64 { return *u.At }}
	}
	s.Statics = s.Statics || read.Statics
	s.Margins = s.Margins || read.Margins
	s.Unknowns = append(s.Unknowns, u)
	written := unit.As(b.Unit, s.Model.Dimension(b.Until))
	scale := math.Abs(b.Target)
	if scale == 0 {
		scale = 1
	}
	s.Residuals = append(s.Residuals, Residual{Name: b.Until, Until: b.Until, Vary: u.At, Now: read.Get,
		Unit: written,
		Get:  func() float64 { return (read.Get() - b.Current) / scale }, Doc: "the target is not met",
		Explain: func() string {
			return fmt.Sprintf("it is %s where the target is %s, with %s at %.5g%s", written.Format(read.Get(), 5),
				written.Format(b.Target, 5), b.Vary, *u.At, boundsText(u.lo, u.hi))
		}})
	return nil
}

// boundsText writes bounds for a message, in brackets; without bounds it is empty.
func boundsText(lo, hi *float64) string {
	switch {
	case lo != nil && hi != nil:
		return fmt.Sprintf(" (allowed: %.5g to %.5g)", *lo, *hi)
	case lo != nil:
		return fmt.Sprintf(" (at least %.5g)", *lo)
	case hi != nil:
		return fmt.Sprintf(" (at most %.5g)", *hi)
	}
	return ""
}

// explainerOf returns the function by which a component explains its residuals, or nil.
func explainerOf(p *Part) func() string {
	if t, ok := p.Component.(components.Explainer); ok {
		return t.Explain
	}
	return nil
}

func (s *System) notSquare() error {
	var us, rs []string
	for _, u := range s.Unknowns {
		us = append(us, u.Name)
	}
	for _, r := range s.Residuals {
		rs = append(rs, r.Name)
	}
	what := "off design"
	if s.Mode == components.Design {
		what = "at design"
	}
	advice := "too few unknowns: add a {vary, until} pair or remove an equation"
	if len(us) > len(rs) {
		advice = "too many unknowns: add a target, or give the value of an unknown; peregrine help recipes " +
			"shows that for a free power turbine, mixed flow, a geared fan, reheat, a recuperator and a lift fan"
	}
	return fmt.Errorf("%s: %s there are %d unknowns (%s) and %d equations (%s); %s",
		s.Model.Engine.File, what, len(us), strings.Join(us, ", "), len(rs), strings.Join(rs, ", "), advice)
}

// Prepare sets the problem for the solver: bounds, magnitudes and the function.
func (s *System) Prepare() {
	n := len(s.Unknowns)
	p := newton.Problem{Lower: make([]float64, n), Upper: make([]float64, n), Typical: make([]float64, n)}
	for i, u := range s.Unknowns {
		p.Lower[i], p.Upper[i], p.Typical[i] = math.Inf(-1), math.Inf(1), u.Typical
		if u.lo != nil {
			p.Lower[i] = *u.lo
		}
		if u.hi != nil {
			p.Upper[i] = *u.hi
		}
	}
	p.Eval = s.Eval
	s.Problem = p
}

// Eval writes the unknowns, runs the engine and reads the residuals.
func (s *System) Eval(x, r []float64) error { return s.EvalSome(x, r, nil) }

// EvalSome is Eval that runs only the marked steps of the engine, or all if marked is nil.
func (s *System) EvalSome(x, r []float64, marked []bool) error {
	s.Put(x)
	s.Model.Context.Mode, s.Model.Context.Stores = s.Mode&^components.Transient, s.Mode&components.Transient != 0
	if err := s.Model.evaluateSome(marked); err != nil {
		return err
	}
	if s.Statics {
		if err := s.Model.Statics(); err != nil {
			return err
		}
	}
	if s.Margins {
		s.Model.Margins()
	}
	if s.AfterEval != nil {
		s.AfterEval()
	}
	for i := range s.Residuals {
		r[i] = s.Residuals[i].Get()
	}
	return nil
}

// Put writes the unknowns.
func (s *System) Put(x []float64) {
	for i, u := range s.Unknowns {
		*u.At = x[i]
	}
}

// InitialX returns the unknowns as they are in the model.
func (s *System) InitialX() []float64 {
	x := make([]float64, len(s.Unknowns))
	for i, u := range s.Unknowns {
		x[i] = *u.At
	}
	return x
}
