package run_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
)

// A study of many runs must not use up the host: its goroutines and open files
// are back where they were.
func TestNothingLeaksInTheHost(t *testing.T) {
	p := newPool(t)
	p.Limits.Hung, p.Limits.Grace = 150*time.Millisecond, 50*time.Millisecond
	run := func(name string) {
		t.Helper()
		if _, err := p.Run(context.Background(), []run.Job{
			job(name+"good", 1, "iterate 3"), job(name+"crash", 1, "crash"), job(name+"hang", 1, "deaf; hang"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	run("first") // what the libraries make once
	goroutines, files := settle(1000, 1000)
	for i := range 4 {
		run(fmt.Sprint("more", i))
	}
	if g, f := settle(goroutines, files); g > goroutines || f > files {
		t.Errorf("%d goroutines and %d files after one round, %d and %d after five", goroutines, files, g, f)
	}
}

// settle waits until there are at most so many goroutines and files, or a
// second has passed, and returns how many there are. If the limits are high it waits a moment all the same.
func settle(goroutines, files int) (g, f int) {
	for range 20 {
		time.Sleep(50 * time.Millisecond)
		g, f = runtime.NumGoroutine(), len(entries("/proc/self/fd"))
		if g <= goroutines && f <= files && goroutines < 1000 {
			break
		}
	}
	return g, f
}

// A process that left the plugin's group and holds its output must not hold up
// the study.
func TestDaemonHoldsUpNothing(t *testing.T) {
	p := newPool(t)
	p.Program.Environment = append(p.Program.Environment, markEnv+"=") // it outlives the test by a moment
	start := time.Now()
	out, err := p.Run(context.Background(), []run.Job{job("a", 2, "daemon; crash")})
	if err != nil || out[0].Class != event.Crashed {
		t.Fatal(err, out[0].Class)
	}
	if took := time.Since(start); took > 2900*time.Millisecond {
		t.Errorf("it waited %v for the daemon", took)
	}
}
