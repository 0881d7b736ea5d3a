package run_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/launchtest"
)

// cutSolver is the mock with checkpoints. Its first runs crash behind one. A run that goes on
// from a checkpoint gives another answer than one from the beginning.
type cutSolver struct {
	plugintest.Mock
	whole   bool
	crashes int32
	runs    *atomic.Int32
}

const wentOn = 42.0

func (s *cutSolver) Describe() plugin.Description {
	d := s.Mock.Describe()
	d.Files = append(d.Files, history.File{Pattern: "solution.bin", Format: plugin.SolutionFormat, Doc: "state"})
	d.WholeState = s.whole
	return d
}

func (s *cutSolver) Run(ctx context.Context, r plugin.Request, emit func(event.Event)) (plugin.Result, error) {
	if err := os.WriteFile(filepath.Join(r.Folder, "solution.bin"), nil, 0o600); err != nil {
		return plugin.Result{}, err
	}
	if s.runs.Add(1) <= s.crashes {
		return plugin.Result{}, errors.New("scripted crash")
	}
	from := r.Texts[plugin.InRestart]
	r.Texts = maps.Clone(r.Texts)
	delete(r.Texts, plugin.InRestart) // it holds nothing that the mock could read
	out, err := s.Mock.Run(ctx, r, emit)
	if from != "" {
		out.Numbers["y"] = wentOn
	}
	return out, err
}

// A killed run goes on from its checkpoint only if that holds the solver's whole state, within
// a study and from one to the next. A run of other values under the same key is no beginning.
func TestOnlyAWholeStateIsGoneOnFrom(t *testing.T) {
	for _, c := range []struct {
		name    string
		whole   bool
		crashes int32 // of two attempts in each study
		changed bool  // the last attempt had other values, and so another key
		anew    bool  // a monitor may end runs for their history
		want    float64
	}{
		{"part, retried", false, 1, false, false, 9},
		{"whole, retried", true, 1, false, false, wentOn},
		{"part, next study", false, 2, false, false, 9},
		{"whole, next study", true, 2, false, false, wentOn},
		{"whole, next study, other values", true, 2, true, false, wentOn}, // from the checkpoint of its own values
		{"whole, retried, judged", true, 1, false, true, 9},
		{"whole, next study, judged", true, 2, false, true, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			work, runs, kept := t.TempDir(), new(atomic.Int32), openCache(t, t.TempDir())
			fake := &launchtest.Fake{Solver: func() plugin.Solver { return &cutSolver{whole: c.whole, crashes: c.crashes, runs: runs} }}
			study := func(name string, policy run.Policy) run.Outcome {
				host := must.Value(run.NewHost(filepath.Join(work, name), fake.Registry(), launchtest.Name))(t)
				defer func() { noError(t, host.Close()) }()
				pool := &run.Pool{Host: host, Program: launch.Program{Command: []string{"cut"}, Code: "1"}, Study: name, Workers: 1, Policy: policy, Anew: c.anew}
				out, _ := evaluate(t, &run.Study{Pool: pool, Cache: kept}, job("point", 3, ""))
				return out[0]
			}
			policy := run.DefaultPolicy()
			if c.changed {
				policy[event.Crashed] = policy[event.Diverged]
			}
			out := study("1", policy)
			if c.crashes == 2 {
				if out.OK() {
					t.Fatal("the first study did not fail")
				}
				out = study("2", policy)
			}
			if y := out.Result.Numbers["y"]; y != c.want {
				t.Errorf("the answer is %g, want %g", y, c.want)
			}
		})
	}
}
