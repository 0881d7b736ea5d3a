package executive_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap/cache"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/run/study"
)

// workplace is a cache and a work folder, in which studies of known fans are made one after the other.
type workplace struct {
	t    testing.TB
	dir  string
	code string // of the solver
	stop int    // the run in which the study ends; 0: none
}

// settled is the result of a study of its engine.
type settled struct {
	results *result.Results
	keys    []string // listed in its log
}

// study zooms an engine in a study of a name, with the present cache.
func (w *workplace) study(name string, engine *config.Engine) (s settled, err error) {
	w.t.Helper()
	answers := must.Value(cache.Open(filepath.Join(w.dir, "cache")))(w.t)
	log := studylog.New(nil, func(e event.Event) {
		if e.Kind == event.Known {
			s.keys = e.Keys
		}
	})
	must.OK(w.t, log.Open(must.Value(studylog.Named(filepath.Join(w.dir, "work"), name))(w.t)))
	defer log.Close()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	fan, runs := smooth, 0
	fan.fails = func(string) event.Class {
		if runs++; runs == w.stop {
			cancel()
			<-ctx.Done()
		}
		return ""
	}
	var names []string
	for _, c := range engine.Cases {
		names = append(names, c.Name)
	}
	zoomer := logged{knownZoomer{w.t, fan, 1, answers, false}, name, w.code, log}
	s.results, err = executive.Run(ctx, engine, names, executive.Options{Zoomer: zoomer})
	return s, err
}

// must is study without errors.
func (w *workplace) must(name string, engine *config.Engine) settled {
	w.t.Helper()
	return must.Value(w.study(name, engine))(w.t)
}

// copy returns a workplace with the same files, made in the order of their names or in the opposite one.
func (w *workplace) copy(backwards bool) *workplace {
	w.t.Helper()
	c := &workplace{t: w.t, dir: w.t.TempDir(), code: w.code}
	var files []string
	must.OK(w.t, filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	}))
	if backwards {
		slices.Reverse(files)
	}
	for _, file := range files {
		to := filepath.Join(c.dir, must.Value(filepath.Rel(w.dir, file))(w.t))
		must.OK(w.t, os.MkdirAll(filepath.Dir(to), 0o755))
		must.OK(w.t, os.WriteFile(to, must.Value(os.ReadFile(file))(w.t), 0o600))
	}
	return c
}

// logged is a zoomer whose studies have a log, and count the answers of earlier ones.
type logged struct {
	knownZoomer
	name, code string
	log        *studylog.Log
}

func (z logged) Study(ctx context.Context, cfg *config.Zoom, judge *executive.Judge) (*study.Study, error) {
	s, err := z.knownZoomer.Study(ctx, cfg, judge)
	if err == nil {
		s.Pool.Study, s.Known = z.name, z.log.Known
		s.Pool.Program.Code += z.code
	}
	return s, err
}

// bits are the numbers of a study that must not change.
func bits(r *result.Results) (list []float64) {
	for _, c := range r.Cases {
		z := c.Zoom["fan"]
		list = append(list, c.Performance.Fn, c.Performance.TSFC, z.Error, z.Causes.Interpolation, float64(z.Rounds),
			float64(z.RunsBefore), float64(z.Runs+z.Cached))
	}
	return list
}

// A study uses the answers of earlier studies of the same machine: a neighbour of their points costs fewer runs. A
// repeated study makes no runs, and answers to the last bit as before, whatever other studies have added meanwhile.
func TestEarlierStudiesCount(t *testing.T) {
	const to = 2e-4
	engine := func(tt ...float64) *config.Engine { return knownEngine(t, to, "absolute", tt...) }
	exact := exactly(t, engine(1425), smooth)
	first := &workplace{t: t, dir: t.TempDir()}
	one := first.must("one", engine(1375, 1400, 1450))
	alone := (&workplace{t: t, dir: t.TempDir()}).must("alone", engine(1425))
	next := first.must("next", engine(1425))
	z, fewer := next.results.Cases[0].Zoom["fan"], alone.results.Cases[0].Zoom["fan"]
	t.Logf("%d runs with %d of earlier studies, %d without", z.Runs, z.RunsBefore, fewer.Runs)
	if z.Runs >= fewer.Runs || z.RunsBefore == 0 || len(next.keys) != one.results.Cases[0].Zoom["fan"].Runs {
		t.Errorf("%d runs beside %d of earlier studies, of %d listed; %d without them", z.Runs, z.RunsBefore,
			len(next.keys), fewer.Runs)
	}
	if e := trueError(next.results.Cases[0], exact[0]); e > to || e > z.Error {
		t.Errorf("true error %.2g, estimated %.2g", e, z.Error)
	}
	if !testenv.IsLong(t) {
		return
	}
	repeated := first.must("again", engine(1375, 1400, 1450))
	if got, want := bits(repeated.results), bits(one.results); !slices.Equal(got, want) ||
		repeated.results.Cases[0].Zoom["fan"].Runs != 0 {
		t.Errorf("once more %v, at first %v, with %d runs", got, want, repeated.results.Cases[0].Zoom["fan"].Runs)
	}
	twice := first.must("twice", engine(1425)).results.Cases[0]
	if e := math.Abs(twice.Performance.Fn/next.results.Cases[0].Performance.Fn - 1); twice.Zoom["fan"].Runs != 0 ||
		e > 1e-12 {
		t.Errorf("the neighbour once more: %d runs, thrust another by %.2g", twice.Zoom["fan"].Runs, e)
	}
}

// Answers of other studies added after a study began, the order of files, and the answers of another solver change no
// result.
func TestEarlierStudiesAreListedOnce(t *testing.T) {
	testenv.Long(t, "sixteen studies")
	engine := func(tt ...float64) *config.Engine { return knownEngine(t, 1e-5, "design", tt...) }
	begun := &workplace{t: t, dir: t.TempDir()}
	begun.must("one", engine(1400))
	backwards := begun.copy(true)
	want := bits(begun.copy(false).must("next", engine(1425, 1475)).results)
	if got := bits(backwards.must("next", engine(1425, 1475)).results); !slices.Equal(got, want) {
		t.Errorf("with files in another order %v, not %v", got, want)
	}
	for stop := 1; stop <= 4; stop++ {
		w := begun.copy(false)
		w.stop = stop
		if _, err := w.study("next", engine(1425, 1475)); err == nil {
			t.Fatalf("the study is not over after %d runs", stop)
		}
		w.stop = 0
		w.must("between", engine(1450))
		after := w.must("next", engine(1425, 1475))
		if got := bits(after.results); !slices.Equal(got, want) {
			t.Errorf("ended in run %d, another study between: %v, undisturbed %v", stop, got, want)
		}
		if after.keys != nil {
			t.Errorf("a study that goes on lists %d keys once more", len(after.keys))
		}
	}
	other := &workplace{t: t, dir: t.TempDir(), code: "another"}
	want = bits((&workplace{t: t, dir: t.TempDir()}).must("next", engine(1425, 1475)).results)
	other.must("one", engine(1400))
	other.code = ""
	if got := bits(other.must("next", engine(1425, 1475)).results); !slices.Equal(got, want) {
		t.Errorf("beside answers of another solver %v, not %v", got, want)
	}
}
