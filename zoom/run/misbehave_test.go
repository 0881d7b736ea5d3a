package run_test

// Solvers and plugins that misbehave, a row each: its deed, the classes that its run may have, and whether its outcome
// may enter the cache. A row is wrong if the class is another one, if the answer is not the right one, or if the cache
// holds an outcome that is not certain.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
	"github.com/peregrine-sim/peregrine/zoom/solver/external"
)

// misdeed is a row of the table.
type misdeed struct {
	kind, name string
	classes    string // that the run may have
	kept       bool   // the outcome may enter the cache
	brief      bool   // also among the short tests

	program string            // of a described solver, in the shell; empty: a plugin
	rest    string            // of its description, after the step; empty: the output y of out.csv
	files   map[string]string // beside the description
	plugin  string            // the deed of a plugin, in deeds
	warm    bool              // the plugin takes run after run

	watched bool // a watchdog reads the files, and a monitor ends a run whose residual is not finite
	small   bool // the study is on a disk of 1 MB
	times   int  // runs; 0: one
}

// deadly ends a run whose residual is no number.
type deadly struct{}

func (deadly) Observe(e event.Event) *attempt.Halt {
	if len(e.NonFinite) == 0 {
		return nil
	}
	return &attempt.Halt{Class: event.Diverged, Message: "rule non_finite"}
}

// bench is a study of a single misbehaving solver.
type bench struct {
	*testing.T
	row   misdeed
	study *study.Study
}

// newBench makes the study of a row, and starts nothing but the watchdog.
func newBench(t *testing.T, row misdeed) *bench {
	t.Helper()
	folder := t.TempDir()
	if row.small {
		mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "none", folder)
		if out, err := mount.CombinedOutput(); err != nil {
			testenv.NotHere(t, "no small disk can be mounted: "+string(out))
		}
		t.Cleanup(func() {
			if out, err := exec.Command("umount", folder).CombinedOutput(); err != nil {
				t.Errorf("%s", out)
			}
		})
	}
	host := must.Value(attempt.NewHost(folder, launchers, local.Name))(t)
	t.Cleanup(func() { noError(t, host.Close()) })
	s := &study.Study{Cache: openCache(t, t.TempDir()), Pool: &pool.Pool{Runner: attempt.Runner{
		Host: host, Study: "test", Limits: attempt.Limits{Grace: 500 * time.Millisecond, Wall: time.Minute}}}}
	s.Pool.Program = row.solver(t)
	if row.watched {
		watch(t, s.Pool)
		s.Pool.Monitor, s.Rules = deadly{}, table("non_finite")
	}
	return &bench{t, row, s}
}

// externalEnv names the description that this executable serves; rogueEnv makes it serve a rogue, reusable or not.
const externalEnv, rogueEnv = "PEREGRINE_TEST_EXTERNAL", "PEREGRINE_TEST_ROGUE"

// beMisbehaving serves the solver of a row; false: this process is none.
func beMisbehaving() bool {
	switch path := os.Getenv(externalEnv); {
	case path != "":
		d, err := external.Load(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		plugin.Serve(external.New(d))
	case os.Getenv(rogueEnv) != "":
		plugin.Serve(rogue{reusable: os.Getenv(rogueEnv) == "reusable"})
	default:
		return false
	}
	return true
}

// described begins the descriptions of the table.
const described = `name: tested
version: "1"
inputs:
  x: {}
  gamma: {}
  R: {}
  inlet_Pt: {shape: profile}
  inlet_Tt: {shape: profile}
  deed: {shape: text, optional: true}
watch:
  - {file: history.txt, format: table}
steps:
  - {name: first, command: [./first.sh], time: 60 s}
`

const outputY = "outputs:\n  y: {file: out.csv, column: y}\n"

// solver writes the program of a row and returns how it is started.
func (row misdeed) solver(t *testing.T) launch.Program {
	t.Helper()
	self, dir := must.Value(os.Executable())(t), t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	for name, text := range row.files {
		write(name, text, 0o755)
	}
	if row.program == "" {
		served := "1"
		if row.warm {
			served = "reusable"
		}
		// a script, so that the deed can be done to it: the solver is what it starts
		script := write("solver.sh", "#!/bin/sh\nexec '"+strings.ReplaceAll(self, "'", `'\''`)+"'\n", 0o755)
		return launch.Program{Command: []string{"/bin/sh", script},
			Environment: []string{rogueEnv + "=" + served, "SOLVER=" + script}}
	}
	rest := row.rest
	if rest == "" {
		rest = outputY
	}
	path := write("d.yaml", described+rest, 0o644)
	write("first.sh", "#!/bin/sh\n"+row.program+"\n", 0o755)
	d := must.Value(external.Load(path))(t)
	return programOf(t, d, self)
}

// programOf returns how a described solver is started, with its identity.
func programOf(t *testing.T, d *external.Description, self string) launch.Program {
	t.Helper()
	code, watch, err := d.Identity(t.Context())
	must.OK(t, err)
	return launch.Program{Command: []string{self}, Environment: []string{externalEnv + "=" + d.File}, Code: code,
		Watch: watch}
}

// request is the request of all rows: a compressor of pressure ratio 1.6 at x = 3, whose answer is y = 9.
func (row misdeed) request(x float64) plugin.Request {
	return plugin.Request{
		Numbers: map[string]float64{"x": x, "gamma": 1.4, "R": 287},
		Arrays:  map[string][]float64{"inlet_Pt": {101325, 101325}, "inlet_Tt": {288.15, 288.15}},
		Texts:   map[string]string{"deed": row.plugin},
	}
}

// faults makes the runs of the row, and returns its faults.
func (b *bench) faults() (faults []string) {
	row := &b.row
	for range max(1, row.times) {
		if len(faults) > 0 {
			break
		}
		jobs := []run.Job{{Name: "bad", Request: row.request(3)}}
		if row.warm { // the run that follows in the same process
			good := row.request(2)
			good.Texts["deed"] = ""
			jobs = append(jobs, run.Job{Name: "good", Request: good})
			b.study.Pool.Workers = 1
		}
		out, err := b.study.Evaluate(b.Context(), jobs)
		o := out[0]
		if o.Class == run.NotRun && !row.small {
			faults = append(faults, fmt.Sprintf("not run: %v, %v", o.Err, err))
		}
		if !slices.Contains(strings.Fields(row.classes), string(o.Class)) && o.Class != run.NotRun {
			faults = append(faults, fmt.Sprintf("%s: %s; want %s", o.Class, o.Result.Message, row.classes))
		}
		if o.OK() && o.Result.Numbers["y"] != 9 {
			faults = append(faults, fmt.Sprintf("the answer is %g, want 9", o.Result.Numbers["y"]))
		}
		if row.warm && (!out[1].OK() || out[1].Result.Numbers["y"] != 4) {
			faults = append(faults, fmt.Sprintf("the run that follows is %s, %g: %v", out[1].Class,
				out[1].Result.Numbers["y"], out[1].Err))
		}
		faults = append(faults, b.inCache()...)
		b.study.Cache = openCache(b, b.TempDir())
	}
	return faults
}

// inCache returns the faults of the entries in the cache.
func (b *bench) inCache() (faults []string) {
	for _, e := range must.Value(b.study.Cache.List())(b) {
		key := must.Value(cache.ParseKey(e.Key.String()))(b)
		data, there, err := b.study.Cache.Get(key)
		if err != nil || !there {
			b.Fatal(err)
		}
		a := must.Value(study.ReadAnswer(key, data))(b)
		switch {
		case strings.HasPrefix(a.Run, "good") && a.Class == event.Converged && a.Numbers["y"] == 4:
		case !b.row.kept:
			faults = append(faults, fmt.Sprintf("the cache has it as %s", a.Class))
		case !slices.Contains(strings.Fields(b.row.classes), string(a.Class)),
			a.Class == event.Converged && a.Numbers["y"] != 9:
			faults = append(faults, fmt.Sprintf("the cache has it as %s, y = %g", a.Class, a.Numbers["y"]))
		}
	}
	return faults
}

// No misdeed of a solver gives a wrong class or answer, and none puts an uncertain one into the cache.
func TestMisbehavingSolvers(t *testing.T) {
	rows := misdeeds()
	if !testenv.IsLong(t) {
		rows = slices.DeleteFunc(rows, func(r misdeed) bool { return !r.brief })
	}
	var wrong, done atomic.Int64
	var mu sync.Mutex
	kinds := map[string][2]int{}
	t.Run("rows", func(t *testing.T) {
		for _, row := range rows {
			t.Run(row.kind+": "+row.name, func(t *testing.T) {
				t.Parallel()
				faults := newBench(t, row).faults()
				for _, f := range faults {
					t.Error(f)
				}
				mu.Lock()
				defer mu.Unlock()
				n := kinds[row.kind]
				n[0]++
				done.Add(1)
				if len(faults) > 0 {
					wrong.Add(1)
					n[1]++
				}
				kinds[row.kind] = n
			})
		}
	})
	t.Logf("%d of %d rows are wrong: %v", wrong.Load(), done.Load(), kinds)
}
