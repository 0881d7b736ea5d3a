package history_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// From a line that is written to its event: median and 95th of a hundred, ms; with the system's notification and without.
func BenchmarkEvent(b *testing.B) {
	for _, notified := range []bool{true, false} {
		b.Run(fmt.Sprintf("notified %v", notified), func(b *testing.B) {
			dir := b.TempDir()
			var wake *tail.Waker
			if notified {
				wake = tail.NewWaker(clock.Real, func(text string) { b.Log(text) })
				defer func() { _ = wake.Close() }()
			}
			f := must.Value(os.Create(filepath.Join(dir, "history.dat")))(b)
			defer func() { _ = f.Close() }()
			ctx, cancel := context.WithCancel(b.Context())
			done, came := make(chan error, 1), make(chan time.Time, 10)
			spec := history.FileSpec{Folder: dir, File: history.File{Pattern: "history.dat", Format: history.Columns}}
			go func() {
				done <- history.Follow(ctx, spec, nil, nil, clock.Real, wake, func(batch history.Batch) error {
					if len(batch.Events) > 0 {
						came <- time.Now()
					}
					return nil
				})
			}()
			_, _ = f.WriteString("# iteration residual\n1 0.5\n")
			<-came
			var took []float64
			for i := 2; b.Loop(); i++ {
				time.Sleep(time.Duration(50+i*37%100) * time.Millisecond)
				began := time.Now()
				_, _ = fmt.Fprintf(f, "%d 0.5\n", i)
				took = append(took, (<-came).Sub(began).Seconds()*1e3)
			}
			cancel()
			<-done
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms-median")
			b.ReportMetric(took[len(took)*95/100], "ms-p95")
		})
	}
}
