package zoom_test

import (
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/machine"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Answers of an earlier study whose runs start from one another count in a later one, each under the key that it was
// made by. A plan of the later one gives the same model to the last bit, also where the cache is gone and the runs
// are made anew.
func TestEarlierAnswersOfNeighbours(t *testing.T) {
	m := e3Fan(t)
	m.Settings = map[string]float64{"cells_z": 64, "cells_r": 16, "refine": 0.5}
	answers := must.Value(cache.Open(t.TempDir()))(t)
	begin := func(name string, answers *cache.Cache) *zoom.Rounds {
		study := zoom.StudyOf(t, func() plugin.Solver { return solver.Builtin("throughflow") })
		study.Cache, study.Description, study.Pool.Study = answers, solver.Builtin("throughflow").Describe(), name
		study.Pool.Program.Code = "throughflow"
		study.Known = func(_, _ string, there []string) []string { return there }
		r := zoom.NewRounds(m, study, zoom.MethodMap)
		must.OK(t, r.Begin())
		return r
	}
	round := func(r *zoom.Rounds, at ...machine.RunPoint) []*run.Outcome {
		t.Helper()
		return must.Value(r.Make(t.Context(), orders(at)))(t)
	}
	p := m.DesignPoint()
	first := begin("first", answers)
	for _, at := range []machine.RunPoint{
		p, {Nu: p.Nu - 0.03, Kappa: p.Kappa}, {Nu: p.Nu - 0.03, Kappa: p.Kappa - 0.05},
	} {
		for _, o := range round(first, at) {
			if !o.OK() {
				t.Fatalf("%+v", o.Err)
			}
		}
	}
	if n := len(first.Requests().Wanted); n != 3 || first.Requests().Wanted[2].From == "" ||
		len(first.Own().Earlier) > 0 {
		t.Fatalf("%d runs, %+v, of which the last one is to start from another", n, first.Requests().Wanted)
	}

	next := begin("next", answers)
	here := machine.RunPoint{Nu: p.Nu - 0.02, Kappa: p.Kappa - 0.02}
	if outs := round(next, here); outs[0] != nil || next.Runs+next.Cached > 0 || len(next.Own().Earlier) != 3 {
		t.Fatalf("a run was made, or not all of 3 answers count: %d", len(next.Own().Earlier))
	}
	if got, want := values(t, next, here), values(t, first, here); !slices.Equal(got, want) {
		t.Errorf("the same answers give %v in another study, not %v", got, want)
	}
	if outs := round(next, here); outs[0] == nil || !outs[0].OK() || next.Runs != 1 ||
		next.Requests().Wanted[0].From == "" {
		t.Fatalf("no new run from one of an earlier study: %+v", next.Requests())
	}

	empty := must.Value(cache.Open(t.TempDir()))(t)
	for name, kept := range map[string]*cache.Cache{"anew": answers, "without a cache": empty} {
		r := begin(name, kept)
		must.OK(t, r.Redo(t.Context(), next.Requests()))
		if got, want := values(t, r, here), values(t, next, here); !slices.Equal(got, want) {
			t.Errorf("%s: %v by the plan, not %v", name, got, want)
		}
	}
}

// values are what the model of rounds has at a point, with its deviations.
func values(t *testing.T, r *zoom.Rounds, at machine.RunPoint) []float64 {
	t.Helper()
	response := must.Value(r.Response())(t)
	var v components.Responded
	response.At(0, at.Nu*r.Machine.Nc, at.Kappa, &v)
	return append(response.Deviations(at), v.Wc, v.PR[0], v.Eff[0])
}
