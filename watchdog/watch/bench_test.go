//go:build unix

package watch

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// BenchmarkOnce judges a log of OpenFOAM's: parsing, and the state at every fiftieth part of the run. The metric goes
// by the processor's time, so that others on the machine do not count.
func BenchmarkOnce(b *testing.B) {
	text := log(20000, 0.0001, "1e-4", ends)
	path := write(b, filepath.Join(b.TempDir(), "log"), text)
	b.SetBytes(int64(len(text)))
	began := used()
	for b.Loop() {
		must.OK(b, Once([]string{path}, Options{}, func(Line) {}))
	}
	b.ReportMetric(float64(len(text)*b.N)/(used()-began).Seconds()/1e6, "MB/core-s")
}

// Following a thousand files, of as many runs, by all built-in rules: what it takes of a core, and of memory, while
// each grows by ten lines a second, and at rest. Each iteration is ten seconds. The time to write the lines is
// measured beforehand and taken off.
func BenchmarkThousand(b *testing.B) {
	for _, busy := range []bool{true, false} {
		b.Run(map[bool]string{true: "busy", false: "rest"}[busy], func(b *testing.B) {
			dir := b.TempDir()
			var files []*os.File
			for i := range 1000 {
				run := filepath.Join(dir, fmt.Sprint(i))
				_ = os.MkdirAll(run, 0o755)
				f := must.Value(os.Create(filepath.Join(run, "history.dat")))(b)
				defer func() { _ = f.Close() }()
				_, _ = f.WriteString("# iteration residual\n1 0.5\n2 0.4\n3 0.3\n")
				files = append(files, f)
			}
			n := 3
			round := func() { // a second
				began := time.Now()
				for range 10 {
					n++
					line := fmt.Appendf(nil, "%d %.6e\n", n, math.Exp(-float64(n)/1000))
					for _, f := range files {
						_, _ = f.Write(line)
					}
				}
				time.Sleep(time.Second - time.Since(began))
			}
			// What writing costs without a reader.
			began := used()
			if busy {
				for range 3 {
					round()
				}
			}
			writing := (used() - began) / 3
			wake := tail.NewWaker(clock.Real, func(text string) { b.Log(text) })
			defer func() { _ = wake.Close() }()
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan error)
			all := must.Value(rule.NewStudy(nil, nil))(b)
			o := Options{Waker: wake, Rules: &Rules{Single: builtin(b), Study: all}}
			go func() { done <- Follow(ctx, []string{dir}, o, func(Line) {}) }()
			time.Sleep(3 * time.Second)
			b.ResetTimer()
			began = used()
			seconds := 0
			for b.Loop() {
				for range 10 {
					seconds++
					if busy {
						round()
					} else {
						time.Sleep(time.Second)
					}
				}
			}
			b.ReportMetric(100*((used()-began).Seconds()/float64(seconds)-writing.Seconds()), "%-core")
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc+m.StackInuse)/1e6, "MB")
			cancel()
			<-done
		})
	}
}

// used is the processor time of this process.
func used() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// builtin are the built-in rules, which all runs share.
func builtin(b *testing.B) *rule.Set {
	b.Helper()
	return must.Value(rule.New(rule.Shape{}, nil))(b)
}

// A log of OpenFOAM's, parsed with its lines, judged and given to all built-in rules, as Follow does it, on one core:
// a poll reads 256 KiB, all of which come at its time. Goal: 100 MB/s. The metric goes by the processor's time, so
// that others on the machine do not count.
func BenchmarkLogWithRules(b *testing.B) {
	text := log(5000, 0.0004, "1e-4", ends)
	p := fileformat.Find([]byte(text[:fileformat.SniffLength]))
	var lines []tail.Line
	for at, i := 0, 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines = append(lines, tail.Line{Text: []byte(text[at:i])})
			at = i + 1
		}
	}
	set := builtin(b)
	b.SetBytes(int64(len(text)))
	began := used()
	b.ResetTimer()
	for b.Loop() {
		parser := history.NewParser(&history.FileSpec{Run: "r", File: p.File}, "log", history.State{}, time.Now)
		parser.Quote()
		machine, rules := state.New(state.Options{}), rule.NewMonitor(set)
		var now time.Time
		take := func(s *history.Sample) {
			machine.Beat(now)
			machine.Sample("log", parser, s)
			rules.Sample("r", "log", parser, s, now)
		}
		const poll = 256 << 10
		unread := 0
		for _, l := range lines {
			if unread -= len(l.Text); unread < 0 {
				now, unread = time.Now(), poll
			}
			parser.Read(l, take)
		}
		if machine.Judgement().Iteration != 5000 {
			b.Fatal(machine.Judgement())
		}
	}
	b.ReportMetric(float64(len(text)*b.N)/(used()-began).Seconds()/1e6, "MB/core-s")
}

// The memory of a run that is watched for a million iterations: its file's parser, the machine of its state and all
// built-in rules. What all runs of a process share, a run before it has made. Goal: 64 kB.
func BenchmarkMillion(b *testing.B) {
	set := builtin(b)
	watched(b, set, 1000)
	for b.Loop() {
		before := heap()
		kept := watched(b, set, 1_000_000)
		b.ReportMetric(heap()-before, "B/run")
		runtime.KeepAlive(kept)
		runtime.KeepAlive(set)
	}
}

// watched returns what is kept of a run of so many iterations.
func watched(b *testing.B, set *rule.Set, iterations int) []any {
	b.Helper()
	spec := history.FileSpec{Run: "r", File: history.File{Pattern: "history.dat", Format: history.Columns}}
	parser := history.NewParser(&spec, "history.dat", history.State{}, time.Now)
	parser.Quote()
	machine, rules := state.New(state.Options{}), rule.NewMonitor(set)
	take := func(s *history.Sample) {
		now := time.Now()
		machine.Beat(now)
		machine.Sample("history.dat", parser, s)
		rules.Sample("r", "history.dat", parser, s, now)
	}
	line := []byte("# iteration residual W_in W_out PR eff")
	for i := range iterations + 1 {
		parser.Read(tail.Line{Text: line}, take)
		line = strconv.AppendInt(line[:0], int64(i+1), 10)
		line = append(line, ' ')
		line = strconv.AppendFloat(line, 1/float64(i+1), 'e', 6, 64)
		line = append(line, " 67 66 1.6 0.9"...)
	}
	if machine.Judgement().Iteration != float64(iterations) {
		b.Fatal(machine.Judgement())
	}
	return []any{parser, machine, rules}
}

// heap is what is in use.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
