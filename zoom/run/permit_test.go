package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/licence"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// Runs that wait for a licence have not begun: they wait longer than a run may take, and none has hung. It is said
// that they wait.
func TestWaitingForALicenceIsNotHanging(t *testing.T) {
	p := without(t)
	p.Workers, p.Licence = 4, &licence.Pool{Name: "cfd", Of: 1, Folder: t.TempDir()}
	at := clock.NewManual(clock.Real.Now())
	p.Clock = at
	p.Limits.Hung, p.Limits.Wall = 11*time.Minute, 11*time.Minute
	c, all := counter{waits: "waits for a licence of cfd: "}, filepath.Join(t.TempDir(), "all") // others wait
	p.Observe = func(e event.Event) {
		if _, said := c.observe(e); said == 3 {
			noError(t, os.WriteFile(all, nil, 0o600))
		}
		if e.Kind == event.Iteration {
			at.Advance(time.Minute)
		}
	}
	var jobs []run.Job
	for _, name := range []string{"a", "b", "c", "d"} {
		jobs = append(jobs, job(name, 2, "iterate 10; wait "+all))
	}
	out := runAll(t, p, jobs...)
	for _, o := range out {
		if !o.OK() || o.Attempts != 1 {
			t.Errorf("%s: %s after %d attempts: %v", o.Job.Name, o.Class, o.Attempts, o.Err)
		}
	}
	if c.most != 1 || c.said < 3 {
		t.Errorf("%d runs at a time with one licence, and waiting was said %d times", c.most, c.said)
	}
}

// counter counts the runs of some studies that go on at a time, and how often one said that it waits.
type counter struct {
	waits string // what one says that waits

	mu                sync.Mutex
	going, most, said int
}

func (c *counter) observe(e event.Event) (going, said int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case e.Kind == event.Started:
		c.going++
		c.most = max(c.most, c.going)
	case e.Kind == event.Result: // that a run has ended is said when its licence may be another's already
		c.going--
	case strings.Contains(e.Text, c.waits):
		c.said++
	}
	return c.going, c.said
}

// A folder of locks that cannot be made ends the study with its reason.
func TestLicenceWithoutAFolder(t *testing.T) {
	p := without(t)
	p.Licence = &licence.Pool{Name: "cfd", Of: 1, Folder: "/dev/null/locks"}
	out, err := p.Run(t.Context(), []run.Job{job("a", 2, "")})
	if err == nil || !strings.Contains(err.Error(), "locks of cfd") || out[0].Class != run.NotRun {
		t.Errorf("%s, %v", out[0].Class, err)
	}
}

// Two studies share the cores of a machine: no more runs go on at a time than it has, each gets some, and waiting is
// said once.
func TestStudiesShareCores(t *testing.T) {
	folder, full := t.TempDir(), filepath.Join(t.TempDir(), "full") // is there when both cores are taken
	c := counter{waits: "waits for a core of machine: "}
	var studies sync.WaitGroup
	for range 2 {
		p := without(t)
		p.Workers, p.Cores = 2, &licence.Pool{Name: "machine", Of: 2, Folder: folder}
		p.Observe = func(e event.Event) {
			if going, said := c.observe(e); going > 1 && said > 0 || going > 2 {
				noError(t, os.WriteFile(full, nil, 0o600))
			}
		}
		var jobs []run.Job
		for i := range 6 {
			jobs = append(jobs, job(fmt.Sprint("j", i), 2, "wait "+full))
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
	if c.most != 2 || c.said < 1 || c.said > 2 {
		t.Errorf("%d runs at a time on two cores, and waiting was said %d times by two studies", c.most, c.said)
	}
}
