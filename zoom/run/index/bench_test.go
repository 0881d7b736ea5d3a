package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// 100,000 runs of ten studies with thirty values each: what `runs list --where` does, from the opening of the index
// to its rows.
func BenchmarkWhere(b *testing.B) {
	work := b.TempDir()
	from := index.Source{Work: work, Clock: clock.Real, Warn: func(text string) { b.Error(text) },
		Known: solver.Descriptions()}
	x := must.Value(index.Open(b.Context(), from))(b)
	random := rand.New(rand.NewPCG(1, 2))
	long := time.Now().Add(-time.Hour)
	for s := range 10 {
		study := fmt.Sprintf("study-%02d", s)
		folder := filepath.Join(work, study)
		must.OK(b, os.Mkdir(folder, 0o755))
		must.OK(b, os.Chtimes(folder, long, long))
		samples := make([]index.Sample, 10_000)
		for i := range samples {
			samples[i] = sampled(random, fmt.Sprintf("n%06d", i))
		}
		must.OK(b, x.Fill(b.Context(), study, samples))
	}
	x.Close()
	for _, c := range []struct{ name, where string }{
		{"three", `solver == "throughflow" and class == "diverged" and cfl > 5`},
		{"value", `cfl > 9.5 and output.PR > 1.9`},
		{"computed", `class == "diverged" and abs(output.PR - 1.5) * 2 < 0.01`},
	} {
		b.Run(c.name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				x := must.Value(index.Open(b.Context(), from))(b)
				where := must.Value(x.Fields().Condition(c.where))(b)
				fields, err := x.Fields().Choose([]string{"study", "run", "class", "wall", "started", "message"})
				must.OK(b, err)
				rows, err := x.Find(b.Context(), index.Query{Where: where, Fields: fields})
				if err != nil || len(rows) == 0 {
					b.Fatal(len(rows), err)
				}
				found = len(rows)
				x.Close()
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s")
			b.ReportMetric(float64(found), "found")
		})
	}
}

// sampled is a run of random values.
func sampled(random *rand.Rand, name string) index.Sample {
	s := index.Sample{
		Run: name, Solver: "throughflow", Class: "converged", Wall: random.Float64(),
		Inputs:  map[string]float64{"cfl": 10 * random.Float64()},
		Outputs: map[string]float64{"PR": 1 + random.Float64()},
	}
	for i := range 14 {
		s.Inputs[fmt.Sprintf("in%d", i)] = random.Float64()
		s.Outputs[fmt.Sprintf("out%d", i)] = random.Float64()
	}
	if random.IntN(4) == 0 {
		s.Solver = "bladerow"
	}
	if random.IntN(10) == 0 {
		s.Class, s.Message = "diverged", "the residual grew from 1e-3 to 1e+5 within 20 iterations"
	}
	return s
}

// 5,000 run folders of a study: the index made from them, and opened again.
func BenchmarkFolders(b *testing.B) {
	work := b.TempDir()
	const n = 5000
	for i := range n {
		ended(b, work, "study", fmt.Sprintf("n%06d", i), event.Converged, float64(i))
	}
	from, _ := source(work)
	for _, again := range []bool{false, true} {
		b.Run(fmt.Sprintf("again=%t", again), func(b *testing.B) {
			for b.Loop() {
				if !again {
					must.OK(b, os.RemoveAll(filepath.Join(work, index.FileName)))
				}
				must.Value(index.Open(b.Context(), from))(b).Close()
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e5, "s/100,000")
		})
	}
}
