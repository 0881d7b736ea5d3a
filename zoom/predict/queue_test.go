package predict_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

// Blocks wait in the queue, and end: a run begins only in a block that lasts as long as it takes.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const three = "runs: {a: {time: 60 s}, b: {time: 50 s, after: a}, c: {time: 30 s, after: a}}"
	for _, x := range []struct {
		name, cluster string
		end, lent     float64 // s, core s
		binds         string
	}{
		{"one after the other", "nodes: 1\ncores: 1\nblocks: {time: 100 s, queue: 10 s}",
			10 + 60 + 30 + 10 + 10 + 50, 150, "queue"},
		{"two blocks", "nodes: 2\ncores: 1\nblocks: {time: 1000 s, queue: 10 s}", 10 + 60 + 50, 2 * 110, "queue"},
		{"two nodes of a block", "nodes: 2\ncores: 1\nblocks: {nodes: 2, time: 115 s, queue: 100 s}", 100 + 60 + 50,
			2 * 110, "queue"},
		{"nodes of two kinds",
			"nodes: [{number: 1}, {number: 3, cores: 2}]\nblocks: {nodes: 2, time: 70 s, queue: 10 s}",
			10 + 60 + 20 + 50, 7 * (70 + 50), "queue"},
		{"without a queue", "nodes: 1\ncores: 2\nblocks: {time: 1 h}", 110, 220, "dependency"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			f := forecast(t, x.cluster, three)
			must.Near(t, "makespan, s", f.Makespan.P50, x.end, 1e-9)
			must.Near(t, "lent, core s", 3600*f.Lent, x.lent, 1e-9)
			must.Equal(t, x.binds, f.Binds)
		})
	}
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1\nblocks: {time: 40 s}")))(t)
	g := must.Value(predict.ParseGraph("graph.yaml", []byte(three), c))(t)
	_, err := g.Forecast(t.Context(), c, predict.Options{})
	must.Fail(t, err, "a: it takes 60 s, and a block lasts 40 s\nb: it takes 50 s")

	spread := forecast(t, "nodes: 2\nblocks: {time: 1 h, queue: {p10: 1 min, p90: 1 h}}", three)
	if m := spread.Makespan; m.P10 < 110 || m.P10 > 300 || m.P90 < 1000 || m.P90 > 5000 || spread.Binds != "queue" {
		t.Errorf("%+v, limited by %s", m, spread.Binds)
	}
	must.Equal(t, 0, len(spread.Assumptions))
	cut := forecast(t, "nodes: 1\nblocks: {time: 100 s}", "runs: {a: {time: {p10: 80 s, p90: 120 s}}}")
	must.Contain(t, strings.Join(cut.Assumptions, "\n"), "of 50 samples a run would be longer than a block")
	must.Equal(t, 100.0, cut.Makespan.P90)
}

// The wait of blocks among the jobs of a workload: the site's two processors are each taken for 1000 s out of 2000 s.
func TestWorkload(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("; MaxProcs: 2\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d %d -1 1000 2 -1 -1 2 1000 -1 1 1 1 1 1 1 -1 -1\n", i, 2000*i)
	}
	file := filepath.Join(t.TempDir(), "site.swf")
	must.OK(t, os.WriteFile(file, []byte(text.String()), 0o600))
	cluster := "nodes: 2\nblocks: {time: 500 s, queue: {\"file\": '" + file + "', policy: fcfs}}"
	f := forecast(t, cluster, "runs: {a: {time: 100 s}, b: {time: 100 s}}")
	if m := f.Makespan; m.P10 != 100 || m.P50 > 600 || m.P90 < 700 || m.P90 > 1100 {
		t.Errorf("%+v", m)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := predict.ParseCluster(ended, "cluster.yaml", []byte(cluster)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v: the workload is walked after the end", err)
	}
	must.OK(t, os.WriteFile(file, []byte(text.String()+"1 2 3"), 0o600))
	_, err := predict.ParseCluster(t.Context(), "cluster.yaml", []byte(cluster))
	must.Fail(t, err, file+":102:1: 3 fields")
	_, err = predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 3\nblocks: {nodes: 2, time: 1 s}"))
	must.Fail(t, err, "cluster.yaml:2:9: blocks: 3 nodes are no whole number of blocks of 2")
}

// A sweep marks the shapes that no other beats: a second licence saves time, and a third one nothing.
func TestSweep(t *testing.T) {
	t.Parallel()
	const graph = `
runs:
  a: {time: 100 s, licences: {cfd: 1}, cores: 2}
  b: {time: 100 s, licences: {cfd: 1}, cores: 2}
`
	on := func(c *predict.Cluster) (*predict.Graph, error) {
		return predict.ParseGraph("graph.yaml", []byte(graph), c)
	}
	sweep := func(axes ...string) []predict.Shape {
		t.Helper()
		var list []predict.Axis
		for _, a := range axes {
			list = append(list, must.Value(predict.ParseAxis(a))(t))
		}
		quoted := strings.NewReplacer("nodes", `"nodes"`, "cfd", `"cfd"`).Replace(pair)
		return must.Value(predict.Sweep(t.Context(), "cluster.yaml", []byte(quoted), list, on, predict.Options{}))(t)
	}
	var got []string
	for _, s := range sweep("nodes=1,2", "licences.cfd=1,2,3", "cores=1,2") {
		got = append(got, fmt.Sprintf("%s: %.0f s %t %s", strings.Join(s.Values, " "), s.Makespan.P50, s.Best, s.Why))
	}
	const no = "0 s false graph.yaml:3:47: runs.a.cores: it needs 2 cores, and no node has more than 1"
	must.Equal(t, []string{"1 1 1: " + no, "1 1 2: 200 s true ", "1 2 1: " + no, "1 2 2: 200 s false ", "1 3 1: " + no,
		"1 3 2: 200 s false ", "2 1 1: " + no, "2 1 2: 200 s false ", "2 2 1: " + no, "2 2 2: 100 s true ",
		"2 3 1: " + no, "2 3 2: 100 s false "}, got)
	if s := sweep("network.bandwidth=1 MB/s,1 GB/s", "blocks.time=1 h"); !s[0].Best || s[1].Best {
		t.Errorf("%+v: more bandwidth than needed is no better", s)
	}
	for axis, want := range map[string]string{"nodes=two": "with nodes=two: ", "cores.x=1": "cores.x=1",
		"speeds=1": "speed", "nodes=0": "nodes=0"} {
		_, err := predict.Sweep(t.Context(), "cluster.yaml", []byte(pair),
			[]predict.Axis{must.Value(predict.ParseAxis(axis))(t)}, on, predict.Options{})
		must.Fail(t, err, want)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := predict.Sweep(ended, "cluster.yaml", []byte(pair), []predict.Axis{{Key: "nodes",
		Values: []string{"two"}}}, on, predict.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v: clusters are read after the end", err)
	}
	for _, bad := range []string{"", "nodes", "nodes=1,,2", "=2"} {
		if _, err := predict.ParseAxis(bad); err == nil {
			t.Errorf("%q is an axis", bad)
		}
	}
}

// Without a queue in the cluster file blocks wait as earlier ones did.
func TestEarlierBlocks(t *testing.T) {
	t.Parallel()
	of := func(waits ...float64) *predict.Forecast {
		c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1\nblocks: {time: 1 h}")))(t)
		g := must.Value(predict.ParseGraph("graph.yaml", []byte("runs: {a: {time: 10 s}}"), c))(t)
		g.Estimate(predict.History{Waits: waits}, c)
		return must.Value(g.Forecast(t.Context(), c, predict.Options{Samples: 200, Seed: 1}))(t)
	}
	must.Equal(t, 10.0, of().Makespan.P90)
	f := of(50, 100, 200, 0)
	if m := f.Makespan; m.P10 < 40 || m.P10 > 70 || m.P50 < 90 || m.P50 > 130 || m.P90 < 200 || m.P90 > 320 {
		t.Errorf("%+v", m)
	}
	must.Contain(t, strings.Join(f.Assumptions, "\n"), "blocks wait as earlier ones; queue: {p10: 41.1 s, p90: 243 s}")
}

// Runs of several sizes show the time of a start, 5 s, beside 2 us for each cell and iteration. A quarter of them fail.
func TestStarts(t *testing.T) {
	t.Parallel()
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1")))(t)
	g := must.Value(predict.ParseGraph("graph.yaml",
		[]byte("runs: {a: {solver: own, cells: 100, iterations: 1000}, b: {solver: own, cells: 10000000}}"), c))(t)
	var h predict.History
	for i, cells := range []float64{1e6, 2e6, 4e6} {
		h.Attempts = append(h.Attempts, predict.Measured{Job: fmt.Sprint(i), Solver: "own", Class: event.Converged,
			Wall: 5 + 2e-6*cells, Settings: map[string]float64{"cells": cells}})
	}
	h.Attempts = append(h.Attempts, predict.Measured{Job: "4", Solver: "own", Class: event.Hung, Wall: 7})
	g.Estimate(h, c)
	if f := g.Runs[0].Failures; len(f) != 1 || f[0].Class != event.Hung || f[0].Rate != 0.25 {
		t.Errorf("failures %+v", f)
	}
	must.Near(t, "a small run, s", g.Runs[0].Time.Median, 5.2, 1e-9)
	must.Near(t, "a large run, s", g.Runs[1].Time.Median, 25, 1e-9)
}
