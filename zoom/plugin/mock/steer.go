package mock

// The objects of the mock that can be read and changed while it iterates: one of each type, and one for each operation.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// helm is the state that exists only to be steered.
type helm struct {
	ends    bool // on a command to stop
	levels  int
	weights []float64
	limits  steer.Value
	load    steer.Gauge
}

var (
	seen     = []steer.Operation{steer.Sense}
	actuated = []steer.Operation{steer.Sense, steer.Actuate}
	probed   = []steer.Operation{steer.Read, steer.Write}
	called   = []steer.Operation{steer.Call}
)

// take registers the objects.
//
//	gain          the control: changes at the next iteration
//	levels        a whole number of 1 to 5; the postcondition fails at 4
//	weights       three numbers
//	limits        a struct of steady and tries
//	iteration, residual   to be looked at
//	load          a number that is probed
//	double        a function that returns twice its argument, at a safe point
//	nap           a function beside the solver that sleeps, for so many seconds
//	checkpoint    writes state-NAME.txt
func (p *play) take() *helm {
	h := &helm{levels: 3, weights: []float64{1, 2, 3}}
	h.limits = steer.Value{
		Type: steer.Struct, Fields: []steer.Field{{Name: "steady", Value: steer.FloatValue(1e-6)},
			{Name: "tries", Value: steer.IntValue(3)}},
	}
	r := p.req.Steer
	if r == nil {
		return h
	}
	r.Add(steer.Object{
		Name: "gain", Type: steer.Float, Min: new(0.0), Max: new(1.0), Effect: steer.Numerics, Operations: actuated,
		Setting: "gain", Doc: "of the residual per iteration",
	}, p.mock.gain.Binding())
	levels := steer.IntAt(&h.levels)
	levels.Verify = func() error {
		if h.levels == 4 {
			return errors.New("four levels do not fit")
		}
		return nil
	}
	r.Add(steer.Object{Name: "levels", Type: steer.Int, Min: new(1.0), Max: new(5.0), Effect: steer.Numerics,
		Operations: actuated}, levels)
	r.Add(steer.Object{Name: "weights", Type: steer.Array, Shape: []int{3}, Effect: steer.Answer,
		Operations: actuated}, steer.Binding{
		Get: func() steer.Value { return steer.ArrayValue(h.weights) },
		Set: func(v steer.Value) error { h.weights = v.Array; return nil },
	})
	r.Add(steer.Object{
		Name: "limits", Type: steer.Struct, Effect: steer.Numerics, Operations: actuated,
		Fields: []steer.Part{{Name: "steady", Type: steer.Float, Min: new(0.0)}, {Name: "tries", Type: steer.Int}},
	}, steer.Binding{
		Get: func() steer.Value { return h.limits }, Set: func(v steer.Value) error { h.limits = v; return nil },
	})
	r.Add(steer.Object{Name: "residual", Type: steer.Float, Effect: steer.Monitor, Operations: seen},
		steer.Seen(func() steer.Value { return steer.FloatValue(p.resd) }))
	r.Add(steer.Object{Name: "load", Type: steer.Float, Effect: steer.Monitor, Operations: probed}, h.load.Binding())
	p.register(r)
	return h
}

// register registers the functions.
func (p *play) register(r *steer.Registry) {
	r.Add(steer.Object{Name: "double", Type: steer.Float, Effect: steer.Monitor, Operations: called}, steer.Binding{
		Call: func(_ context.Context, x steer.Value) (steer.Value, error) {
			return steer.FloatValue(2 * x.Number), nil
		},
	})
	r.Add(steer.Object{Name: "nap", Type: steer.Float, Unit: "s", Effect: steer.Monitor, Operations: called},
		steer.Binding{
			Beside: true, Call: func(ctx context.Context, x steer.Value) (steer.Value, error) {
				return steer.Value{}, clock.Sleep(ctx, clock.Real, time.Duration(x.Number*float64(time.Second)))
			},
		})
	r.Add(steer.Object{Name: steer.CheckpointFunction, Type: steer.Text, Effect: steer.Monitor, Operations: called},
		steer.Binding{
			Call: func(_ context.Context, name steer.Value) (steer.Value, error) {
				file := "state-" + name.Text + ".txt"
				return steer.TextValue(file), os.WriteFile(p.path(file), fmt.Appendf(nil, "%d %g\n", p.n, p.resd),
					0o644)
			},
		})
}

// obey applies the commands, between two iterations.
func (p *play) obey() {
	if r := p.req.Steer; r.Armed() && r.Obey(p.ctx, int64(p.n)) == steer.End && p.ctx.Err() == nil {
		p.helm.ends = true
	}
}
