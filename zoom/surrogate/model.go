package surrogate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Output is a quantity that a model has.
type Output struct {
	Name  string
	Prior Prior

	// FixedLengths says that the lengths are the prior's: answers change the amplitude alone.
	FixedLengths bool
}

// Base is what a model corrects: it sets values of all outputs at a point, and slopes where there is room for them. Several
// goroutines may call it.
type Base func(x []float64, out []Value)

// Answer is what one run found.
type Answer struct {
	Key   string    // of the run's request; answers are used in the order of their keys
	X     []float64 // where: the coordinates
	Y     []float64 // the outputs, in their order
	Noise []float64 // standard deviations of Y about what a finished run finds
}

// Value is an output at a point.
type Value struct {
	V     float64
	Slope []float64 // by coordinate
}

// Model is a component by its answers. It does not change, and several goroutines may use it.
type Model struct {
	outputs   []Output
	base      Base // nil: 0
	answers   []Answer
	processes []*process
	others    [][]alternative // by output
}

// AnswerError is a fault of an answer.
type AnswerError struct{ Key, Reason string }

func (e *AnswerError) Error() string { return "answer " + e.Key + ": " + e.Reason }

// New makes the model of some outputs over dim coordinates, as what is to be added to base where that is not nil. The order
// of the answers does not matter. Errors:
// *AnswerError for one that does not fit the outputs, has a number that is not finite, or has the key of
// another one; ErrSingular.
func New(dim int, outputs []Output, base Base, answers []Answer) (*Model, error) {
	m := &Model{outputs: outputs, base: base, answers: slices.Clone(answers)}
	for _, o := range outputs {
		if p := &o.Prior; len(p.Origin) != dim || len(p.Slope) != dim || len(p.SlopeSpread) != dim || len(p.Lengths) != dim {
			return nil, fmt.Errorf("surrogate: the prior of %s is not one of %d coordinates", o.Name, dim)
		}
	}
	slices.SortFunc(m.answers, func(a, b Answer) int { return cmp.Compare(a.Key, b.Key) })
	n := len(m.answers)
	x := make([][]float64, n)
	below := make([][]Value, n) // what the base has where the answers are
	for i := range m.answers {
		a := &m.answers[i]
		if reason := a.fault(dim, len(outputs)); reason != "" {
			return nil, &AnswerError{a.Key, reason}
		}
		if i > 0 && m.answers[i-1].Key == a.Key {
			return nil, &AnswerError{a.Key, "there are two of this key"}
		}
		x[i], below[i] = a.X, make([]Value, len(outputs))
		if base != nil {
			base(a.X, below[i])
		}
	}
	y, noise := make([]float64, n), make([]float64, n)
	for k, o := range outputs {
		for i, a := range m.answers {
			y[i], noise[i] = a.Y[k]-below[i][k].V, a.Noise[k]
		}
		s := search{o.Prior, o.FixedLengths, x, slices.Clone(y), slices.Clone(noise)}
		p, logs, least, err := s.choose()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		m.processes = append(m.processes, p)
		m.others = append(m.others, s.alternatives(logs, least))
	}
	return m, nil
}

// fault says what is wrong with an answer; empty: nothing.
func (a *Answer) fault(dim, outputs int) string {
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

// Answers are the model's, by their keys.
func (m *Model) Answers() []Answer { return m.answers }

// At sets the outputs at a point. Slopes are set where there is room for them.
func (m *Model) At(x []float64, out []Value) {
	for k := range m.processes {
		clear(out[k].Slope)
		out[k].V = 0
	}
	if m.base != nil {
		m.base(x, out[:len(m.processes)])
	}
	for k, p := range m.processes {
		out[k].V += p.value(x, out[k].Slope)
	}
}

// Deviations sets the standard deviations of the outputs at a point: those of all alternatives and of their
// differences from the model.
func (m *Model) Deviations(x, out []float64) {
	for k, p := range m.processes {
		v, variance := p.value(x, nil), 0.0
		for _, o := range m.others[k] {
			d, e := o.deviation(x), o.value(x, nil)-v
			variance += o.weight * (d*d + e*e)
		}
		out[k] = math.Sqrt(variance)
	}
}
