package solver

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/steer"
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
		"throughflow": {
			func() plugin.Solver { return &Throughflow{} },
			func() plugin.Request { return few(fanPoint(t, 1, 1), 60) }, "cells_r", 24,
		},
		"bladerow": {func() plugin.Solver { return &BladeRow{} }, func() plugin.Request { return coarseRow(t) },
			"refine", 0.25},
	} {
		t.Run(name, func(t *testing.T) {
			other, choked, bad := few(c.base(), 10), few(c.base(), 10), c.base()
			other.Numbers[c.mesh] = c.cells
			choked.Numbers[machine.InThrottle] /= 1000
			delete(other.Texts, "start") // bladerow begins from an axisymmetric flow, where that is found
			delete(choked.Texts, "start")
			bad.Texts = map[string]string{machine.InGeometry: "rows: nonsense"}
			made := func(s plugin.Solver, r plugin.Request, steered bool) (res plugin.Result, seen []event.Event) {
				applied := 0
				if steered {
					r.Steer = steer.New(clock.Real)
					for _, c := range []steer.Command{
						{
							ID: "a", Verb: steer.Set,
							Changes: []steer.Change{{Object: "cfl", Value: steer.FloatValue(3)}},
						}, {ID: "b", Verb: steer.Checkpoint, Name: "here"},
					} {
						r.Steer.Submit(c, func(x event.Receipt) {
							if x.State == event.Applied {
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
			if len(history) < 2 || want.Numbers[machine.OutW] == 0 {
				t.Fatalf("%d events, %v", len(history), want)
			}
			s := c.make()
			for i, before := range []plugin.Request{other, choked, bad, c.base(), c.base()} {
				made(s, before, i == 3)
				got, lines := made(s, c.base(), false)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("after run %d: %s", i, diff)
				}
				if !slices.EqualFunc(history, lines,
					func(a, b event.Event) bool { return maps.Equal(a.Values, b.Values) }) {
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

// A run of bladerow that is interrupted while its axisymmetric flow is computed leaves no checkpoint: that would be
// of a start from rest, which the request alone does not make.
func TestInterruptedBeforeTheFirstStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	request := coarseRow(t)
	delete(request.Texts, "start")
	_, err := (&BladeRow{}).Run(ctx, request, func(e event.Event) { t.Errorf("it says: %s", e.Text) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if _, err := os.Stat(filepath.Join(request.Folder, march.SolutionFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it leaves a checkpoint, %v", err)
	}
}

// A run that is asked to end and cannot write its solution fails: the file of an earlier checkpoint is not that of its
// answer.
func TestSolutionNotWrittenAtAnEnd(t *testing.T) {
	few := fanPoint(t, 1, 1)
	few.Numbers["max_iterations"] = 20
	row := coarseRow(t)
	row.Folder = t.TempDir()
	for _, c := range []struct {
		solver  plugin.Solver
		request plugin.Request
	}{{&Throughflow{}, few}, {&BladeRow{}, row}} {
		must.OK(t, os.MkdirAll(filepath.Join(c.request.Folder, march.SolutionFile, "in the way"), 0o755))
		ctx, cancel := context.WithCancel(t.Context())
		_, err := c.solver.Run(ctx, c.request, func(e event.Event) {
			if e.Kind == event.Iteration {
				cancel()
			}
		})
		cancel()
		must.Fail(t, err, march.SolutionFile)
	}
}

// A setting or input that is changed before the first iteration gives the answer of a request that has it so from the
// beginning, to the last bit: the cache keeps it under the key of that request.
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
				var last event.Receipt
				steered.Steer.Submit(steer.Command{
					ID: "a", Verb: steer.Set, Changes: []steer.Change{{Object: o.Name, Value: steer.FloatValue(x)}},
				}, func(r event.Receipt) { last = r })
				got, err := c.make().Run(t.Context(), steered, func(event.Event) {})
				if err != nil || last.State != event.Applied || last.Iteration != 0 ||
					last.Effects[0].Setting != o.Setting {
					t.Fatalf("%v, %+v", err, last)
				}
				must.Equal(t, want, got)
			})
		}
	}
}

// settings are the objects of a solver that are settings or inputs of a request.
func settings(t *testing.T, s plugin.Solver, r plugin.Request) []steer.Listed {
	t.Helper()
	r.Steer = steer.New(clock.Real)
	r.Steer.Submit(steer.Command{ID: "a", Verb: steer.Stop}, func(event.Receipt) {})
	must.Value(s.Run(t.Context(), r, func(event.Event) {}))(t)
	list := slices.DeleteFunc(r.Steer.List(), func(o steer.Listed) bool { return o.Setting == "" })
	if len(list) < 3 {
		t.Fatalf("%+v", list)
	}
	return list
}
