package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
)

// A study whose live settings change while it goes on: held, it starts nothing; then the runs come in the order of
// urgency, without those that were dropped, and as many at a time as is said.
func TestCourse(t *testing.T) {
	p := without(t)
	p.Workers, p.Live = 1, live.New()
	var mu sync.Mutex
	var started []string
	going, most, full := 0, 0, filepath.Join(t.TempDir(), "full") // is there when two go on
	p.Observe = func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Kind == event.Started:
			started = append(started, e.Run)
			going++
			most = max(most, going)
			if len(started) == 1 {
				p.Live.Hold(true)
			}
			if going == 2 {
				noError(t, os.WriteFile(full, nil, 0o600))
			}
		case e.Kind == event.Ended && e.Folder != "":
			going--
			if len(started) == 1 { // the others are held: nothing goes on
				noError(t, p.Live.First("p4"))
				noError(t, p.Live.Drop("p[12]"))
				p.Live.SetWorkers(2)
				go p.Live.Hold(false)
			}
		}
	}
	jobs := []run.Job{job("p0", 0, "iterate 5")}
	for i := range 5 {
		jobs = append(jobs, job(fmt.Sprintf("p%d", i+1), float64(i+1), "wait "+full))
	}
	out := runAll(t, p, jobs...)
	for i, o := range out {
		if dropped := i == 1 || i == 2; o.OK() == dropped ||
			dropped && (o.Class != event.Killed || !strings.Contains(fmt.Sprint(o.Err), "left out on command")) {
			t.Errorf("job %d: %s, %v", i, o.Class, o.Err)
		}
	}
	slices.Sort(started[1:3])
	if len(started) != 4 || started[0] != "p0" || !slices.Contains(started[1:3], "p4") ||
		slices.Contains(started, "p1") || most != 2 {
		t.Errorf("started %v, %d at a time", started, most)
	}
	if p.Live.First("[") == nil || p.Live.Drop("[") == nil {
		t.Error("a faulty pattern is taken")
	}
}

// A held study ends when it is interrupted.
func TestHeldCourseEnds(t *testing.T) {
	p := without(t)
	p.Live = live.New()
	p.Live.Hold(true)
	ctx, cancel := context.WithCancel(t.Context())
	p.Observe = func(e event.Event) { cancel() } // at the plan
	out, err := p.Run(ctx, []run.Job{job("a", 1, "iterate 1")})
	if err == nil || out[0].Class != run.NotRun {
		t.Errorf("%v, %s", err, out[0].Class)
	}
}

// On command those start first whose points are the nearest to where the engine works, behind those that somebody has
// named.
func TestUrgentFirst(t *testing.T) {
	p := without(t)
	p.Workers, p.Live = 1, live.New()
	p.Live.SetUrgent(true)
	must.OK(t, p.Live.First("p0"))
	var mu sync.Mutex
	var started []string
	p.Observe = func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == event.Started {
			started = append(started, e.Run)
		}
	}
	jobs := []run.Job{job("first", 0, "iterate 5")}
	for i, remote := range []float64{9, 2.5, 2.4, 0, 1e9} {
		j := job(fmt.Sprintf("p%d", i), float64(i), "iterate 5")
		j.Remote = remote
		jobs = append(jobs, j)
	}
	must.Value(p.Run(context.Background(), jobs))(t)
	if want := []string{"first", "p0", "p3", "p2", "p1", "p4"}; !slices.Equal(started, want) {
		t.Errorf("%q, want %q", started, want)
	}
}

// Limits that are set while a study goes on hold for the runs that start from then on.
func TestLimitsOfRunsToCome(t *testing.T) {
	p := without(t)
	p.Workers, p.Live = 1, live.New()
	p.Policy = run.Policy{}
	p.Observe = func(e event.Event) {
		if e.Kind == event.Ended && e.Folder != "" {
			p.Live.SetLimits(10*time.Millisecond, 0)
		}
	}
	out, err := p.Run(t.Context(), []run.Job{job("a", 1, "sleep 50ms"), job("b", 2, "sleep 60s")})
	if err != nil || out[0].Class != event.Converged || out[1].Class != event.Timeout {
		t.Errorf("%v, %s, %s", err, out[0].Class, out[1].Class)
	}
	if wall, hung := p.Live.Limits(); wall != 10*time.Millisecond || hung != 0 {
		t.Errorf("%v, %v", wall, hung)
	}
}

func TestParseAdded(t *testing.T) {
	for _, text := range []string{"fan n=95 % throttle=1.15", "fan throttle=1.15 n=0.95", "fan n=0.95 throttle=115 %"} {
		a, err := live.ParseAdded(text)
		if err != nil || a != (live.Added{Component: "fan", Speed: 0.95, Throttle: 1.15}) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	if a, err := live.ParseAdded("fan n=95 % throttle=1.15 alpha=-6"); err != nil ||
		a != (live.Added{Component: "fan", Speed: 0.95, Throttle: 1.15, Alpha: -6}) {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		"": "want a component", "fan": "want a component", "fan n=95 %": "want a component",
		"fan n=95 % throtle=1":  "did you mean throttle?",
		"fan n=95 K throttle=1": "K", "fan n=nan throttle=1": "nan", "fan n= throttle=1": "n:",
		"n=1 throttle=1": "there is no",
	} {
		if a, err := live.ParseAdded(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, a, err, want)
		}
	}
}
