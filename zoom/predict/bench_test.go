package predict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// retried is a graph of runs that differ by chance; a tenth of the attempts fail and are repeated.
func retried(b *testing.B, n int, c *Cluster) *Graph {
	b.Helper()
	var text strings.Builder
	text.WriteString("runs:\n")
	for i := range n {
		fmt.Fprintf(&text, "  run%d: {time: {p10: 8 s, p90: 15 s}, failures: "+
			"{hung: {rate: 10 %%, time: 5 s, retries: 2}}}\n", i)
	}
	return must.Value(ParseGraph("graph.yaml", []byte(text.String()), c))(b)
}

// BenchmarkSamples is 1,000 samples of 200 runs with retries on 64 slots. Goal: 0.2 s on two cores.
func BenchmarkSamples(b *testing.B) {
	c := &Cluster{Groups: []Nodes{{Number: 64, Cores: 1, Speed: 1}}}
	g := retried(b, 200, c)
	b.ReportAllocs()
	for b.Loop() {
		must.Value(g.samples(b.Context(), c, 1, 1000, condition{}))(b)
	}
}

// BenchmarkJobs is 100,000 independent runs on 256 nodes. Goal: 0.1 s.
func BenchmarkJobs(b *testing.B) {
	c := &Cluster{Groups: []Nodes{{Number: 256, Cores: 1, Speed: 1}}}
	g := &Graph{}
	for i := range 100_000 {
		g.Runs = append(g.Runs, Run{Name: fmt.Sprint(i), Cores: 1, Time: known(1 + float64(i%97)/97)})
	}
	must.OK(b, g.Check(c))
	b.ReportAllocs()
	for b.Loop() {
		must.Value(g.samples(b.Context(), c, 1, 1, condition{}))(b)
	}
}

// BenchmarkSweep is a sweep of 50 shapes, 200 samples of 200 runs each. Goal: 2 s.
func BenchmarkSweep(b *testing.B) {
	axes := []Axis{must.Value(ParseAxis("nodes=1,2,3,4,6,8,12,16,32,64"))(b),
		must.Value(ParseAxis("cores=1,2,4,8,16"))(b)}
	g := retried(b, 200, nil)
	for b.Loop() {
		must.Value(Sweep(b.Context(), "cluster.yaml", []byte("nodes: 1"), axes,
			func(*Cluster) (*Graph, error) { return g, nil }, Options{Samples: 200}))(b)
	}
}
