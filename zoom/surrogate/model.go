package surrogate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Output is a quantity that a model has.
type Output struct {
	Name  string
	Prior Prior

	// FixedLengths keeps the prior's lengths: answers change the amplitude alone.
	FixedLengths bool
}

// Base is the function that a model corrects: it sets the values of all outputs at a point, and slopes if allocated.
// Several goroutines may call it.
type Base func(x []float64, out []Value)

// Observation is the answer of a run.
type Observation struct {
	Key   string    // of the run's request; answers are used in the order of their keys
	X     []float64 // where: the coordinates
	Y     []float64 // the outputs, in their order
	Noise []float64 // standard deviations of Y about the result of a finished run

	Source  string // its origin; the model does not use it
	Steered bool   // its run was changed on its way; the model does not use it
}

// Value is an output at a point.
type Value struct {
	V     float64
	Slope []float64 // by coordinate
}

// Trend is a way to model the outputs: their priors, and a Base to which the modelled outputs are added.
type Trend struct {
	Outputs []Output
	Base    Base                   // nil: 0
	Spread  func(x, out []float64) // sets the standard deviations of Base at a point; nil: it is exact
}

// Model is a component by its answers. It is immutable, and several goroutines may use it.
type Model struct {
	trends    []Trend
	answers   []Observation
	processes []*process
	others    [][]alternative // by output
	used      []bool          // trends of them
}

// AnswerError is a fault of an answer.
type AnswerError struct{ Key, Reason string }

func (e *AnswerError) Error() string { return "answer " + e.Key + ": " + e.Reason }

// New makes the model of some outputs over dim coordinates. Of several trends each output has the trend by which the
// answers predict each other best. Its deviation includes the spread of alternatives that predict them nearly as well.
// The order of the answers does not matter. Errors: *AnswerError for an answer that does not fit the outputs, has a
// number that is not finite, or has the key of another answer; ErrSingular.
func New(dim int, trends []Trend, answers []Observation) (*Model, error) {
	m := &Model{trends: trends, answers: slices.Clone(answers)}
	outputs := trends[0].Outputs
	for _, t := range trends {
		for _, o := range t.Outputs {
			if p := &o.Prior; len(p.Origin) != dim || len(p.Slope) != dim || len(p.SlopeSpread) != dim ||
				len(p.Lengths) != dim {
				return nil, fmt.Errorf("surrogate: the prior of %s is not one of %d coordinates", o.Name, dim)
			}
		}
	}
	slices.SortFunc(m.answers, func(a, b Observation) int { return cmp.Compare(a.Key, b.Key) })
	for i := range m.answers {
		a := &m.answers[i]
		if reason := a.fault(dim, len(outputs)); reason != "" {
			return nil, &AnswerError{a.Key, reason}
		}
		if i > 0 && m.answers[i-1].Key == a.Key {
			return nil, &AnswerError{a.Key, "another answer has the same key"}
		}
	}
	m.used = make([]bool, len(trends))
	below := m.below()
	for k, o := range outputs {
		p, others, err := m.choose(k, below)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		m.processes, m.others = append(m.processes, p), append(m.others, others)
		for _, o := range others {
			m.used[o.trend] = true
		}
	}
	return m, nil
}

// below returns the values of the trends' bases at the answers' places.
func (m *Model) below() [][][]Value {
	all := make([][][]Value, len(m.trends))
	for t := range m.trends {
		all[t] = make([][]Value, len(m.answers))
		for i, a := range m.answers {
			all[t][i] = m.trends[t].at(a.X)
		}
	}
	return all
}

// at returns the values of the base at a point, without slopes.
func (t *Trend) at(x []float64) []Value {
	out := make([]Value, len(t.Outputs))
	if t.Base != nil {
		t.Base(x, out)
	}
	return out
}

// fault returns the fault of an answer; empty: none.
func (a *Observation) fault(dim, outputs int) string {
	switch {
	case len(a.X) != dim:
		return fmt.Sprintf("it has %d coordinates, not %d", len(a.X), dim)
	case len(a.Y) != outputs || len(a.Noise) != outputs:
		return fmt.Sprintf("it has %d outputs and %d noises, not %d", len(a.Y), len(a.Noise), outputs)
	}
	for _, list := range [][]float64{a.X, a.Y, a.Noise} {
		for _, v := range list {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return "it has a number that is not finite"
			}
		}
	}
	if slices.Min(a.Noise) < 0 {
		return "it has a noise below 0"
	}
	return ""
}

// Answers returns the model's answers, by their keys.
func (m *Model) Answers() []Observation { return m.answers }

// Trend returns the index of output k's trend in the trends given to New.
func (m *Model) Trend(k int) int { return m.processes[k].trend }

// At sets the outputs at a point. It sets slopes if they are allocated.
func (m *Model) At(x []float64, out []Value) {
	for k := range m.processes {
		clear(out[k].Slope)
		out[k].V = 0
	}
	m.under(x, out[:len(m.processes)])
	for k, p := range m.processes {
		out[k].V += p.value(x, out[k].Slope)
	}
}

// under sets the base values at a point, to which the processes are added.
func (m *Model) under(x []float64, out []Value) {
	if len(m.trends) == 1 {
		if m.trends[0].Base != nil {
			m.trends[0].Base(x, out)
		}
		return
	}
	for t, trend := range m.trends {
		if trend.Base == nil || !slices.ContainsFunc(m.processes, func(p *process) bool { return p.trend == t }) {
			continue
		}
		there := make([]Value, len(out))
		for k := range there {
			if out[k].Slope != nil {
				there[k].Slope = make([]float64, len(x))
			}
		}
		trend.Base(x, there)
		for k, p := range m.processes {
			if p.trend == t {
				out[k].V = there[k].V
				copy(out[k].Slope, there[k].Slope)
			}
		}
	}
}

// Deviations sets the standard deviations of the outputs at a point, from all alternatives and their differences from
// the model.
func (m *Model) Deviations(x, out []float64) {
	below, spread := m.spreads(x)
	for k, p := range m.processes {
		v, variance := p.value(x, nil), 0.0
		var last *process
		var to pairs
		for _, o := range m.others[k] {
			if last == nil || o.trend != last.trend || !slices.Equal(o.l, last.l) {
				last, to = o.process, o.to(x)
			}
			there, d := o.with(x, to)
			e, of := there-v, 0.0
			if o.trend != p.trend {
				e += below[o.trend][k].V - below[p.trend][k].V
			}
			if spread[o.trend] != nil {
				of = spread[o.trend][k]
			}
			variance += o.weight * (d*d + e*e + of*of)
		}
		out[k] = math.Sqrt(variance)
	}
}

// spreads returns the values of the trends' bases at a point, if the model has several trends, and their deviations.
func (m *Model) spreads(x []float64) (below [][]Value, spread [][]float64) {
	below, spread = make([][]Value, len(m.trends)), make([][]float64, len(m.trends))
	for t := range m.trends {
		if !m.used[t] {
			continue
		}
		if len(m.trends) > 1 {
			below[t] = m.trends[t].at(x)
		}
		if of := m.trends[t].Spread; of != nil {
			spread[t] = make([]float64, len(m.processes))
			of(x, spread[t])
		}
	}
	return below, spread
}

// evidence is the handicap of the trends after the first, in the logarithm of the likelihood: with few answers a
// useless base predicts some by chance.
const evidence = 3.0

// choose returns the process of output k with the trend, amplitude and lengths that predict every answer best from the
// others, and the alternatives to it of all trends. Below holds the values of the bases at the answers' places.
func (m *Model) choose(k int, below [][][]Value) (best *process, others []alternative, err error) {
	type found struct {
		search
		logs []float64
		cost float64
	}
	all := make([]found, len(m.trends))
	least := math.Inf(1)
	for t, trend := range m.trends {
		s := search{trend: t, prior: trend.Outputs[k].Prior, fixed: trend.Outputs[k].FixedLengths}
		for i, a := range m.answers {
			s.x, s.y, s.noise = append(s.x, a.X), append(s.y, a.Y[k]-below[t][i][k].V), append(s.noise, a.Noise[k])
		}
		if t > 0 {
			s.handicap = evidence
		}
		p, logs, cost, e := s.choose()
		all[t] = found{s, logs, cost}
		switch {
		case e != nil:
			all[t].cost, err = math.Inf(1), e
		case cost < least:
			best, least = p, cost
		}
	}
	if best == nil {
		return nil, nil, cmp.Or(err, ErrSingular) // no sum was finite
	}
	sum := 0.0
	for _, f := range all {
		if math.Exp(least-f.cost) > leastWeight {
			others = append(others, f.alternatives(f.logs, least)...)
		}
	}
	for _, o := range others {
		sum += o.weight
	}
	for i := range others {
		others[i].weight /= sum
	}
	return best, others, nil
}

// Shares returns the changes of the model's output k at a point by a unit change of each answer, by their keys: the
// weights (C + N)^-1 c(x). The answers' noise contributes the sum of the squares of weight times noise to the squared
// deviation there.
func (m *Model) Shares(k int, x []float64) []float64 { return m.processes[k].shares(x) }

// shares returns the weights of the answers at a point, 0 where they cannot be had.
func (g *process) shares(x []float64) []float64 {
	n := len(g.x)
	w := make([]float64, n)
	if n == 0 {
		return w
	}
	c := mat.NewVecDense(n, nil)
	to := g.to(x)
	for i := range n {
		c.SetVec(i, to.covariance(i, g.s))
	}
	if g.chol.SolveVecTo(mat.NewVecDense(n, w), c) != nil {
		clear(w)
	}
	return w
}
