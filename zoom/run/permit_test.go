package run_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Runs that wait for a licence have not begun: they wait longer than a run may take, and none has hung. It is said that they wait.
func TestWaitingForALicenceIsNotHanging(t *testing.T) {
	p := newPool(t)
	p.Workers, p.Licence = 4, &licence.Pool{Name: "cfd", Of: 1, Folder: t.TempDir()}
	p.Limits.Hung, p.Limits.Wall = 1500*time.Millisecond, 1500*time.Millisecond
	var going, most, said atomic.Int64
	p.Observe = func(e event.Event) {
		switch {
		case e.Kind == event.Started:
			most.Store(max(most.Load(), going.Add(1)))
		case e.Kind == event.Ended:
			going.Add(-1)
		case strings.Contains(e.Text, "waits for a licence of cfd: "):
			said.Add(1)
		}
	}
	var jobs []run.Job
	for _, name := range []string{"a", "b", "c", "d"} {
		jobs = append(jobs, job(name, 2, "iterate 30 20ms"))
	}
	out, err := p.Run(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		if !o.OK() || o.Attempts != 1 {
			t.Errorf("%s: %s after %d attempts: %v", o.Job.Name, o.Class, o.Attempts, o.Err)
		}
	}
	if most.Load() != 1 || said.Load() < 3 {
		t.Errorf("%d runs at a time with one licence, and waiting was said %d times", most.Load(), said.Load())
	}
}

// A folder of locks that cannot be made ends the study with its reason.
func TestLicenceWithoutAFolder(t *testing.T) {
	p := newPool(t)
	p.Licence = &licence.Pool{Name: "cfd", Of: 1, Folder: "/dev/null/locks"}
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, "")})
	if err == nil || !strings.Contains(err.Error(), "locks of cfd") || out[0].Class != run.NotRun {
		t.Errorf("%s, %v", out[0].Class, err)
	}
}

// Two studies share the cores of a machine: no more runs go on at a time than it has, each gets some, and waiting is said once.
func TestStudiesShareCores(t *testing.T) {
	folder := t.TempDir()
	var going, most, said atomic.Int64
	var studies sync.WaitGroup
	for range 2 {
		p := newPool(t)
		p.Workers, p.Cores = 2, &licence.Pool{Name: "machine", Of: 2, Folder: folder}
		p.Observe = func(e event.Event) {
			switch {
			case e.Kind == event.Started:
				most.Store(max(most.Load(), going.Add(1)))
			case e.Kind == event.Result: // that the run has ended is said when its core may be another's already
				going.Add(-1)
			case strings.Contains(e.Text, "waits for a core of machine: "):
				said.Add(1)
			}
		}
		var jobs []run.Job
		for i := range 6 {
			jobs = append(jobs, job(fmt.Sprint("j", i), 2, "iterate 10 10ms"))
		}
		studies.Go(func() {
			out, err := p.Run(t.Context(), jobs)
			for _, o := range out {
				if !o.OK() || err != nil {
					t.Errorf("%s: %s, %v", o.Job.Name, o.Class, err)
				}
			}
		})
	}
	studies.Wait()
	if most.Load() != 2 || said.Load() < 1 || said.Load() > 2 {
		t.Errorf("%d runs at a time on two cores, and waiting was said %d times by two studies", most.Load(), said.Load())
	}
}
