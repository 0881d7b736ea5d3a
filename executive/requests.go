package executive

// The study's objects by which users request and withdraw runs, and limit the runs not yet started.

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// call registers a function of the study with a text argument.
func call(r *steer.Registry, name string, effect steer.Effect, doc string, do func(text string) error) {
	r.Add(
		steer.Object{Name: name, Type: steer.Text, Effect: effect, Operations: []steer.Operation{steer.Call}, Doc: doc},
		steer.Binding{
			Call: func(_ context.Context, v steer.Value) (steer.Value, error) { return steer.Value{}, do(v.Text) },
		})
}

// requests registers the functions and values that request and limit runs and maps of the study.
func (t *steering) requests(r *steer.Registry) {
	c := t.live
	call(r, "add", steer.Answer,
		"adds a run to a component's map, as fan n=95 % throttle=1.15, over the design's corrected speed and the "+
			"throttle that passes its flow at a pressure ratio of 1", func(text string) error {
			a, err := live.ParseAdded(text)
			if err != nil {
				return err
			}
			return c.Add(a)
		})
	call(r, "unusable", steer.Answer, "has the answers of runs whose names match count in no map",
		func(text string) error { return c.SetUsable(text, false) })
	call(r, "usable", steer.Answer, "takes that back", func(text string) error { return c.SetUsable(text, true) })
	none, many, change := 0.0, 10000.0, []steer.Operation{steer.Read, steer.Actuate}
	r.Add(steer.Object{Name: "solve.max_iterations", Type: steer.Int, Min: &none, Max: &many, Effect: steer.Numerics,
		Operations: change,
		Doc: "of Newton's method in each attempt at a case, from the next one on: beyond them it is reached " +
			"by steps; 0: the default, 60"}, steer.Binding{
		Get: func() steer.Value { return steer.IntValue(t.iterations.Load()) },
		Set: func(v steer.Value) error { t.iterations.Store(int64(v.Number)); return nil },
	})
	limit := func(name, doc string, get func(wall, hung *time.Duration) *time.Duration) {
		r.Add(steer.Object{Name: name, Type: steer.Float, Unit: "s", Min: &none, Effect: steer.Monitor,
			Operations: change, Doc: doc + " of runs that are yet to start; 0: as the engine file has it"},
			steer.Binding{
				Get: func() steer.Value {
					wall, hung := c.Limits()
					return steer.FloatValue(get(&wall, &hung).Seconds())
				},
				Set: func(v steer.Value) error {
					wall, hung := c.Limits()
					*get(&wall, &hung) = time.Duration(v.Number * float64(time.Second))
					c.SetLimits(wall, hung)
					return nil
				},
			})
	}
	limit("limits.wall", "longest time", func(wall, _ *time.Duration) *time.Duration { return wall })
	limit("limits.hung", "longest silence", func(_, hung *time.Duration) *time.Duration { return hung })
}

// iterations is how many iterations a solve may take that begins now; 0: the default.
func (s *Studies) iterations() int {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.steering == nil {
		return 0
	}
	return int(s.steering.iterations.Load())
}

// component registers the error that a component's zoom is to reach.
func (t *steering) component(z *config.Zoom) {
	r, name := t.find(record.StudyAddress), z.Component
	// a user's name may contain characters that an object's name must not
	if z.To == nil || strings.Contains(name, "-") {
		return
	}
	least, most := 1e-7, 1.0
	r.Replace(steer.Object{Name: name + ".to", Type: steer.Float, Min: &least, Max: &most, Effect: steer.Answer,
		Operations: []steer.Operation{steer.Read, steer.Actuate},
		Doc:        "error of the results that its zoom is to reach, as a fraction"}, steer.Binding{
		Get: func() steer.Value { return steer.FloatValue(cmp.Or(t.live.Goal(name), z.To[0].Error)) },
		Set: func(v steer.Value) error { return t.live.Want(name, v.Number) },
	})
}
