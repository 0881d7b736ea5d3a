package run_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// startedSolver answers y = x, and a thousandth of what its neighbour answered. Its solution is the answer.
type startedSolver struct {
	mu    *sync.Mutex
	runs  *[]string // made: name, and what it started from
	drift *float64  // added to each answer

	lone map[float64]bool // x at which it diverges without a neighbour
	hard map[float64]bool // x at which it diverges with fewer than 8 orders

	takes time.Duration
}

func (s startedSolver) Describe() plugin.Description {
	orders := 4.0
	return plugin.Description{
		Name: "started", Version: "1", Fidelity: "known", WholeState: true,
		Inputs: []plugin.Quantity{
			{Name: "x", Shape: plugin.Scalar, Required: true}, {Name: plugin.InNeighbour, Shape: plugin.FileName},
			{Name: plugin.InRestart, Shape: plugin.FileName},
		},
		Settings: []plugin.Quantity{{Name: run.Orders, Shape: plugin.Scalar, Default: &orders}},
		Outputs:  []plugin.Quantity{{Name: "y", Shape: plugin.Scalar, Required: true}},
		Files:    []history.File{{Pattern: "solution.txt", Format: plugin.SolutionFormat}},
	}
}

func (s startedSolver) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	time.Sleep(s.takes)
	s.mu.Lock()
	defer s.mu.Unlock()
	y, from, how := r.Numbers["x"]+*s.drift, 0.0, ""
	for _, input := range []string{plugin.InNeighbour, plugin.InRestart} {
		if path := r.Texts[input]; path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return plugin.Result{}, err
			}
			if _, err := fmt.Sscan(string(text), &from); err != nil {
				return plugin.Result{}, err
			}
			how = " " + input
		}
	}
	if how == " "+plugin.InNeighbour {
		y += from / 1000
	}
	name, _, _ := strings.Cut(r.Run, record.AttemptMark)
	*s.runs = append(*s.runs, name+how)
	if s.lone[r.Numbers["x"]] && how == "" {
		return plugin.Result{Class: event.Diverged, Message: "no neighbour"}, nil
	}
	if s.hard[r.Numbers["x"]] && r.Numbers[run.Orders] != 8 {
		return plugin.Result{Class: event.Diverged, Message: "too few orders"}, nil
	}
	if err := os.WriteFile(filepath.Join(r.Folder, "solution.txt"), fmt.Append(nil, y), 0o600); err != nil {
		return plugin.Result{}, err
	}
	return plugin.Result{Class: event.Converged, Numbers: map[string]float64{"y": y}}, nil
}

// startedStudies makes studies on one cache in one folder.
type startedStudies struct {
	t      *testing.T
	solver startedSolver
	work   string
	kept   *cache.Cache
	n      int
	policy run.Policy
	around func(launch.Launcher) launch.Launcher // nil: the launcher itself
	record func(event.Event) event.Event         // may be nil
}

func newStartedStudies(t *testing.T) *startedStudies {
	return &startedStudies{t: t, solver: startedSolver{mu: new(sync.Mutex), runs: new([]string), drift: new(float64)},
		work: t.TempDir(), kept: openCache(t, t.TempDir())}
}

// evaluate evaluates jobs in a new study, and returns the runs that it made.
func (s *startedStudies) evaluate(jobs ...run.Job) (out []run.Outcome, runs []string) {
	s.t.Helper()
	s.n++
	*s.solver.runs = nil
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return s.solver }}
	host, err := attempt.NewHost(filepath.Join(s.work, fmt.Sprint(s.n)), fake.Registry(), launchtest.Name)
	must.OK(s.t, err)
	defer func() { noError(s.t, host.Close()) }()
	if s.around != nil {
		host.Launcher = s.around(host.Launcher)
	}
	study := &study.Study{
		Pool: &pool.Pool{
			Runner: attempt.Runner{
				Host: host, Program: launch.Program{Command: []string{"started"}, Code: "1"},
				Study: fmt.Sprint(s.n),
			},
			Workers: 2, Policy: s.policy, Record: s.record,
		},
		Cache: s.kept, Description: s.solver.Describe(),
	}
	out, err = study.Evaluate(context.Background(), jobs)
	must.OK(s.t, err)
	slices.Sort(*s.solver.runs)
	return out, *s.solver.runs
}

func startedJob(name string, x float64) run.Job {
	return run.Job{Name: name, Request: plugin.Request{Numbers: map[string]float64{"x": x}}}
}

// A run starts from its neighbour's solution. Its answer is kept under a key that holds its neighbour's, so that from
// another neighbour it is another. Where the neighbours' folders are gone they are made once more, however many runs
// need them, and the answer is the same.
func TestNeighbours(t *testing.T) {
	s := newStartedStudies(t)
	first, _ := s.evaluate(startedJob("a", 1), startedJob("b", 2))
	from := func(name string, x float64, o run.Outcome) run.Job {
		j := startedJob(name, x)
		j.Neighbour = o.Solution
		return j
	}
	want := func(what string, out []run.Outcome, runs []string, y []float64, wantRuns ...string) {
		t.Helper()
		for i := range y {
			if got := out[i].Result.Numbers["y"]; got != y[i] {
				t.Errorf("%s: %s answers %v, want %v: %v", what, out[i].Job.Name, got, y[i], out[i].Err)
			}
		}
		if !slices.Equal(runs, wantRuns) {
			t.Errorf("%s: runs %q, want %q", what, runs, wantRuns)
		}
	}
	second, runs := s.evaluate(from("c", 3, first[0]), from("d", 3, first[1]), startedJob("e", 3))
	want("neighbours", second, runs, []float64{3.001, 3.002, 3}, "c neighbour", "d neighbour", "e")
	third, runs := s.evaluate(from("f", 3, first[0]), from("g", 4, second[0]))
	want("a chain", third, runs, []float64{3.001, 4.003001}, "g neighbour")

	for n := 1; n <= s.n; n++ {
		must.OK(t, os.RemoveAll(filepath.Join(s.work, fmt.Sprint(n))))
	}
	out, runs := s.evaluate(from("c", 3, first[0]), from("g", 4, second[0]))
	want("all cached", out, runs, []float64{3.001, 4.003001})
	out, runs = s.evaluate(from("h", 5, third[1]), from("i", 6, third[1]))
	want("made once more", out, runs, []float64{5.004003001, 6.004003001}, "a", "c neighbour", "g neighbour",
		"h neighbour", "i neighbour")
	repeated, runs := s.evaluate(startedJob("a", 1), from("k", 7, first[0]))
	want("there again", repeated, runs, []float64{1, 7.001}, "k neighbour")

	*s.solver.drift = 1e-9
	must.OK(t, os.RemoveAll(s.work))
	out, _ = s.evaluate(from("l", 8, repeated[0]))
	var lost *study.SolutionError
	if out[0].Class != event.Lost || !errors.As(out[0].Err, &lost) ||
		!strings.Contains(lost.Error(),
			"run a, from which it starts, was removed and could not be made again: the solver gave another answer") {
		t.Errorf("another answer of the neighbour: %s: %v", out[0].Class, out[0].Err)
	}
}

// A run of more orders goes on from the solution of one of fewer, if that is there. Its key is that of one which has
// the orders from the beginning.
func TestRunsGoOn(t *testing.T) {
	s := newStartedStudies(t)
	first, _ := s.evaluate(startedJob("a", 1), startedJob("b", 2))
	further := func(name string, x float64, o run.Outcome) run.Job {
		j := startedJob(name, x)
		j.Request.Numbers[run.Orders], j.GoOn = 6, o.Solution
		return j
	}
	if _, runs := s.evaluate(further("c", 1, first[0])); !slices.Equal(runs, []string{"c restart"}) {
		t.Errorf("runs %q", runs)
	}
	plain := startedJob("d", 1)
	plain.Request.Numbers[run.Orders] = 6
	if out, runs := s.evaluate(plain); len(runs) > 0 || !out[0].Cached {
		t.Errorf("runs %q", runs)
	}
	if _, runs := s.evaluate(further("e", 5, first[1])); !slices.Equal(runs, []string{"e"}) {
		t.Errorf("of another request: runs %q", runs)
	}
	must.OK(t, os.Remove(filepath.Join(first[1].Folder, "solution.txt")))
	if _, runs := s.evaluate(further("f", 2, first[1])); !slices.Equal(runs, []string{"f"}) {
		t.Errorf("where it is gone: runs %q", runs)
	}
}

// orderedSolver is a steered mock with orders. A run that goes on from a solution adds a thousand.
type orderedSolver struct{ cutSolver }

func (s *orderedSolver) Describe() plugin.Description {
	d := s.cutSolver.Describe()
	orders := 4.0
	d.Settings = append(d.Settings, plugin.Quantity{Name: run.Orders, Shape: plugin.Scalar, Default: &orders})
	return d
}

// A run that goes on from a steered one begins at its solution, and is marked with its acts and kept under a key of its
// own. What was done to the settings of both before the first iteration makes them runs of those settings.
func TestRunsGoOnFromSteered(t *testing.T) {
	kept, runs := openCache(t, t.TempDir()), new(atomic.Int32)
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return &orderedSolver{cutSolver{whole: true, runs: runs}} }}
	host := must.Value(attempt.NewHost(t.TempDir(), fake.Registry(), launchtest.Name))(t)
	defer func() { noError(t, host.Close()) }()
	s := &study.Study{Cache: kept, Description: (&orderedSolver{cutSolver{whole: true}}).Describe(), Pool: &pool.Pool{
		Runner: attempt.Runner{Host: host, Program: launch.Program{Command: []string{"cut"}, Code: "1"}, Study: "1"}}}
	pair := func(name string, x float64, first, second []steer.Command) (a, b run.Outcome, further run.Job) {
		j := job(name, x, "iterate 10")
		j.Request.Commands = first
		one, _ := evaluate(t, s, j)
		j.Name, j.Request.Commands, j.GoOn = name+"-o7", second, one[0].Further
		j.Request.Numbers = map[string]float64{"x": x, run.Orders: 7}
		two, _ := evaluate(t, s, j)
		j.Request.Commands = nil
		return one[0], two[0], j
	}
	keyWith := func(j run.Job, gain float64) string {
		j.Request.Numbers = map[string]float64{"x": j.Request.Numbers["x"], run.Orders: 7, "gain": gain}
		return keyOf(t, s, j).String()
	}
	a, b, j := pair("late", 3, []steer.Command{setGain("c", 0.25, 4)}, nil)
	if len(a.Steered) != 1 || a.Solution != nil || b.Result.Numbers["y"] != wentOn || len(b.Steered) != 2 ||
		b.Steered[0].ID != "c" || b.Steered[1].Effects[0].Object != a.Key || b.Key == keyOf(t, s, j).String() {
		t.Errorf("it goes on from %+v as %+v", a, b)
	}
	if again, n := evaluate(t, s, j); n != 0 || again[0].Key != b.Key || len(again[0].Steered) != 2 || // stands in
		again[0].Further == nil {
		t.Errorf("again: %d runs, %+v", n, again[0])
	}
	set := []steer.Command{setGain("c", 0.25, 0)}
	if _, b, j = pair("both", 4, set, set); b.Key != keyWith(j, 0.25) || b.Result.Numbers["y"] != wentOn {
		t.Errorf("as asked for: %+v", b)
	}
	if _, b, j = pair("first", 5, set, nil); b.Key == keyWith(j, 0.25) || b.Key == keyOf(t, s, j).String() ||
		b.Key == "" || len(b.Steered) != 2 {
		t.Errorf("otherwise from there on: %+v", b)
	}
}

// cutSolver is the mock with checkpoints. Its first runs crash behind one. A run that goes on
// from a checkpoint gives another answer than one from the beginning.
type cutSolver struct {
	mock.Mock
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
			fake := &launchtest.Fake{
				Solver: func() plugin.Solver { return &cutSolver{whole: c.whole, crashes: c.crashes, runs: runs} },
			}
			study := func(name string, policy run.Policy) run.Outcome {
				host := must.Value(attempt.NewHost(filepath.Join(work, name), fake.Registry(), launchtest.Name))(t)
				defer func() { noError(t, host.Close()) }()
				pool := &pool.Pool{
					Runner: attempt.Runner{
						Host: host, Program: launch.Program{Command: []string{"cut"}, Code: "1"}, Study: name,
						Anew: c.anew,
					},
					Workers: 1, Policy: policy,
				}
				out, _ := evaluate(t, &study.Study{Pool: pool, Cache: kept}, job("point", 3, ""))
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
