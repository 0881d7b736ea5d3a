package fact_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Ten conditions on 100,000 facts, and CLIPS on the same ones in the same run: comparisons of one field, and joins of
// two facts, with numbers drawn at random, and with a hundred different ones. match-s is from the first Assert to the
// last firing, without reading the file; ratio has both sides' reading, too: CLIPS matches while it reads.
// PEREGRINE_CLIPS names a folder where the facts and the program stay.
func BenchmarkClips(b *testing.B) {
	for _, c := range []struct {
		name     string
		distinct int
		rules    func(*rand.Rand) []ruleSpec
	}{{"one/random", 0, singles}, {"one/distinct", 100, singles}, {"two/random", 0, pairs}, {"two/distinct", 100, pairs}} {
		b.Run(c.name, func(b *testing.B) {
			folder := b.TempDir()
			if kept := os.Getenv("PEREGRINE_CLIPS"); kept != "" {
				folder = filepath.Join(kept, c.name)
				must.OK(b, os.MkdirAll(folder, 0o700))
			}
			r := rand.New(rand.NewPCG(14, 4))
			s := scene{rows: drawRows(r, 100_000, c.distinct, 10), rules: c.rules(r)}
			want, load, fire := s.clips(b, folder)
			var read, run time.Duration
			for b.Loop() {
				oneRead, oneRun := s.memory(b, folder)
				read, run = read+oneRead, run+oneRun
			}
			if got := lines(b, filepath.Join(folder, "mine.txt")); !slices.Equal(got, want) {
				b.Fatalf("%d matches, CLIPS has %d", len(got), len(want))
			}
			readS, runS := read.Seconds()/float64(b.N), run.Seconds()/float64(b.N)
			b.ReportMetric(float64(len(want)), "hits")
			b.ReportMetric(load, "clips-load-s")
			b.ReportMetric(fire, "clips-run-s")
			b.ReportMetric(readS, "read-s")
			b.ReportMetric(runS, "match-s")
			b.ReportMetric((readS+runS)/(load+fire), "ratio")
		})
	}
}
