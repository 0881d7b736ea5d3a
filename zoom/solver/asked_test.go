package solver

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A setting or input that is changed before the first iteration gives the answer of a request that has it so from the beginning, to the last bit:
// the cache keeps it under the key of that request.
func TestChangedBeforeTheFirstIteration(t *testing.T) {
	for name, c := range map[string]struct {
		make func() plugin.Solver
		base func() plugin.Request
	}{
		"throughflow": {func() plugin.Solver { return &Throughflow{} }, func() plugin.Request {
			r := fanPoint(t, 1, 1)
			r.Numbers["orders"] = 1.1
			return r
		}},
		"bladerow": {func() plugin.Solver { return &BladeRow{} }, func() plugin.Request { return coarseRow(t) }},
	} {
		for _, o := range settings(t, c.make(), c.base()) {
			t.Run(name+"/"+o.Name, func(t *testing.T) {
				x := 0.98 * o.Value.Number
				if o.Type == steer.Int {
					x = o.Value.Number + 1
				}
				if x == 0 {
					x = 0.1
				}
				changed := c.base()
				changed.Numbers = maps.Clone(changed.Numbers)
				changed.Numbers[o.Setting] = x
				want := must.Value(c.make().Run(t.Context(), changed, func(event.Event) {}))(t)
				steered := c.base()
				steered.Steer = steer.New(clock.Real)
				var last steer.Receipt
				steered.Steer.Submit(steer.Command{ID: "a", Verb: steer.Set, Changes: []steer.Change{{Object: o.Name, Value: steer.FloatValue(x)}}}, func(r steer.Receipt) { last = r })
				got, err := c.make().Run(t.Context(), steered, func(event.Event) {})
				if err != nil || last.State != steer.Applied || last.Iteration != 0 || last.Effects[0].Setting != o.Setting {
					t.Fatalf("%v, %+v", err, last)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// settings are the objects of a solver that are settings or inputs of a request.
func settings(t *testing.T, s plugin.Solver, r plugin.Request) []steer.Listed {
	t.Helper()
	r.Steer = steer.New(clock.Real)
	r.Steer.Submit(steer.Command{ID: "a", Verb: steer.Stop}, func(steer.Receipt) {})
	if _, err := s.Run(t.Context(), r, func(event.Event) {}); err != nil {
		t.Fatal(err)
	}
	list := slices.DeleteFunc(r.Steer.List(), func(o steer.Listed) bool { return o.Setting == "" })
	if len(list) < 3 {
		t.Fatalf("%+v", list)
	}
	return list
}
