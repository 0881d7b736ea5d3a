package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// saved is a job that is changed at iteration 2, saved as "here" at 4, and changed once more at 6.
func saved(name, script string) run.Job {
	j := job(name, float64(2+len(name)), script)
	j.Request.Commands = []steer.Command{
		setGain("before", 0.25, 2), {ID: "save", Verb: steer.Checkpoint, Name: "here", At: 4},
		setGain("after", 0.75, 6),
	}
	return j
}

// branching wants a branch of a run from "here" with another gain.
func branching(id, of string, gain float64) branch.Wanted {
	w := branch.Wanted{Run: of}
	w.ID, w.Checkpoint, w.By = id, "here", "the test"
	w.Changes = []steer.Change{{Object: "gain", Value: steer.FloatValue(gain)}}
	return w
}

// branchedStudy is a study on a folder whose live settings take branches, and that branches a run when it has saved its
// checkpoint. When it has, there is a file branched.
func branchedStudy(t *testing.T, kept *cache.Cache, like *study.Study, wants ...branch.Wanted) *study.Study {
	t.Helper()
	s := newStudy(t, kept)
	if like != nil {
		s.Pool.Host = like.Pool.Host
	}
	s.Pool.Live = live.New()
	must.OK(t, s.Pool.Live.Continue(s.Pool.Host.Folder()))
	var asks sync.WaitGroup
	t.Cleanup(asks.Wait)
	s.Pool.Observe = func(e event.Event) {
		if e.Act == nil || e.Act.Verb != steer.Checkpoint {
			return
		}
		asks.Go(func() { // the folder has the event before anybody acts on it
			for _, w := range wants {
				if w.Run != e.Run {
					continue
				}
				if _, err := s.Pool.Live.Branch(w); err != nil {
					t.Error(err)
				}
			}
			noError(t, os.WriteFile(branched(s), nil, 0o600))
		})
	}
	return s
}

// branched is the file that is there when a study has asked for its branches.
func branched(s *study.Study) string { return filepath.Join(s.Pool.Host.Folder(), "branched") }

func residuals(t *testing.T, folder string) (list []float64) {
	t.Helper()
	events := must.Value(event.Read(filepath.Join(folder, plugin.EventsFile)))(t)
	for _, e := range events {
		if e.Kind == event.Iteration && e.Source == event.Plugin {
			list = append(list, e.Values["residual"])
		}
	}
	return list
}

// A run and its branch both go on: the first as if nothing had been, the second as one that had the change from the
// checkpoint on. The branch knows its parent and is evidence: the point has its parent's answer.
func TestBranch(t *testing.T) {
	kept := openCache(t, t.TempDir())
	s := branchedStudy(t, kept, nil, branching("b", "a", 0.9))
	waits := "iterate 10; wait " + branched(s)
	out, err := s.Evaluate(t.Context(), []run.Job{saved("a", waits)})
	if err != nil || len(out) != 1 || out[0].Run != "a" || !out[0].OK() {
		t.Fatalf("%v, %+v", err, out)
	}
	made := s.Pool.Branched()
	if len(made) != 1 || made[0].Parent != "a" || made[0].Checkpoint != "here" || made[0].Iteration != 4 ||
		made[0].StandsIn || !made[0].Outcome.OK() {
		t.Fatalf("%+v", made)
	}
	b := made[0].Outcome
	straight := newStudy(t, nil)
	one, _ := evaluate(t, straight, steeredJob("a", setGain("before", 0.25, 2), setGain("b", 0.9, 4)))
	two, _ := evaluate(t, straight, saved("b", "iterate 10; "))
	if diff := cmp.Diff(residuals(t, one[0].Folder)[4:], residuals(t, b.Folder)); diff != "" {
		t.Errorf("the branch has another history: %s", diff)
	}
	if diff := cmp.Diff(residuals(t, two[0].Folder), residuals(t, out[0].Folder)); diff != "" {
		t.Errorf("its parent has another history: %s", diff)
	}
	record, err := record.Read(b.Folder)
	if p := record.Parent; err != nil || p == nil || p.Run != "a" || p.Iteration != 4 || !p.Branch || p.ID != "b" ||
		record.Key != "" {
		t.Errorf("its record: %+v, %v", record, err)
	}
	did := convert.All(b.Steered, func(a event.Receipt) string { return string(a.Verb) + " " + a.ID })
	if diff := cmp.Diff([]string{"set before", "branch b", "set b"}, did); diff != "" {
		t.Errorf("it answers for %s", diff)
	}
	plain := keyOf(t, s, job("a", 3, waits))
	if _, there, _ := kept.Get(plain); there || b.Key == "" || b.Key == out[0].Key || b.Key == plain.String() {
		t.Errorf("keys %q and %q, %v under the plain one", b.Key, out[0].Key, there)
	}
	resumed := branchedStudy(t, kept, s)
	more, runs := evaluate(t, resumed, job("a", 3, waits))
	if runs != 0 || more[0].Key != out[0].Key || len(resumed.Pool.Branched()) != 1 ||
		resumed.Pool.Branched()[0].Outcome.Run != "a-b1" {
		t.Errorf("the study goes on with %d runs: %+v", runs, more)
	}
	testReplays(t, s)
}

// testReplays makes run and branch again, the branch also where its checkpoint is gone.
func testReplays(t *testing.T, s *study.Study) {
	t.Helper()
	for _, gone := range []bool{false, true} {
		if gone {
			must.OK(t, os.Remove(filepath.Join(s.Pool.Host.Folder(), "a", "start-of-a-b1.txt")))
		}
		r, err := pool.Replay(t.Context(), s.Pool.Host, s.Pool.Program, "a-b1")
		if err != nil || r.Difference != "" || r.Iterations != 6 {
			t.Errorf("gone %v: %+v, %v", gone, r, err)
		}
	}
	if r, err := pool.Replay(t.Context(), s.Pool.Host, s.Pool.Program, "a"); err != nil || r.Difference != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// The answer of a branch stands in for a point that has none, and says so, also when the study goes on.
func TestBranchStandsIn(t *testing.T) {
	kept := openCache(t, t.TempDir())
	s := branchedStudy(t, kept, nil, branching("b", "a", 0.9), branching("c", "a", 0.8))
	s.Pool.Workers = 2
	wanted := saved("a", "iterate 10")
	wanted.Request.Commands = append(wanted.Request.Commands, steer.Command{ID: "stop", Verb: steer.Stop, At: 8})
	out, err := s.Evaluate(t.Context(), []run.Job{wanted, job("other", 1, "wait "+branched(s))})
	if err != nil || !out[0].OK() || out[0].Run != "a-b1" || out[0].Job.Name != "a" || len(out[0].Steered) != 3 {
		t.Fatalf("%v, %+v", err, out)
	}
	if made := s.Pool.Branched(); len(made) != 2 ||
		!slices.ContainsFunc(made, func(b pool.Branched) bool { return b.StandsIn && b.Outcome.Run == "a-b1" }) {
		t.Errorf("%+v", made)
	}
	resumed := branchedStudy(t, kept, s)
	wanted.Request.Commands = nil
	more, runs := evaluate(t, resumed, wanted)
	if runs != 0 || !more[0].Cached || more[0].Key != out[0].Key || len(more[0].Steered) != 3 {
		t.Errorf("the study goes on with %d runs: %+v", runs, more[0])
	}
}

// Branches are made once by each command, get names of their own, wait for a worker, and may be of branches and of
// runs that have ended. What cannot be branched is refused.
func TestBranches(t *testing.T) {
	s := branchedStudy(t, nil, nil)
	live := s.Pool.Live
	s.Pool.Workers = 1
	must.Value(s.Evaluate(t.Context(), []run.Job{saved("a", "iterate 10"), job("other", 1, "")}))(t)
	for _, c := range []struct{ id, of, want string }{
		{"1", "a", "a-b1"}, {"2", "a", "a-b2"}, {"1", "a", "a-b1"}, {"3", "other", ": run other has no checkpoint"},
		{"4", "ab", ": has not asked for ab (yet), did you mean a?"},
	} {
		name, err := live.Branch(branching(c.id, c.of, 0.9))
		if text, fails := strings.CutPrefix(c.want, ": "); name != c.want && !fails ||
			fails && (err == nil || !strings.Contains(err.Error(), text)) {
			t.Errorf("command %s: %q, %v; want %q", c.id, name, err, c.want)
		}
	}
	w := branching("5", "a", 0.9)
	w.Checkpoint = "heer"
	var none *branch.CheckpointError
	if _, err := live.Branch(w); !errors.As(err, &none) || !strings.Contains(err.Error(), "did you mean here?") {
		t.Error(err)
	}
	must.OK(t, study.Finish(t.Context(), []*study.Study{s}))
	if _, err := live.Branch(branching("6", "a", 0.9)); err == nil {
		t.Error("a study that has ended takes a branch")
	}
	var names []string
	for _, b := range s.Pool.Branched() {
		names = append(names, b.Outcome.Run+" "+string(b.Outcome.Class))
	}
	must.Equal(t, []string{"a-b1 converged", "a-b2 converged"}, names)
}

// What a process that was killed left of a branch that it never wrote down is not taken for the next one's checkpoint.
func TestBranchBehindHalfOfOne(t *testing.T) {
	s := branchedStudy(t, nil, nil)
	must.Value(s.Evaluate(t.Context(), []run.Job{saved("a", "iterate 10")}))(t)
	folder := filepath.Join(s.Pool.Host.Folder(), "a")
	starts := func() (list []string) {
		list, _ = filepath.Glob(filepath.Join(folder, "start-of-*")) // a good pattern
		return list
	}
	if _, err := s.Pool.Live.Branch(branching("1", "a", 0.9)); err != nil || len(starts()) != 1 {
		t.Fatal(err, starts())
	}
	first := starts()[0]
	want := must.Value(os.ReadFile(first))(t)
	second := strings.Replace(first, "a-b1", "a-b2", 1)
	must.OK(t, os.WriteFile(second, []byte("of another checkpoint"), 0o644))
	if name, err := s.Pool.Live.Branch(branching("2", "a", 0.9)); name != "a-b2" || err != nil {
		t.Fatal(name, err)
	}
	if got, err := os.ReadFile(second); string(got) != string(want) || err != nil {
		t.Errorf("it begins at %q (%v)", got, err)
	}
	must.OK(t, study.Finish(t.Context(), []*study.Study{s}))
}

// A study that is interrupted makes its branches when it goes on, each once, and says of which that cannot be.
func TestBranchOfInterruptedStudy(t *testing.T) {
	kept := openCache(t, t.TempDir())
	s := branchedStudy(t, kept, nil)
	free := filepath.Join(t.TempDir(), "free")
	must.OK(t, os.WriteFile(free, nil, 0o600))
	jobs := []run.Job{saved("a", "iterate 10; wait "+free), saved("gone", "iterate 10")}
	must.Value(s.Evaluate(t.Context(), jobs))(t)
	for _, of := range []string{"a", "gone"} {
		must.Value(s.Pool.Live.Branch(branching(of, of, 0.9)))(t)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	s.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Iteration && e.Run == "a-b1" {
			interrupt()
		}
	}
	s.Pool.Workers = 1
	must.OK(t, os.Remove(free)) // no branch of it ends before the interrupt
	if err := study.Finish(ctx, []*study.Study{s}); err == nil || len(s.Pool.Branched()) > 0 {
		t.Fatalf("%v, %+v", err, s.Pool.Branched())
	}
	must.OK(t, os.WriteFile(free, nil, 0o600))
	must.OK(t, os.RemoveAll(filepath.Join(s.Pool.Host.Folder(), "gone")))
	resumed := branchedStudy(t, kept, s)
	var warned []string
	resumed.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Warning {
			warned = append(warned, e.Text)
		}
	}
	if _, runs := evaluate(t, resumed, jobs...); runs != 0 {
		t.Errorf("%d runs of what is there", runs)
	}
	made := resumed.Pool.Branched()
	if len(made) != 2 ||
		!slices.ContainsFunc(made, func(b pool.Branched) bool { return b.Outcome.Run == "a-b1~2" && b.Outcome.OK() }) {
		t.Errorf("%+v", made)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "branch gone-b1 of run gone is not made") {
		t.Errorf("%q", warned)
	}
	third := branchedStudy(t, kept, s)
	evaluate(t, third, jobs[0])
	if err := study.Finish(t.Context(), []*study.Study{third}); err != nil || len(third.Pool.Branched()) != 1 {
		t.Errorf("%v, %+v", err, third.Pool.Branched())
	}
}
