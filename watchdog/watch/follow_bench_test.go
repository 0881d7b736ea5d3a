//go:build unix

package watch

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	across "github.com/peregrine-sim/peregrine/watchdog/rule/study"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Following a thousand files, of as many runs, by all built-in rules: what it takes of a core, and of memory, while each grows by ten lines a
// second, and at rest. Each iteration is ten seconds. The time to write the lines is measured beforehand and taken off.
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
			all := must.Value(across.New(nil, nil))(b)
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
