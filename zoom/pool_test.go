package zoom_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugintest"
)

func TestMain(m *testing.M) {
	plugintest.ServeMock()
	os.Exit(m.Run())
}

// newPool returns a pool of mock solvers whose study lies in a folder of its own.
func newPool(t testing.TB) *zoom.Pool {
	t.Helper()
	host, err := zoom.NewHost(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	command, env, err := plugintest.MockCommand()
	if err != nil {
		t.Fatal(err)
	}
	return &zoom.Pool{Host: host, Launcher: zoom.Launcher{Command: command, Env: env}, Study: "test"}
}

// job is a point x with a script.
func job(name string, x float64, script string) zoom.Job {
	return zoom.Job{Name: name, Request: plugin.Request{
		Numbers: map[string]float64{"x": x}, Texts: map[string]string{"script": script},
	}}
}

func TestPoolRunsJobs(t *testing.T) {
	p := newPool(t)
	var jobs []zoom.Job
	for i := range 6 {
		jobs = append(jobs, job(fmt.Sprintf("p%d", i), float64(i), "iterate 5"))
	}
	kinds := map[event.Kind]int{}
	p.Observe = func(e event.Event) { kinds[e.Kind]++ }
	out, err := p.Run(context.Background(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if !o.OK() || o.Err != nil || o.Result.Numbers["y"] != float64(i*i) || o.Attempts != 1 {
			t.Errorf("job %d: %+v", i, o)
		}
	}
	if kinds[event.Iteration] != 30 || kinds[event.Started] != 6 || kinds[event.Ended] != 6 {
		t.Errorf("events %v", kinds)
	}
}

// BenchmarkOverhead measures what the executive adds to one run: start,
// handshake, description, transfer, result, stop, run folder; with a solver that does nothing.
func BenchmarkOverhead(b *testing.B) {
	p := newPool(b)
	p.Workers = 1
	n := 0
	for b.Loop() {
		n++
		out, err := p.Run(context.Background(), []zoom.Job{job(fmt.Sprintf("r%d", n), 1, "")})
		if err != nil || !out[0].OK() {
			b.Fatal(err, out[0].Err)
		}
	}
}
