package watch

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/state"
)

// written is a study that a test writes as a host does.
type written struct {
	t      *testing.T
	folder string
	log    *studylog.Log
	seq    int64
}

func writeStudy(t *testing.T) *written {
	t.Helper()
	folder := must.Value(studylog.Named(t.TempDir(), "s"))(t)
	w := &written{t: t, folder: folder, log: studylog.New(clock.Real, func(event.Event) {})}
	must.OK(t, w.log.Open(folder))
	w.record(event.Event{Source: event.Executive, Kind: event.StudyBegun, Name: "engine.yaml"})
	return w
}

func (w *written) record(e event.Event) {
	if e.Source == event.Host {
		w.seq++
		e.Seq = w.seq
	}
	e.Study, e.Time = "s", clock.Real.Now()
	w.log.Record(e)
}

// run writes a run of so many iterations, whose residual falls by a hundredth of an order in each, and what else the
// host says of it.
func (w *written) run(name string, iterations int, host ...event.Event) {
	w.t.Helper()
	path := filepath.Join(w.folder, name)
	must.OK(w.t, os.Mkdir(path, 0o700))
	log := must.Value(event.Append(filepath.Join(path, event.LogName)))(w.t)
	defer func() { _ = log.Close() }() // written through
	start := event.Event{Study: "s", Run: name, Source: event.Host, Seq: 1, Time: clock.Real.Now(),
		Kind: event.Started, Folder: path}
	must.OK(w.t, log.Write(start))
	w.record(event.Event{Run: name, Source: event.Host, Kind: event.Started, Folder: path})
	for i := range iterations {
		if err := log.Write(event.Event{Study: "s", Run: name, Source: event.Plugin, Seq: int64(i + 1),
			Time: clock.Real.Now(), Kind: event.Iteration,
			Values: map[string]float64{
				"iteration": float64(i + 1), "residual": math.Pow(10, -0.01*float64(i)),
			}}); err != nil {
			w.t.Fatal(err)
		}
	}
	for i, e := range host {
		e.Study, e.Run, e.Source, e.Seq, e.Time = "s", name, event.Host, int64(i+2), clock.Real.Now()
		must.OK(w.t, log.Write(e))
	}
}

func (w *written) ends(name string, class event.Class) {
	w.record(event.Event{Run: name, Source: event.Host, Kind: event.Ended, Class: class,
		Folder: filepath.Join(w.folder, name)})
}

func (w *written) close() {
	w.t.Helper()
	w.record(event.Event{Source: event.Executive, Kind: event.StudyEnded, Class: event.Converged})
	must.OK(w.t, w.log.Close())
}

// finals are the last judgements by the name of the run.
func finals(of map[string]Line) func(Line) {
	return func(l Line) {
		if l.Final {
			of[filepath.Base(filepath.Dir(l.File))] = l
		}
	}
}

// A study is judged while it is written as it is afterwards: what the host says of an end counts, and a run that has
// not ended is judged by what there is.
func TestStudyIsJudged(t *testing.T) {
	w := writeStudy(t)
	followed := map[string]Line{}
	done := make(chan error, 1)
	go func() { done <- FollowStudy(t.Context(), w.folder, Options{}, finals(followed)) }()
	w.run("good", 450)
	w.ends("good", event.Converged)
	w.run("bad", 60)
	w.ends("bad", event.Diverged)
	w.run("end", 60)
	w.record(event.Event{Run: "end", Source: event.Host, Kind: event.Ended, Class: event.Stalled, Seeks: "stall",
		Folder: filepath.Join(w.folder, "end")})
	w.run("gone", 60)
	w.ends("gone", event.Crashed)
	w.run("open", 60)
	w.close()
	select {
	case err := <-done:
		must.OK(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the end of the study was not seen")
	}
	once := map[string]Line{}
	must.OK(t, OnceStudy(t.Context(), w.folder, Options{}, finals(once)))
	for name, want := range map[string]state.State{"good": state.Converged, "bad": state.Diverged, "gone": state.Dead} {
		for how, got := range map[string]Line{"followed": followed[name], "once": once[name]} {
			if got.State != want || got.Usable != want.Usable() || len(got.Reasons) == 0 {
				t.Errorf("%s, %s: %+v", name, how, got)
			}
		}
	}
	for how, l := range map[string]Line{"followed": followed["end"], "once": once["end"]} {
		if !l.Usable || strings.Join(l.Reasons, "; ") != "end of line (stall)" {
			t.Errorf("the end of a speed line, %s: %+v", how, l)
		}
	}
	if l := once["open"]; l.Usable || l.Iteration != 60 {
		t.Errorf("a run that never ended: %+v", l)
	}
	if _, said := followed["open"]; said {
		t.Error("a run that did not end was judged for good while it was followed")
	}
}

// Each run of a study counts for its verdict, not the one that ended last.
func TestStudyVerdict(t *testing.T) {
	t.Parallel()
	w := writeStudy(t)
	w.run("gone", 60)
	w.ends("gone", event.Crashed)
	w.run("good", 450)
	w.ends("good", event.Converged)
	w.close()
	verdicts := Verdicts{}
	must.OK(t, OnceStudy(t.Context(), w.folder, Options{}, verdicts.Add))
	if verdicts.Usable() {
		t.Errorf("a study with a run that crashed is usable: %v", verdicts)
	}
}

// Following ends with its context, and a folder that is no study is an error.
func TestStudyThatDoesNotEnd(t *testing.T) {
	w := writeStudy(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := FollowStudy(ctx, w.folder, Options{}, func(Line) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
	w.close()
	if err := OnceStudy(t.Context(), t.TempDir(), Options{}, func(Line) {}); err == nil {
		t.Error("an empty folder is a study")
	}
}
