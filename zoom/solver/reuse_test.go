package solver

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// A solver that has made runs gives the answers of a new one, to the last bit, whatever became of them: other meshes, a
// flow that cannot be, a setting that was changed under way, a stop.
func TestReusedSolver(t *testing.T) {
	few := func(r plugin.Request, n float64) plugin.Request {
		r.Numbers = maps.Clone(r.Numbers)
		r.Numbers["max_iterations"] = n
		return r
	}
	for name, c := range map[string]struct {
		make  func() plugin.Solver
		base  func() plugin.Request
		mesh  string // a number that changes the mesh
		cells float64
	}{
		"throughflow": {func() plugin.Solver { return &Throughflow{} }, func() plugin.Request { return few(fanPoint(t, 1, 1), 60) }, "cells_r", 24},
		"bladerow":    {func() plugin.Solver { return &BladeRow{} }, func() plugin.Request { return coarseRow(t) }, "refine", 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			other, choked, bad := few(c.base(), 10), few(c.base(), 10), c.base()
			other.Numbers[c.mesh] = c.cells
			choked.Numbers[zoom.InThrottle] /= 1000
			delete(other.Texts, "start") // bladerow begins from an axisymmetric flow, where that is found
			delete(choked.Texts, "start")
			bad.Texts = map[string]string{zoom.InGeometry: "rows: nonsense"}
			made := func(s plugin.Solver, r plugin.Request, steered bool) (res plugin.Result, seen []event.Event) {
				applied := 0
				if steered {
					r.Steer = steer.New(clock.Real)
					for _, c := range []steer.Command{
						{ID: "a", Verb: steer.Set, Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(3)}}}, {ID: "b", Verb: steer.Checkpoint, Name: "here"},
					} {
						r.Steer.Submit(c, func(x steer.Receipt) {
							if x.State == steer.Applied {
								applied++
							}
						})
					}
				}
				res, err := s.Run(t.Context(), r, func(e event.Event) { seen = append(seen, e) })
				if steered && applied != 2 {
					t.Errorf("%d commands were done", applied)
				}
				if err != nil && !strings.Contains(err.Error(), "geometry") {
					t.Logf("%v", err)
				}
				return res, seen
			}
			want, history := made(c.make(), c.base(), false)
			if len(history) < 2 || want.Numbers[zoom.OutW] == 0 {
				t.Fatalf("%d events, %v", len(history), want)
			}
			s := c.make()
			for i, before := range []plugin.Request{other, choked, bad, c.base(), c.base()} {
				made(s, before, i == 3)
				got, lines := made(s, c.base(), false)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("after run %d: %s", i, diff)
				}
				if !slices.EqualFunc(history, lines, func(a, b event.Event) bool { return maps.Equal(a.Values, b.Values) }) {
					t.Errorf("after run %d the history differs", i)
				}
			}
		})
	}
}

// coarseRow is a request for a few iterations of bladerow on a coarse mesh of the fan.
func coarseRow(t testing.TB) plugin.Request {
	t.Helper()
	r := fanPoint(t, 1, 1)
	d := (&BladeRow{}).Describe()
	for _, name := range []string{"cells_z", "cells_r"} {
		delete(r.Numbers, name)
	}
	for _, q := range slices.Concat(d.Inputs, d.Settings) {
		if q.Default != nil {
			r.Numbers[q.Name] = *q.Default
		}
	}
	r.Numbers["refine"], r.Numbers["max_iterations"] = 0.2, 20
	r.Texts["start"], r.Texts["model"] = "rest", "euler"
	return r
}
