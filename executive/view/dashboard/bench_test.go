//go:build unix

package dashboard_test

import (
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// BenchmarkThousandRuns measures the cost of a second of 1,000 runs that report ten times a second, with ten frames of
// 80 by 24: of a study, whose runs the board judges, and of files, which the caller judges. The per cent are of one
// core.
func BenchmarkThousandRuns(b *testing.B) {
	for name, make := range map[string]func(string) *dashboard.Board{"study": dashboard.New,
		"files": dashboard.NewJudged} {
		b.Run(name, func(b *testing.B) {
			board := make("thousand")
			m := dashboard.NewModel(board, false)
			names := []string{}
			for i := range 1000 {
				names = append(names, fmt.Sprintf("run-%04d", i))
				board.Observe(event.Event{Source: event.Host, Run: names[i], Kind: event.Started, Time: start})
			}
			iteration := 0
			second := func() {
				for range 10 {
					iteration++
					now := start.Add(time.Duration(iteration) * 100 * time.Millisecond)
					for i, run := range names {
						x := math.Pow(10, -float64(iteration)/float64(50+i))
						board.Observe(event.Event{Source: event.Plugin, Run: run, Kind: event.Iteration, Time: now,
							Values: map[string]float64{
								"iteration": float64(iteration), "residual_u": x, "residual_p": 2 * x, "W_in": 20,
								"W_out": 20 + x, "PR": 1.5,
							}})
					}
					must.Contain(b, m.Frame(now).Screen(true), "run-0")
				}
				board.Tick(start.Add(time.Duration(iteration) * 100 * time.Millisecond))
			}
			for range 20 {
				second()
			}
			before := processor(b)
			for b.Loop() {
				second()
			}
			b.ReportMetric((processor(b)-before).Seconds()/float64(b.N)*100, "%core")
		})
	}
}

// processor is the time of processors that this process has used: others may use them, too.
func processor(b *testing.B) time.Duration {
	var used syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkFrame is the cost of one frame of 1,000 runs, by how they are sorted.
func BenchmarkFrame(b *testing.B) {
	board, now := mixed()
	for i := range 1000 {
		for k := range 3 {
			board.Observe(event.Event{Source: event.Plugin, Run: fmt.Sprintf("run-%04d", i), Kind: event.Iteration,
				Time: now, Values: map[string]float64{"iteration": float64(k), "residual": float64(i % 77)}})
		}
	}
	m := dashboard.NewModel(board, false)
	m.Resize(120, 40)
	for _, order := range []string{"running", "begun", "name", "state", "residual", "time"} {
		b.Run(order, func(b *testing.B) {
			for b.Loop() {
				m.Frame(now)
			}
		})
		press(m, "s")
	}
}
