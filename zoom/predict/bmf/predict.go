package bmf

import (
	"context"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// Prediction is the value of a program, and the usage of its processors.
type Prediction struct {
	Value      Value           `json:"value"`
	End        float64         `json:"end"` // s
	Messages   int64           `json:"messages"`
	Bytes      int64           `json:"bytes"`
	Clocks     []float64       `json:"clocks"` // s, by processor
	Processors []virtual.Usage `json:"processors"`
	InFlight   virtual.Load    `json:"in_flight"` // most at a time
	Levels     []virtual.Load  `json:"levels"`    // of the operations, in the order of the program
}

// Evaluate finds the value of a program and the steps of its processors, without times. The error is a
// [*document.Errors] if it is the program's.
func Evaluate(ctx context.Context, p *Program, input Value, m *Machine) (*Evaluation, error) {
	e := newEvaluation(ctx, m)
	var err error
	if e.value, err = e.eval(p.main, input, 0); err != nil {
		return nil, p.problem(err)
	}
	return e, nil
}

func newEvaluation(ctx context.Context, m *Machine) *Evaluation {
	return &Evaluation{ctx: ctx, machine: m, steps: make([][]virtual.Step, m.Processors),
		scope: &scope{used: map[int32]bool{}}, levels: []virtual.Load{}}
}

// Simulate finds the times of the steps. The trace may be nil.
func (e *Evaluation) Simulate(ctx context.Context, trace format.Writer) (*Prediction, error) {
	out, err := virtual.Run(ctx, &e.machine.Machine, &recorded{slices.Clone(e.steps)}, trace)
	if err != nil {
		return nil, err
	}
	return &Prediction{Value: e.value, End: out.End, Messages: out.Sent.Messages, Bytes: out.Sent.Bytes,
		Clocks: out.Clocks, Processors: out.Processors, InFlight: out.InFlight, Levels: e.levels}, nil
}

// recorded is a program of recorded steps.
type recorded struct{ steps [][]virtual.Step }

// Next implements [virtual.Program].
func (r *recorded) Next(processor int) (virtual.Step, bool) {
	list := r.steps[processor]
	if len(list) == 0 {
		return virtual.Step{}, false
	}
	r.steps[processor] = list[1:]
	return list[0], true
}
