package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

func openCache(t testing.TB, dir string) *cache.Cache {
	t.Helper()
	return must.Value(cache.Open(dir))(t)
}

// newStudy is a study of mocks in this process, which are one solver in all studies; nil: with a cache of its own.
func newStudy(t testing.TB, kept *cache.Cache) *study.Study {
	if kept == nil {
		kept = openCache(t, t.TempDir())
	}
	return &study.Study{Pool: without(t), Cache: kept}
}

func evaluate(t *testing.T, s *study.Study, jobs ...run.Job) (out []run.Outcome, runs int) {
	t.Helper()
	out = must.Value(s.Evaluate(context.Background(), jobs))(t)
	for _, o := range out {
		runs += o.Attempts
	}
	return out, runs
}

func TestStudyRunsNothingTwice(t *testing.T) {
	cache := openCache(t, t.TempDir())
	jobs := []run.Job{
		job("a", 1.0/3, "iterate 3"), job("b", 2.0/7, ""), job("same as a", 1.0/3, "iterate 3"),
		job("stalled", 3, "class stalled"), job("crash", 4, "fail now"), job("nan", 5, "nan"),
	}
	jobs[2].Name = "same"
	one, runs := evaluate(t, newStudy(t, cache), jobs...)
	if runs != 5 {
		t.Errorf("%d runs at first, want 5 for 6 jobs of which two are the same", runs)
	}
	two, runs := evaluate(t, newStudy(t, cache), jobs...)
	if runs != 2 || !two[3].Cached || two[3].Class != event.Stalled || two[4].Cached || two[5].Cached {
		t.Errorf("%d runs later; want only the crash and the bad output again: %+v", runs, two)
	}
	for i := range one {
		if diff := cmp.Diff(one[i].Result, two[i].Result); diff != "" && i != 4 {
			t.Errorf("%s differs: %s", one[i].Job.Name, diff)
		}
	}
}

func TestKeyHoldsWhatCounts(t *testing.T) {
	base := &study.Study{Pool: &pool.Pool{
		Runner: attempt.Runner{
			Program: launch.Program{Command: []string{"/bin/sh", "solve"}},
		},
	}}
	key := func(s *study.Study, j run.Job) cache.Key {
		t.Helper()
		return must.Value(s.Key(j))(t)
	}
	seen := map[cache.Key]string{}
	add := func(what string, s *study.Study, j run.Job) {
		k := key(s, j)
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q have one key", what, other)
		}
		seen[k] = what
	}
	add("base", base, job("a", 1, ""))
	add("number", base, job("a", 1+1e-15, ""))
	add("text", base, job("a", 1, "x"))
	withKey := job("a", 1, "")
	withKey.Key = "geometry"
	add("key", base, withKey)
	withArray := job("a", 1, "")
	withArray.Request.Arrays = map[string][]float64{"shape": {1}}
	add("array", base, withArray)
	for name, l := range map[string]launch.Program{
		"program":  {Command: []string{"/bin/cat", "solve"}},
		"argument": {Command: []string{"/bin/sh", "solve2"}},
		"env":      {Command: []string{"/bin/sh", "solve"}, Environment: []string{"A=1"}},
		"version":  {Command: []string{"/bin/sh", "solve"}, Version: "v2"},
		"code":     {Command: []string{"/bin/sh", "solve"}, Code: "v3"},
	} {
		add(name, &study.Study{Pool: &pool.Pool{Runner: attempt.Runner{Program: l}}}, job("a", 1, ""))
	}
	add("rules", &study.Study{Pool: base.Pool, Rules: table("r")}, job("a", 1, ""))
	if key(base, job("a", 1, "")) != key(base, job("other name", 1, "")) {
		t.Error("the name of a job counts, but must not")
	}
}

// table is rules that are not changed.
type table string

func (t table) Key() string { return string(t) }
func (table) Version() int  { return 1 }

func (table) Verdict(string) json.RawMessage { return nil }

func TestHaltedRunsAreKeptWithTheirRules(t *testing.T) {
	cache := openCache(t, t.TempDir())
	for _, want := range []struct {
		rules run.Rules
		runs  int
	}{{nil, 1}, {nil, 1}, {table("v1"), 1}, {table("v1"), 0}, {table("v2"), 1}} {
		s := newStudy(t, cache)
		s.Pool.Monitor, s.Rules = haltAt{event.Diverged}, want.rules
		out, runs := evaluate(t, s, job("a", 1, "iterate 100000 1ms"))
		if runs != want.runs || out[0].Class != event.Diverged {
			t.Errorf("rules %v: %d runs, want %d; %s", want.rules, runs, want.runs, out[0].Class)
		}
	}
}

func TestDamagedEntryIsRunAgain(t *testing.T) {
	dir := t.TempDir()
	evaluate(t, newStudy(t, openCache(t, dir)), job("a", 3, ""))
	files, _ := filepath.Glob(filepath.Join(dir, "??", "*"))
	if len(files) != 1 {
		t.Fatalf("entries %v", files)
	}
	text := must.Value(os.ReadFile(files[0]))(t)
	must.OK(t, os.WriteFile(files[0], text[:len(text)-3], 0o644))
	second := newStudy(t, openCache(t, dir))
	warned := ""
	second.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Warning {
			warned = e.Text
		}
	}
	out, runs := evaluate(t, second, job("a", 3, ""))
	if runs != 1 || out[0].Result.Numbers["y"] != 9 || !strings.Contains(warned, "damaged") {
		t.Errorf("%d runs, %+v, warned %q", runs, out[0].Result, warned)
	}
}

// A harvested answer is one that the next study takes from the cache, under the
// key that the lost host had for it.
func TestHarvestedAnswerIsTaken(t *testing.T) {
	dir := t.TempDir()
	p, fake := newFake(t, nil)
	out, _ := evaluate(t, &study.Study{Pool: p, Cache: openCache(t, dir)}, job("a", 3, ""))
	must.OK(t, os.RemoveAll(dir))
	var end plugin.Ending
	must.OK(t, plugin.ReadFile(out[0].Folder, plugin.ResultFile, &end))
	must.OK(t, record.Write(out[0].Folder, must.Value(record.Read(out[0].Folder))(t))) // as if the host had died
	end.WrittenBy, end.Record = event.Plugin, nil
	must.OK(t, plugin.WriteFile(out[0].Folder, plugin.ResultFile, end))
	later := newStudy(t, openCache(t, dir))
	if runs, err := study.Harvest(t.Context(), filepath.Dir(p.Host.Folder()), fake.Registry(),
		later.Cache); err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	harvested, runs := evaluate(t, later, job("a", 3, ""))
	if runs != 0 || harvested[0].Result.Numbers["y"] != 9 || harvested[0].Solver != "mock 1" ||
		harvested[0].Fidelity == "" {
		t.Errorf("%d runs, %+v", runs, harvested[0])
	}
}

func TestUnkeyableRequestIsNotRun(t *testing.T) {
	out, runs := evaluate(t, newStudy(t, nil), job("nan", math.NaN(), ""), job("good", 2, ""))
	if out[0].Class != run.NotRun || out[0].Err == nil || runs != 1 || !out[1].OK() {
		t.Errorf("%+v", out)
	}
}

// An entry of the cache that a newer program wrote ends the study by its name, and stays.
func TestNewerEntry(t *testing.T) {
	cache := openCache(t, t.TempDir())
	s := newStudy(t, cache)
	j := job("a", 1, "iterate 3")
	key := must.Value(s.Key(j))(t)
	newer := []byte(`{"format":99,"shape":"unknown"}`)
	must.OK(t, cache.Put(key, newer))
	out, err := s.Evaluate(t.Context(), []run.Job{j})
	var entry *study.EntryError
	if !errors.As(err, &entry) || entry.Format != 99 || !strings.Contains(err.Error(), "--cache") ||
		out[0].Class != run.NotRun {
		t.Errorf("%v, class %s; want that format 99 is refused", err, out[0].Class)
	}
	if data, _, _ := cache.Get(key); string(data) != string(newer) {
		t.Errorf("the entry was overwritten: %s", data)
	}
}

// Under a tolerance the answer of the nearest request of an earlier study counts; beyond it, with another setting, or
// of the same study, none does.
func TestMatch(t *testing.T) {
	kept := openCache(t, t.TempDir())
	first := newStudy(t, kept)
	first.Description = (&mock.Mock{}).Describe()
	like := func(name string, match float64) *study.Study {
		s := newStudy(t, kept)
		s.Pool.Study, s.Description, s.Match = name, first.Description, match
		s.Known = func(_, _ string, there []string) []string { return there }
		return s
	}
	_, runs := evaluate(t, like("one", 0.01), job("a", 1, ""), job("b", 2, ""), job("c", 1.001, ""))
	if runs != 3 {
		t.Errorf("%d runs of a study that has no earlier one, want 3: its own answers do not count", runs)
	}
	for _, c := range []struct {
		x, match float64
		want     float64 // the request whose answer it gets; 0: its own
	}{
		{1, 0.01, 1}, {1.0002, 0.01, 1}, {1.0009, 0.01, 1.001}, {2.01, 0.01, 2}, {1.99, 0.01, 2},
		{1.2, 0.01, 0}, {1.0003, 0, 0}, {1.0004, 1e-5, 0}, {-1.0002, 0.01, 0},
	} {
		name := fmt.Sprintf("x%g-%g", c.x, c.match)
		out, runs := evaluate(t, like(name, c.match), job(name, c.x, ""))
		want := c.want
		if want == 0 {
			want = c.x
		}
		if got := out[0].Result.Numbers["y"]; got != want*want || (runs == 0) != (c.want != 0) ||
			out[0].Cached != (c.want != 0) {
			t.Errorf("%g within %g: %g after %d runs, want the answer of %g", c.x, c.match, got, runs, want)
		}
	}
	_, runs = evaluate(t, like("settings", 0.01), job("other-steps", 1, "iterate 2"))
	if runs != 1 {
		t.Errorf("%d runs of a request with another text, want 1", runs)
	}
	shaped := func(name string, gain float64, v ...float64) run.Job {
		j := job(name, 5, "")
		j.Request.Arrays = map[string][]float64{"shape": v}
		j.Request.Numbers["gain"] = gain
		return j
	}
	evaluate(t, like("shape", 0.01), shaped("s", 0.5, 10, 0, -2))
	for i, c := range []struct {
		job  run.Job
		runs int
	}{
		{shaped("t", 0.5, 10.05, 0.05, -2.05), 0}, {shaped("t", 0.5, 10, 0.2, -2), 1}, {shaped("t", 0.5, 10, 0), 1},
		{shaped("t", 0.5001, 10, 0, -2), 1},
	} {
		if _, runs := evaluate(t, like(fmt.Sprint("shape", i), 0.01), c.job); runs != c.runs {
			t.Errorf("%v: %d runs, want %d", c.job.Request, runs, c.runs)
		}
	}
	var ends int
	failing := like("failing", 0.01)
	evaluate(t, failing, job("f", 3, "class stalled"))
	failing = like("failing-too", 0.01)
	failing.Pool.Observe = func(e event.Event) {
		if e.Kind == event.Ended {
			ends++
		}
	}
	if _, runs := evaluate(t, failing, job("g", 3.001, "class stalled")); runs != 1 || ends != 1 {
		t.Errorf("%d runs and %d ends beside a near request that failed, want its own", runs, ends)
	}
}

// fickleSolver answers y = x, and more the more often it was asked, from the request number late on.
type fickleSolver struct {
	runs *atomic.Int64
	late int64
}

func (fickleSolver) Describe() plugin.Description {
	return plugin.Description{
		Name: "fickle", Version: "1", Fidelity: "none",
		Inputs: []plugin.Quantity{{Name: "x", Shape: plugin.Scalar, Required: true}},
		Outputs: []plugin.Quantity{{Name: "y", Shape: plugin.Scalar, Required: true},
			{Name: "p", Shape: plugin.Profile}},
	}
}

func (s fickleSolver) Run(_ context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	y := r.Numbers["x"]
	if n := s.runs.Add(1); n >= s.late {
		y += float64(n) * 1e-13
	}
	return plugin.Result{Class: event.Converged, Numbers: map[string]float64{"y": 1},
		Arrays: map[string][]float64{"p": {0, y}}}, nil
}

// One run in fifty is made twice, the first one among them, and a difference in the last bit is found, and stays
// known in the cache.
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
			host := must.Value(attempt.NewHost(filepath.Join(t.TempDir(), name), fake.Registry(), launchtest.Name))(t)
			defer func() { noError(t, host.Close()) }()
			pool := &pool.Pool{
				Runner: attempt.Runner{
					Host: host, Program: launch.Program{Command: []string{"fickle"}, Code: "1"}, Study: name,
				},
				Workers: 1, Observe: observe,
			}
			var jobs []run.Job
			for i := range 51 {
				jobs = append(jobs,
					run.Job{
						Name:    fmt.Sprintf("p%03d", i),
						Request: plugin.Request{Numbers: map[string]float64{"x": 1 + float64(i)}},
					})
			}
			return must.Value((&study.Study{Pool: pool, Cache: kept, Verify: true}).Evaluate(t.Context(), jobs))(t)
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
