package bladerow

import (
	"strings"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
	"github.com/peregrine-sim/peregrine/zoom/solver/march/marchtest"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// watcher counts the regions of each thread, which nest.
type watcher struct {
	mu      sync.Mutex
	open    map[string][]string // by thread
	entered map[string]int      // by region and thread
	wrong   []string
}

type watched struct {
	*watcher
	name, thread string
}

func (w *watcher) Sensor(string, string, string) march.Sensor { return off{} }

func (w *watcher) Region(name, thread, _ string) march.Area { return watched{w, name, thread} }

type off struct{}

func (off) On() bool          { return false }
func (off) Record(...float64) {}

func (a watched) Enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[a.thread] = append(a.open[a.thread], a.name)
	a.entered[a.name+" of "+a.thread]++
}

func (a watched) Leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	in := a.open[a.thread]
	if len(in) == 0 || in[len(in)-1] != a.name {
		a.wrong = append(a.wrong, a.thread+" leaves "+a.name+" in "+strings.Join(in, ", "))
		return
	}
	a.open[a.thread] = in[:len(in)-1]
}

// Each worker sweeps and waits in turn, within levels and exchanges, the main thread writes and averages, and the flow
// does not depend on being watched.
func TestRegionsOfWorkers(t *testing.T) {
	c := viscous67(t)
	c.Settings.MaxIterations, c.Settings.Levels, c.Settings.Workers = 20, 2, 2
	alone := run(t, solver(t, c))
	s, w := solver(t, c), &watcher{open: map[string][]string{}, entered: map[string]int{}}
	s.Steer(steer.New(clock.Real), 0, marchtest.Setting)
	s.Steering().Observe(w)
	must.Equal(t, alone, must.Value(s.RunIn(t.Context(), t.TempDir(), nil))(t))
	if len(w.wrong) > 0 {
		t.Errorf("%d regions are left out of order: %s", len(w.wrong), w.wrong[0])
	}
	for name, least := range map[string]int{"level of worker 0": 20, "exchange of worker 0": 20,
		"sweep of worker 0": 20, "sweep of worker 1": 20, "barrier of worker 0": 20, "barrier of worker 1": 20,
		"checkpoint of main": 3, "average of main": 1} {
		if w.entered[name] < least {
			t.Errorf("%s: %d times", name, w.entered[name])
		}
	}
	for thread, in := range w.open {
		if len(in) > 0 {
			t.Errorf("%s ends in %v", thread, in)
		}
	}
}
