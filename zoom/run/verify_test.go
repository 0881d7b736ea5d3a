package run_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/launchtest"
)

// fickleSolver answers y = x, and more the more often it was asked, from the request number late on.
type fickleSolver struct {
	runs *atomic.Int64
	late int64
}

func (fickleSolver) Describe() plugin.Description {
	return plugin.Description{
		Name: "fickle", Version: "1", Fidelity: "none",
		Inputs:  []plugin.Quantity{{Name: "x", Shape: plugin.Scalar, Required: true}},
		Outputs: []plugin.Quantity{{Name: "y", Shape: plugin.Scalar, Required: true}, {Name: "p", Shape: plugin.Profile}},
	}
}

func (s fickleSolver) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	y := r.Numbers["x"]
	if n := s.runs.Add(1); n >= s.late {
		y += float64(n) * 1e-13
	}
	return plugin.Result{Class: event.Converged, Numbers: map[string]float64{"y": 1}, Arrays: map[string][]float64{"p": {0, y}}}, nil
}

// One run in fifty is made twice, the first one among them, and a difference in the last bit is found, and stays known in the cache.
func TestOneRunInFiftyIsMadeTwice(t *testing.T) {
	for i, c := range []struct {
		late int64
		want string
	}{
		{1000, ""},
		{2, "runs p000 and p000-twice of the same request differ: p[1] is 1 and 1.0000000000002"},
		{50, "runs p050 and p050-twice of the same request differ: p[1] is "},
	} {
		if i > 1 && !testenv.IsLong(t) {
			break
		}
		kept := openCache(t, t.TempDir())
		solver := fickleSolver{new(atomic.Int64), c.late}
		var said []string
		study := func(name string, observe func(event.Event)) []run.Outcome {
			fake := &launchtest.Fake{Solver: func() plugin.Solver { return solver }}
			host := must.Value(run.NewHost(filepath.Join(t.TempDir(), name), fake.Registry(), launchtest.Name))(t)
			defer func() { noError(t, host.Close()) }()
			pool := &run.Pool{Host: host, Program: launch.Program{Command: []string{"fickle"}, Code: "1"}, Study: name, Workers: 1, Observe: observe}
			var jobs []run.Job
			for i := range 51 {
				jobs = append(jobs, run.Job{Name: fmt.Sprintf("p%03d", i), Request: plugin.Request{Numbers: map[string]float64{"x": 1 + float64(i)}}})
			}
			out := must.Value((&run.Study{Pool: pool, Cache: kept, Verify: true}).Evaluate(t.Context(), jobs))(t)
			return out
		}
		out := study("one", func(e event.Event) {
			if e.Kind == event.Warning {
				said = append(said, e.Text)
			}
		})
		if n := solver.runs.Load(); n != 53 {
			t.Errorf("%d runs for 51 points, want 2 more", n)
		}
		found := ""
		for _, o := range out {
			if found == "" {
				found = o.Unlike
			}
		}
		if !strings.HasPrefix(found, c.want) || (found == "") != (c.want == "") || (c.want == "") != (len(said) == 0) {
			t.Errorf("from request %d on: %q, said %q", c.late, found, said)
		}
		second := study("two", nil)
		for i := range out {
			if second[i].Unlike != out[i].Unlike || !second[i].Cached {
				t.Errorf("from the cache: %q, was %q", second[i].Unlike, out[i].Unlike)
			}
		}
	}
}
