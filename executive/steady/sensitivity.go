package steady

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Sensitivity is the derivative of an output with respect to an input at a solved case.
type Sensitivity struct {
	Output string  `json:"output"`
	Input  string  `json:"input"`
	Value  float64 `json:"value"`           // of the output, SI
	At     float64 `json:"at"`              // of the input, SI
	Slope  float64 `json:"slope"`           // d output/d input, SI
	Share  float64 `json:"share,omitempty"` // percent of output per percent of input; 0 where either is 0
}

// Sensitivities returns the derivatives of outputs with respect to inputs at a case: of the design if solved is nil. It
// uses the implicit function theorem in two stages, without a further solve. F_d and F_o are the equations of design
// and case, x_d and x_o their unknowns, m the values that the design fixes (areas, map scalars, parameters), u an
// input:
//
//	x_d' = -(dF_d/dx)^-1 dF_d/du        m' along (u, x_d')
//	x_o' = -(dF_o/dx)^-1 dF_o/d(u, m)   y' along (u, m, x_o')
//
// Each partial derivative is a central difference. Inputs are parameters of components and shafts. A parameter that the
// case sets acts on the case alone, any other on the design and through it on the case. Maps made from the design point
// keep their shape.
func Sensitivities(ctx context.Context, design, solved *Solver, c *config.Case, inputs,
	outputs []string) ([]Sensitivity, error) {
	d, err := tangents(design, solved, c)
	if err != nil {
		return nil, err
	}
	var out []Sensitivity
	for _, in := range inputs {
		rows, err := d.byInput(in, outputs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in, err)
		}
		out = append(out, rows...)
	}
	return out, ctx.Err()
}

// differentiator holds a solved case and its solved design.
type differentiator struct {
	design, off stage
	isDesign    bool // the case is the design itself
}

// stage is a solved system.
type stage struct {
	m             *graph.Model
	s             *graph.System
	x             []float64
	at            graph.Memory // of the model at the solution
	jac           mat.LU
	notFromDesign map[*float64]bool // parameters that the case sets, and unknowns
}

// tangents differentiates the systems of the design and of a case at their solutions.
func tangents(design, o *Solver, c *config.Case) (*differentiator, error) {
	d := &differentiator{isDesign: o == nil}
	atDesign, _ := designBalances(design.Model)
	sys, err := design.equations(components.Design, atDesign)
	if err != nil {
		return nil, err
	}
	if err := d.design.prepare(design.Model, sys.System); err != nil || d.isDesign {
		return d, err
	}
	// The equations as they were solved have the limits that bind as targets.
	r := o.Resolve(c)
	limits, err := o.Limits(r)
	if err != nil {
		return nil, err
	}
	for _, l := range limits {
		for _, bound := range o.Limited {
			if bound == l.Name {
				r.Solve[l.Replaces] = l.AsTarget(r.Solve[l.Replaces])
			}
		}
	}
	sys, ramp, err := o.prepareCase(r)
	if err != nil {
		return nil, err
	}
	ramp.set(1)
	if err := d.off.prepare(o.Model, sys.System); err != nil {
		return nil, err
	}
	for _, at := range ramp.at {
		d.off.notFromDesign[at] = true
	}
	return d, nil
}

// prepare sets the Jacobian of a system at its solution.
func (g *stage) prepare(m *graph.Model, s *graph.System) error {
	g.m, g.s, g.x, g.notFromDesign = m, s, s.InitialX(), map[*float64]bool{}
	n := len(g.x)
	m.SaveTo(&g.at)
	for _, u := range s.Unknowns {
		g.notFromDesign[u.At] = true
	}
	jac := mat.NewDense(n, n, nil)
	plus, minus := make([]float64, n), make([]float64, n)
	x := make([]float64, n)
	for j := range n {
		h := stepOf(g.x[j], s.Problem.Typical[j])
		copy(x, g.x)
		x[j] = g.x[j] + h
		if err := g.residuals(x, plus); err != nil {
			return err
		}
		x[j] = g.x[j] - h
		if err := g.residuals(x, minus); err != nil {
			return err
		}
		for i := range n {
			jac.Set(i, j, (plus[i]-minus[i])/(2*h))
		}
	}
	g.jac.Factorize(jac)
	return nil
}

// residuals evaluates the system at x, with all else in the model as at the solution.
func (g *stage) residuals(x, r []float64) error {
	if err := g.m.RestoreScaled(g.at); err != nil {
		return err
	}
	return g.s.Eval(x, r)
}

// stepOf is the step of a central difference.
func stepOf(x, typical float64) float64 { return 1e-5 * max(math.Abs(x), typical) }

// byInput returns the derivatives of all outputs with respect to one input.
func (d *differentiator) byInput(input string, outputs []string) ([]Sensitivity, error) {
	_, at, _, err := d.design.m.Parameter(input)
	if err != nil {
		return nil, err
	}
	if d.design.isUnknown(at) {
		return nil, fmt.Errorf("the design varies it to meet a target; differentiate by something else")
	}
	value := *at
	h := stepOf(value, 1e-2)
	// The design first: its unknowns, then the values that it fixes.
	du, err := d.design.tangent(func(sign float64) graph.Memory { return d.design.perturbed(at, sign*h, nil, 0) }, h)
	if err != nil {
		return nil, err
	}
	slopes, err := d.design.fixedSlopes(at, du, h)
	if err != nil {
		return nil, err
	}
	g := &d.design
	dx := du
	move := func(sign float64) graph.Memory { return g.perturbed(at, sign*h, nil, 0) }
	if !d.isDesign {
		g = &d.off
		_, caseAt, designOnly, err := g.m.Parameter(input)
		if err != nil {
			return nil, err
		}
		if g.notFromDesign[caseAt] && !designOnly { // the case sets it
			value = *caseAt
			clear(slopes.Numbers)
			clear(slopes.Fixed)
		}
		if g.isUnknown(caseAt) && !designOnly {
			return nil, fmt.Errorf("the case finds it itself; differentiate by something else")
		}
		move = func(sign float64) graph.Memory { return g.perturbed(caseAt, sign*h, &slopes, sign*h) }
		if dx, err = g.tangent(move, h); err != nil {
			return nil, err
		}
	}
	return g.outputs(input, value, outputs, move, dx, h)
}

// isUnknown reports whether a value is an unknown of the system.
func (g *stage) isUnknown(at *float64) bool {
	for _, u := range g.s.Unknowns {
		if u.At == at {
			return true
		}
	}
	return false
}

// perturbed returns the solution's memory with the parameter at changed by du. If slopes is
// not nil, every value that the design determines changes by dm times its slope instead.
func (g *stage) perturbed(at *float64, du float64, slopes *graph.Memory, dm float64) graph.Memory {
	var to graph.Memory
	numbers, fixed := g.m.Values()
	for i, n := range numbers {
		v := g.at.Numbers[i]
		if slopes != nil && !g.notFromDesign[n] {
			v += dm * slopes.Numbers[i]
		} else if n == at {
			v += du
		}
		to.Numbers = append(to.Numbers, v)
	}
	for i, f := range fixed {
		v := g.at.Fixed[i]
		if slopes != nil && !g.notFromDesign[f] {
			v += dm * slopes.Fixed[i]
		}
		to.Fixed = append(to.Fixed, v)
	}
	return to
}

// tangent returns the derivative of the unknowns with respect to a change of the model by h.
func (g *stage) tangent(move func(sign float64) graph.Memory, h float64) ([]float64, error) {
	n := len(g.x)
	var r [2][]float64
	for k, sign := range []float64{1, -1} {
		r[k] = make([]float64, n)
		if err := g.m.RestoreScaled(move(sign)); err != nil {
			return nil, err
		}
		if err := g.s.Eval(g.x, r[k]); err != nil {
			return nil, err
		}
	}
	rhs, dx := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		rhs.SetVec(i, -(r[0][i]-r[1][i])/(2*h))
	}
	if err := g.jac.SolveVecTo(dx, false, rhs); err != nil {
		return nil, err
	}
	return dx.RawVector().Data, nil
}

// fixedSlopes returns the derivatives of parameters and fixed values of the design, m'.
func (g *stage) fixedSlopes(at *float64, dx []float64, h float64) (graph.Memory, error) {
	var m [2]graph.Memory
	for k, sign := range []float64{1, -1} {
		if err := g.evaluate(g.perturbed(at, sign*h, nil, 0), dx, sign*h); err != nil {
			return graph.Memory{}, err
		}
		g.m.SaveTo(&m[k])
	}
	for i := range m[0].Numbers {
		m[0].Numbers[i] = (m[0].Numbers[i] - m[1].Numbers[i]) / (2 * h)
	}
	for i := range m[0].Fixed {
		m[0].Fixed[i] = (m[0].Fixed[i] - m[1].Fixed[i]) / (2 * h)
	}
	return m[0], nil
}

// evaluate evaluates the perturbed model at x + dx h, with stall margins and static quantities, which outputs may read.
func (g *stage) evaluate(to graph.Memory, dx []float64, h float64) error {
	if err := g.m.RestoreScaled(to); err != nil {
		return err
	}
	x := make([]float64, len(g.x))
	for i := range x {
		x[i] = g.x[i] + h*dx[i]
	}
	if err := g.s.Eval(x, make([]float64, len(x))); err != nil {
		return err
	}
	g.m.Margins()
	return g.m.Statics()
}

// outputs differentiates outputs by central differences about the solution.
func (g *stage) outputs(input string, at float64, outputs []string, move func(float64) graph.Memory, dx []float64,
	h float64) ([]Sensitivity, error) {
	var y [3][]float64
	for k, sign := range []float64{1, -1, 0} {
		if err := g.evaluate(move(sign), dx, sign*h); err != nil {
			return nil, err
		}
		for _, path := range outputs {
			read, err := g.m.Read(path)
			if err != nil {
				return nil, err
			}
			y[k] = append(y[k], read.Get())
		}
	}
	var out []Sensitivity
	for i, path := range outputs {
		s := Sensitivity{Output: path, Input: input, Value: y[2][i], At: at, Slope: (y[0][i] - y[1][i]) / (2 * h)}
		if s.Value != 0 && at != 0 {
			s.Share = s.Slope * at / s.Value
		}
		if !numeric.Finite(s.Slope) || !numeric.Finite(s.Value) {
			return nil, fmt.Errorf("%s is not a number there", path)
		}
		out = append(out, s)
	}
	return out, nil
}
