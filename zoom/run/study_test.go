package run_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/local"
)

func openCache(t testing.TB, dir string) *cache.Cache {
	t.Helper()
	c, err := cache.Open(dir)
	must.OK(t, err)
	return c
}

// newStudy is a study of mocks in this process, which are one solver in all studies; nil: with a cache of its own.
func newStudy(t testing.TB, kept *cache.Cache) *run.Study {
	if kept == nil {
		kept = openCache(t, t.TempDir())
	}
	return &run.Study{Pool: without(t), Cache: kept}
}

func evaluate(t *testing.T, s *run.Study, jobs ...run.Job) (out []run.Outcome, runs int) {
	t.Helper()
	out, err := s.Evaluate(context.Background(), jobs)
	must.OK(t, err)
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
	base := &run.Study{Pool: &run.Pool{Program: launch.Program{Command: []string{"/bin/sh", "solve"}}}}
	key := func(s *run.Study, j run.Job) cache.Key {
		t.Helper()
		k, err := s.Key(j)
		must.OK(t, err)
		return k
	}
	seen := map[cache.Key]string{}
	add := func(what string, s *run.Study, j run.Job) {
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
		add(name, &run.Study{Pool: &run.Pool{Program: l}}, job("a", 1, ""))
	}
	add("rules", &run.Study{Pool: base.Pool, Rules: table("r")}, job("a", 1, ""))
	if key(base, job("a", 1, "")) != key(base, job("other name", 1, "")) {
		t.Error("the name of a job counts, but must not")
	}
}

// table is rules that are not changed.
type table string

func (t table) Key() string { return string(t) }
func (table) Version() int  { return 1 }

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
	text, err := os.ReadFile(files[0])
	must.OK(t, err)
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
	out, _ := evaluate(t, &run.Study{Pool: p, Cache: openCache(t, dir)}, job("a", 3, ""))
	must.OK(t, os.RemoveAll(dir))
	var end plugin.Ending
	must.OK(t, plugin.ReadFile(out[0].Folder, plugin.ResultFile, &end))
	end.WrittenBy = event.Plugin // as if the host had died
	must.OK(t, plugin.WriteFile(out[0].Folder, plugin.ResultFile, end))
	later := newStudy(t, openCache(t, dir))
	if runs, err := run.Harvest(t.Context(), filepath.Dir(p.Host.Folder()), fake.Registry(), later.Cache); err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	harvested, runs := evaluate(t, later, job("a", 3, ""))
	if runs != 0 || harvested[0].Result.Numbers["y"] != 9 || harvested[0].Solver != "mock 1" || harvested[0].Fidelity == "" {
		t.Errorf("%d runs, %+v", runs, harvested[0])
	}
}

func TestUnkeyableRequestIsNotRun(t *testing.T) {
	out, runs := evaluate(t, newStudy(t, nil), job("nan", math.NaN(), ""), job("good", 2, ""))
	if out[0].Class != run.NotRun || out[0].Err == nil || runs != 1 || !out[1].OK() {
		t.Errorf("%+v", out)
	}
}

const studyEnv = "PEREGRINE_TEST_STUDY"

// beStudy is the main program of one of two processes on one cache.
func beStudy() {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	host, err := run.NewHost(os.Getenv(studyEnv), launchers, local.Name)
	fail(err)
	cache, err := cache.Open(os.Getenv("CACHE"))
	fail(err)
	command, env, err := plugintest.MockCommand()
	fail(err)
	s := run.Study{Cache: cache, Pool: &run.Pool{
		Host: host, Study: "s", Workers: 2, Program: launch.Program{Command: command, Environment: append(env, studyEnv+"=", markEnv+"="+os.Getenv(markEnv))},
	}}
	out, err := s.Evaluate(context.Background(), twoHostJobs())
	fail(err)
	for _, o := range out {
		fmt.Println(o.Job.Name, o.Class, o.Result.Numbers["y"])
	}
	fail(host.Close())
}

func twoHostJobs() (jobs []run.Job) {
	for i := range 4 {
		jobs = append(jobs, job(fmt.Sprintf("p%d", i), float64(i), "iterate 10 10ms"))
	}
	return jobs
}

func TestTwoHostsOnOneCache(t *testing.T) {
	testenv.Long(t, "starts two studies and their solvers")
	self, err := os.Executable()
	must.OK(t, err)
	cache := t.TempDir()
	mark := newMark()
	var want strings.Builder
	for i, j := range twoHostJobs() {
		fmt.Fprintln(&want, j.Name, event.Converged, i*i)
	}
	folders, printed := [2]string{t.TempDir(), t.TempDir()}, [2]strings.Builder{}
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmds[i] = exec.Command(self)
		cmds[i].Env = append(os.Environ(), studyEnv+"="+folders[i], "CACHE="+cache, markEnv+"="+mark)
		cmds[i].Stdout, cmds[i].Stderr = &printed[i], os.Stderr
		must.OK(t, cmds[i].Start())
	}
	runs := 0
	for i := range cmds {
		noError(t, cmds[i].Wait())
		if diff := cmp.Diff(want.String(), printed[i].String()); diff != "" {
			t.Error(diff)
		}
		for _, name := range entries(folders[i]) {
			if name != local.CertificateDir {
				runs++
			}
		}
	}
	if runs != 4 {
		t.Errorf("%d runs for 4 points", runs)
	}
	noneLeft(t, mark, 0)
}

// An entry of the cache that a newer program wrote ends the study by its name, and stays.
func TestNewerEntry(t *testing.T) {
	cache := openCache(t, t.TempDir())
	s := newStudy(t, cache)
	j := job("a", 1, "iterate 3")
	key, err := s.Key(j)
	must.OK(t, err)
	newer := []byte(`{"format":99,"shape":"unknown"}`)
	must.OK(t, cache.Put(key, newer))
	out, err := s.Evaluate(t.Context(), []run.Job{j})
	var entry *run.EntryError
	if !errors.As(err, &entry) || entry.Format != 99 || !strings.Contains(err.Error(), "--cache") || out[0].Class != run.NotRun {
		t.Errorf("%v, class %s; want that format 99 is refused", err, out[0].Class)
	}
	if data, _, _ := cache.Get(key); string(data) != string(newer) {
		t.Errorf("the entry was overwritten: %s", data)
	}
}
