package rules

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/graph"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// loopEnv has this program be the solver of the benchmark.
const loopEnv = "PEREGRINE_TEST_LOOP"

func TestMain(m *testing.M) {
	if os.Getenv(loopEnv) != "" {
		plugin.Serve(looping{})
		return
	}
	os.Exit(m.Run())
}

// looping reports its iterations, comes to a safe point some twenty thousand times a second, and reports how long it
// took from the report of an iteration until its gain was set to the number of that, s.
type looping struct{}

func (looping) Describe() plugin.Description {
	return plugin.Description{Name: "looping", Version: "1", Fidelity: "none", Steers: true,
		Settings: []plugin.Quantity{{Name: "loops", Shape: plugin.Scalar}}}
}

func (looping) Run(ctx context.Context, r plugin.Request, report func(event.Event)) (plugin.Result, error) {
	gain := 0.0
	r.Steer.Add(steer.Object{Name: "gain", Type: steer.Float, Effect: steer.Monitor,
		Operations: []steer.Operation{steer.Actuate}}, steer.FloatAt(&gain))
	for n := 1.0; n <= r.Numbers["loops"]; n++ {
		begun := time.Now()
		report(event.Event{Kind: event.Iteration, Values: map[string]float64{"iteration": n}})
		for gain != n {
			if r.Steer.Armed() {
				if r.Steer.Obey(ctx, int64(n)) == steer.End {
					return plugin.Result{Class: event.Killed}, nil
				}
			}
			// a run that kept its core from host and plugin would measure the scheduler of a small machine
			time.Sleep(10 * time.Microsecond)
		}
		report(event.Event{Kind: event.Message, Values: map[string]float64{"loop": time.Since(begun).Seconds()}})
		time.Sleep(500 * time.Microsecond) // the host records its actions
	}
	return plugin.Result{Class: event.Converged, Numbers: map[string]float64{}}, nil
}

// The closed loop through the host: from the report of a solver in a process of its own, over mutual TLS, by a rule
// that the study's judge fires and its pool gives as an order, over mutual TLS, to the variable that the solver's
// thread has changed. Goal: 300 us in the median, 1 ms at 99 %.
func BenchmarkRuleClosedLoop(b *testing.B) {
	m, err := graph.New(enginetest.Parse(b, enginetest.Turbojet+`
rules:
  - {name: follow, when: iteration > 0, repeat: 1, most: 100000000, act: true, action: {set: {gain: iteration}}}
`))
	must.OK(b, err)
	j := must.Value(NewJudge(m))(b)
	host := must.Value(attempt.NewHost(b.TempDir(), launch.Registry{local.Name: local.Open}, local.Name))(b)
	defer func() {
		if err := host.Close(); err != nil {
			b.Error(err)
		}
	}()
	self := must.Value(os.Executable())(b)
	loops := hdrhistogram.New(1, int64(time.Minute), 3) // ns
	pool := &pool.Pool{
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: []string{self}, Environment: []string{loopEnv + "=1"}},
			Study: "bench", Monitor: j,
		},
		Workers: 1,
		Observe: func(e event.Event) {
			if x, told := e.Values["loop"]; told {
				if err := loops.RecordValue(int64(x * 1e9)); err != nil {
					b.Error(err)
				}
			}
		},
	}
	b.ResetTimer()
	out, err := pool.Run(context.Background(),
		[]run.Job{{Name: "loop", Request: plugin.Request{Numbers: map[string]float64{"loops": float64(b.N)}}}})
	if err != nil || !out[0].OK() {
		b.Fatal(err, fmt.Sprint(out[0].Err))
	}
	b.ReportMetric(float64(loops.ValueAtQuantile(50))/1e3, "us/loop")
	b.ReportMetric(float64(loops.ValueAtQuantile(99))/1e3, "us/loop-p99")
	b.ReportMetric(float64(loops.Max())/1e3, "us/loop-worst")
}
