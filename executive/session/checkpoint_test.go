package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/transient"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// stopped runs a case of an engine until its n-th step, and returns the checkpoint that
// the interruption leaves.
func stopped(t *testing.T, cfg *config.Engine, name string, n int) *transient.Checkpoint {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var kept *transient.Checkpoint
	steps := 0
	opt := transient.Options{Checkpoint: func(c *transient.Checkpoint) error { kept = c; return nil },
		Observe: func(event.Event) {
			if steps++; steps == n {
				cancel()
			}
		}}
	_, err := runCases(ctx, cfg, []string{name}, opt)
	if !errors.Is(err, context.Canceled) || kept == nil {
		t.Fatalf("stopped at step %d: %v", n, err)
	}
	return kept
}

// whole runs a case, from a checkpoint or from its start, and returns its result and the
// number of steps.
func whole(t *testing.T, cfg *config.Engine, name string, from ...*transient.Checkpoint) (r *result.Result, steps int) {
	t.Helper()
	opt := transient.Options{Resume: from, Observe: func(event.Event) { steps++ }}
	all := must.Value(runCases(context.Background(), cfg, []string{name}, opt))(t)
	return all.Cases[0], steps
}

// methods are the integrators: all in a long test, in a short one an explicit, an implicit and a multistep one.
func methods(t testing.TB) []string {
	if testenv.IsLong(t) {
		return config.Integrators
	}
	return []string{"dormand-prince", "rosenbrock", "gear"}
}

// stops are the steps, of so many, at which a test stops a transient and resumes it; in a soak test two of them are
// random.
func stops(t testing.TB, steps int) []int {
	switch {
	case testenv.IsSoak():
		return []int{1, 1 + rand.IntN(steps-1), 1 + rand.IntN(steps-1), steps - 1}
	case testenv.IsLong(t):
		return []int{1, 2 * steps / 3, steps - 1}
	}
	return []int{steps / 2}
}

// passed writes a checkpoint and reads it, as another process would.
func passed(t *testing.T, c *transient.Checkpoint) *transient.Checkpoint {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, c.Write(&b))
	return must.Value(transient.ReadCheckpoint(&b))(t)
}

// same compares results to the last bit.
func same(t *testing.T, want, got *result.Result) {
	t.Helper()
	if !slices.Equal(want.History.T, got.History.T) {
		t.Errorf("the histories have %d and %d points", len(want.History.T), len(got.History.T))
		return
	}
	for i, q := range want.History.Columns {
		for k, v := range want.History.Values[i] {
			if w := got.History.Values[i][k]; math.Float64bits(v) != math.Float64bits(w) {
				t.Errorf("%s at %g s is %x, resumed %x", q.Path, want.History.T[k], v, w)
				return
			}
		}
	}
	a := must.Value(json.Marshal(want))(t)
	b := must.Value(json.Marshal(got))(t)
	if !bytes.Equal(a, b) {
		t.Error("what else there is of the results differs")
	}
	must.Equal(t, want.TransientWarnings, got.TransientWarnings)
	for name, places := range want.History.Places {
		if !slices.Equal(places, got.History.Places[name]) {
			t.Errorf("the trajectory on the map of %s differs", name)
		}
	}
}

// resumes checks that a case that is stopped, and resumed from its checkpoint in another process, has the history, the
// account of the energy and the warnings of an uninterrupted case, to the last bit.
func resumes(t *testing.T, name string, cfg *config.Engine) *result.Result {
	t.Helper()
	want, steps := whole(t, cfg, name)
	converged(t, want)
	for _, at := range stops(t, steps) {
		got, rest := whole(t, cfg, name, passed(t, stopped(t, cfg, name, at)))
		if rest != steps-at {
			t.Errorf("stopped after %d of %d steps, it makes %d more", at, steps, rest)
		}
		same(t, want, got)
	}
	return want
}

// slamOf adds a transient to the cases of an engine.
func slamOf(cfg *config.Engine, tr config.Transient) *config.Engine {
	cfg.Cases = append(cfg.Cases, config.Case{Name: "slam", Kind: "transient", Transient: &tr})
	return cfg
}

// A transient that is stopped at any step is resumed by every integrator, with a history at given times and at the
// steps.
func TestResumedIsIdentical(t *testing.T) {
	for i, method := range methods(t) {
		for k, every := range []float64{0, 0.07} {
			if k != i%2 && !testenv.IsLong(t) {
				continue // of the other half of the methods
			}
			t.Run(method, func(t *testing.T) {
				resumes(t, "slam",
					slamOf(enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
						config.Transient{Duration: 4, Every: every, RTol: 1e-7, ATol: 1e-4, Integrator: method,
							Schedules: []config.Schedule{
								enginetest.Fuel(0, 1.2, 0.5, 1.2, 0.5, 0.9, 1.5, 1.0, 2.5, 1.0),
							}}))
			})
		}
	}
}

// Every example engine resumes identically: no component has a memory that a checkpoint
// does not have.
func TestEveryEngineResumes(t *testing.T) {
	for _, file := range enginetest.SomeExamples(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			cfg := enginetest.Moving(t, file)
			at := cfg.Component("ambient").Values.Num("dTs")
			resumes(t, "slam",
				slamOf(cfg, config.Transient{Duration: 1.5, Every: 0.3, RTol: 1e-8, ATol: 1e-5, Integrator: "gear",
					Schedules: []config.Schedule{
						{Quantity: config.Quantity{Path: "ambient.dTs"}, T: []float64{0, 1},
							Values: []float64{at, at + 5}},
					}}))
		})
	}
}

// An early end is the same after a resumption. A checkpoint saved on the way gives the same
// as one saved at an interruption.
func TestResumedEndsEarlyAlike(t *testing.T) {
	cfg := slamOf(enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
		config.Transient{Duration: 12, RTol: 1e-6, ATol: 1e-3, Integrator: "adams",
			Schedules: []config.Schedule{enginetest.Fuel(0, 0.7, 5, 0.7, 5.1, 2.5)}})
	want, _ := whole(t, cfg, "slam")
	if want.Ended == nil || want.Ended.Reason != "surge" {
		t.Fatalf("%+v", want.Ended)
	}
	var kept []*transient.Checkpoint
	opt := transient.Options{
		Every: 2, Checkpoint: func(c *transient.Checkpoint) error { kept = append(kept, c); return nil },
	}
	all := must.Value(runCases(context.Background(), cfg, []string{"slam"}, opt))(t)
	same(t, want, all.Cases[0])
	if len(kept) != 2 || !(kept[0].T >= 2 && kept[0].T < 4 && kept[1].T >= 4 && kept[1].T < 5.1) {
		t.Fatalf("%d checkpoints", len(kept))
	}
	for _, c := range kept {
		got, _ := whole(t, cfg, "slam", c)
		same(t, want, got)
	}
}

// A checkpoint that cannot be used gives an error with the reason: the file is not a
// checkpoint, cut off or damaged, or from another engine, program version or input.
func TestBadCheckpoints(t *testing.T) {
	cfg := slamOf(enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
		config.Transient{
			Duration: 1, RTol: 1e-4, ATol: 1e-1, Integrator: "rk4",
			Schedules: []config.Schedule{enginetest.Fuel(0, 1.2)},
		})
	good := stopped(t, cfg, "slam", 3)
	var b bytes.Buffer
	must.OK(t, good.Write(&b))
	file := b.Bytes()
	line := bytes.IndexByte(file, '\n')
	damaged := slices.Clone(file)
	damaged[line+100] ^= 1
	for want, data := range map[string][]byte{
		"not a checkpoint of peregrine":          {},
		"not a checkpoint":                       []byte("{}\n"),
		"not a checkpoint of":                    file[:line/2],
		"is cut off: want ":                      file[:len(file)-10],
		"its state differs from the written one": damaged,
		"this program reads format 4: run the case": bytes.Replace(file, []byte(`"format":4`), []byte(`"format":7`),
			1),
		"damaged: its state differs from the writ": append(slices.Clone(file), 0),
	} {
		_, err := transient.ReadCheckpoint(bytes.NewReader(data))
		if _, ok := errors.AsType[*transient.CheckpointError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, change := range map[string]func(c *transient.Checkpoint, e *config.Engine, o *transient.Options){
		"the checkpoint is of engine \"other\", this is": func(c *transient.Checkpoint, _ *config.Engine,
			_ *transient.Options) {
			c.Engine = "other"
		},
		"was written by peregrine ; this is 2": func(_ *transient.Checkpoint, _ *config.Engine, o *transient.Options) {
			o.Version = "2"
		},
		"has changed since; put them back": func(_ *transient.Checkpoint, e *config.Engine, _ *transient.Options) {
			e.Digest = "changed"
		},
		"slam is stale: the engine file, one of its": func(_ *transient.Checkpoint, e *config.Engine,
			_ *transient.Options) {
			e.Shafts[0].Values["inertia"] = config.Value{Num: 31, Set: true}
		},
	} {
		c, e, o := passed(t, good), *cfg, transient.Options{}
		e.Shafts = slices.Clone(cfg.Shafts)
		for i := range e.Shafts {
			e.Shafts[i].Values = maps.Clone(e.Shafts[i].Values)
		}
		change(c, &e, &o)
		o.Resume = []*transient.Checkpoint{c}
		_, err := runCases(context.Background(), &e, []string{"slam"}, o)
		if _, ok := errors.AsType[*transient.CheckpointError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A checkpoint that cannot be saved ends the transient, which keeps its history.
func TestCheckpointNotKept(t *testing.T) {
	cfg := slamOf(enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
		config.Transient{
			Duration: 5, RTol: 1e-6, ATol: 1e-3, Integrator: "rk4",
			Schedules: []config.Schedule{enginetest.Fuel(0, 1.2)},
		})
	opt := transient.Options{
		Every: 1, Checkpoint: func(*transient.Checkpoint) error { return errors.New("the disk is full") },
	}
	all := must.Value(runCases(context.Background(), cfg, []string{"slam"}, opt))(t)
	r := all.Cases[0]
	if r.Converged || r.Ended == nil || r.Ended.Reason != "checkpoint" || r.Ended.T < 1 || len(r.History.T) < 3 ||
		!strings.Contains(r.Message, "could not be kept: the disk is full") {
		t.Errorf("%+v %s", r.Ended, r.Message)
	}
}

// A controlled engine continues identically, its controls continuous or sampled, wherever it is stopped: between two
// samples or at one.
func TestControlledEngineResumes(t *testing.T) {
	for _, period := range []string{"20 ms", ""}[:enginetest.Trials(t, 1, 2, 2)] {
		for _, method := range []string{"rosenbrock", "adams"} {
			t.Run(method+period, func(t *testing.T) {
				cfg := governedSession(t, period, "1290 K", method).Engine
				cfg.Case("slam").Transient.Duration = 3
				resumes(t, "slam", cfg)
			})
		}
	}
}

// The energy in volumes and metal continues identically, with a history at given times and at the steps.
func TestStoringEngineResumes(t *testing.T) {
	for method, every := range map[string]float64{"rosenbrock": 0.03, "gear": 0, "dormand-prince": 0} {
		t.Run(method, func(t *testing.T) {
			want := resumes(t, "slam",
				slamOf(storing(t), config.Transient{Duration: 1, Every: every, RTol: 1e-6, ATol: 1e-3,
					Integrator: method,
					Schedules:  []config.Schedule{enginetest.Fuel(0, 0.9, 0.3, 0.7, 0.5, 0.7, 0.5, 0.8)}}))
			if want.Ledger == nil {
				t.Error("it has no account of the energy")
			}
		})
	}
}

// A transient with a flame-out continues as if uninterrupted, with the same warnings and the same account of the fuel's
// energy, which leaves out the unburnt fuel.
func TestFlameOutResumes(t *testing.T) {
	cfg := must.Value(config.Load(enginetest.Example("turbojet-flameout.yaml"), components.Catalogue(), nil))(t)
	want := resumes(t, "chop", cfg)
	if len(want.TransientWarnings) == 0 || math.Abs(want.Ledger.Missing) > 1e-6 {
		t.Fatalf("%+v %v", want.TransientWarnings, want.Ledger)
	}
}

// A transient is interrupted between two points of its history within one step, and continues as if uninterrupted.
func TestRowsAreInterrupted(t *testing.T) {
	for _, method := range methods(t) {
		cfg := slamOf(enginetest.Moving(t, enginetest.Example("turbojet.yaml")),
			config.Transient{Duration: 1, Every: 1e-3, RTol: 1e-4, ATol: 1, Integrator: method,
				Schedules: []config.Schedule{enginetest.Fuel(0, 1.0, 1, 1.05)}})
		want, steps := whole(t, cfg, "slam")
		if !want.Converged || steps > 300 {
			t.Fatalf("%d steps: %s", steps, want.Message)
		}
		inside := 0
		for _, rows := range []int{500, 300, 777}[:enginetest.Trials(t, 1, 3, 3)] {
			var kept *transient.Checkpoint
			opt := transient.Options{Checkpoint: func(c *transient.Checkpoint) error { kept = c; return nil }}
			r, err := runCases(&looks{Context: context.Background(), left: rows}, cfg, []string{"slam"}, opt)
			if !errors.Is(err, context.Canceled) || kept == nil || len(r.Cases) != 1 {
				t.Fatalf("%s: after %d looks: %v", method, rows, err)
			}
			c := r.Cases[0]
			if end := c.History.T[len(c.History.T)-1]; c.Ended == nil || c.Ended.T != end {
				t.Errorf("%s: it ends by %+v, its history at %g s", method, c.Ended, end)
			} else if end < kept.T {
				inside++
			}
			got, _ := whole(t, cfg, "slam", passed(t, kept))
			same(t, want, got)
		}
		if inside == 0 {
			t.Errorf("%s: it was interrupted inside no step of %d", method, steps)
		}
	}
}
