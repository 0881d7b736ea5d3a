package predict_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/predict"
)

const pair = "nodes: 2\ncores: 2\nlicences: {cfd: 1}\nnetwork: {model: shared, shape: star, bandwidth: 1 MB/s}\n"

func forecast(t *testing.T, cluster, graph string) *predict.Forecast {
	t.Helper()
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte(cluster)))(t)
	g := must.Value(predict.ParseGraph("graph.yaml", []byte(graph), c))(t)
	g.Estimate(predict.History{}, c)
	return must.Value(g.Forecast(t.Context(), c, predict.Options{Samples: 50, Seed: 1}))(t)
}

// Times of small studies follow from their runs by hand.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, cluster, graph string
		end                  float64
		ends                 map[string]float64
		binds                string
	}{
		{"five runs of 10 s on four cores", "nodes: 2\ncores: 2", `
runs:
  a: {time: 10 s}
  b: {time: 10 s}
  c: {time: 10 s}
  d: {time: 10 s}
  e: {time: 10 s}
`, 20, map[string]float64{"d": 10, "e": 20}, "cores"},
		{"one licence for three runs", pair, `
runs:
  a: {time: 10 s, licences: {cfd: 1}}
  b: {time: 10 s, licences: {cfd: 1}}
  c: {time: 10 s, licences: {cfd: 1}}
`, 30, map[string]float64{"a": 10, "b": 20, "c": 30}, "licence"},
		{"a licence of a solver", "nodes: 1\ncores: 4\nlicences: {mock: 1}", `
runs:
  a: {time: 10 s, solver: mock}
  b: {time: 10 s, solver: mock}
`, 20, nil, "licence"},
		{"no core is held idle for a licence", "nodes: 1\ncores: 2\nlicences: {cfd: 1}", `
runs:
  a: {time: 10 s, licences: {cfd: 1}}
  b: {time: 10 s, licences: {cfd: 1}}
  c: {time: 20 s}
`, 20, map[string]float64{"a": 10, "b": 20, "c": 20}, "dependency"}, // c has the second core from 0 s on
		{"licences in order, and past those that do not fit", "nodes: 1\ncores: 9\nlicences: {cfd: 2, cad: 1}", `
runs:
  a: {time: 10 s, licences: {cfd: 1}}
  b: {time: 10 s, licences: {cfd: 2}}
  c: {time: 10 s, licences: {cad: 1, cfd: 1}}
  d: {time: 10 s, licences: {cad: 1}}
  e: {time: 10 s, licences: {cfd: 2}}
`, 30, map[string]float64{"c": 10, "d": 20, "b": 20, "e": 30}, "licence"}, // d follows c; b, then e have both of cfd
		{"memory for one run", "nodes: 1\ncores: 4\nmemory: 3 GB", `
runs:
  a: {time: 10 s, memory: 2 GB}
  b: {time: 10 s, memory: 2 GB}
`, 20, nil, "memory"},
		{"runs in turn", "nodes: 4", `
runs:
  a: {time: 10 s}
  b: {time: 5 s, after: a}
  engine: {time: 1 s, cores: 0, after: [b]}
  c: {time: 2 s, after: engine, cached: true}
`, 16, map[string]float64{"engine": 16, "c": 16}, "dependency"},
		{"two transfers share a link", pair, `
transfers:
  a: {route: [0, 1], start: 1 s, bytes: 1 MB}
  b: {route: [0, 1], start: 1 s, bytes: 1 MB}
`, 3, map[string]float64{"a": 3, "b": 3}, "link"},
		{"a link has one message at a time", "nodes: 3\nnetwork: {model: exclusive, shape: ring, bandwidth: 1 MB/s}", `
transfers:
  direct: {route: [0, 1], bytes: 1 MB}
  round: {route: [0, 2, 1], bytes: 1 MB}
  after: {route: [0, 1], bytes: 1 MB}
`, 2, map[string]float64{"direct": 1, "round": 2, "after": 2}, "link"},
		{"data to the second node and back", "nodes: 2\nnetwork: {model: fixed, time: 1 s}", `
runs:
  a: {time: 10 s, in: 1 MB, out: 1 MB}
  b: {time: 10 s, in: 1 MB, out: 1 MB}
`, 12, map[string]float64{"a": 10, "b": 12}, "cores"},
		{"nodes of two kinds", "nodes: [{cores: 1}, {cores: 8, speed: 2}]", `
runs:
  a: {time: 10 s, cores: 4}
  b: {time: 10 s, cores: 1}
`, 10, map[string]float64{"a": 5, "b": 10}, "dependency"},
		{"a run that fails always, tried twice", "nodes: 1", `
runs:
  a: {time: 10 s, failures: {hung: {rate: 100 %, time: 30 s, retries: 1}}}
`, 60, nil, "failure"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			f := forecast(t, x.cluster, x.graph)
			for name, end := range x.ends {
				if math.Abs(f.Ends[name]-end) > 1e-9 {
					t.Errorf("%s ends at %v s, want %v", name, f.Ends[name], end)
				}
			}
			if m := f.Makespan; math.Abs(m.P50-x.end) > 1e-9 || m.P10 != m.P50 || m.P90 != m.P50 || f.Binds != x.binds {
				t.Errorf("%+v, limited by %s; want %v, %s", m, f.Binds, x.end, x.binds)
			}
		})
	}
}

// The critical path has only runs that others waited for.
func TestCritical(t *testing.T) {
	t.Parallel()
	f := forecast(t, "nodes: 1\ncores: 2\nlicences: {cfd: 1}", `
runs:
  x: {cached: true}
  a: {time: 10 s, licences: {cfd: 1}}
  b: {time: 10 s, licences: {cfd: 1}}
  y: {cached: true}
  c: {time: 1 s, after: [b, y]}
`)
	must.Equal(t, []string{"a", "b", "c"}, f.Critical)
	if f.Licence != 10 || f.Queue != 0 {
		t.Errorf("%v s for licences, %v s for nodes", f.Licence, f.Queue)
	}
}

// What more of a thing saves is the difference to the forecast with more of it.
func TestSaves(t *testing.T) {
	t.Parallel()
	const graph = `
runs:
  a: {time: {p10: 8 s, p90: 12 s}, licences: {cfd: 1}}
  b: {time: {p10: 8 s, p90: 12 s}, licences: {cfd: 1}}
  c: {time: {p10: 8 s, p90: 12 s}, licences: {cfd: 1}}
`
	f, more := forecast(t, pair, graph), forecast(t, strings.Replace(pair, "cfd: 1", "cfd: 2", 1), graph)
	want := f.Makespan.P50 - more.Makespan.P50
	if got := f.Saves["licence cfd"]; want < 5 || math.Abs(got-want) > 0.1*want || f.Saves["node"] != 0 {
		t.Errorf("saves %v; want %v by a licence", f.Saves, want)
	}
	f = forecast(t, pair, "runs: {a: {time: 1 s, failures: {hung: {rate: 100 %, time: 60 s, retries: 1}}}}")
	if f.Saves["time-out"] != 60 {
		t.Errorf("saves %v; want 60 s by half the time-out", f.Saves)
	}
}

// The same seed gives the same bytes on any number of cores, another seed other samples.
func TestSameBytes(t *testing.T) {
	const graph = `
runs:
  a: {time: {p10: 8 s, p90: 12 s}}
  b: {time: {p10: 8 s, p90: 12 s}, after: a, failures: {killed: {rate: 20 %, time: 3 s}}}
  c: {solver: bladerow}
`
	text := func() string { return string(must.Value(json.Marshal(forecast(t, pair, graph)))(t)) }
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := text()
	runtime.GOMAXPROCS(4)
	if four := text(); one != four {
		t.Errorf("%s\n%s", one, four)
	}
}

// Every fault of a graph and of a cluster is reported, with its place.
func TestFaults(t *testing.T) {
	t.Parallel()
	const graph = `runs:
  a: {time: 10 s, cores: 20, after: c}
  b: {time: 5 s, after: [a, zz], licences: {cfd: 4}}
  c: {time: 5 s, after: [a]}
  d: {time: 5 s, failures: {hung: {rate: 60 %, time: 1 s}, killed: {rate: 60 %, time: 1 s}}}
`
	const transfers = `transfers:
  t: {route: [0, 9], bytes: 1 MB}
  u: {route: [0, 0], bytes: 1 MB}
  v: {route: [0], bytes: 1 MB}
  w: {route: [0, x], bytes: -1 MB}
`
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte(pair)))(t)
	_, err := predict.ParseGraph("graph.yaml", []byte(graph+transfers), c)
	list := new(document.Errors)
	if !errors.As(err, &list) {
		t.Fatal(err)
	}
	for _, want := range []string{
		"graph.yaml:2:26: runs.a.cores: it needs 20 cores, and no node has more than 2",
		"runs.a.after: it waits for itself: a waits for c waits for a",
		`graph.yaml:3:25: runs.b.after: "zz": no run or transfer has this name`,
		"runs.b.licences: it needs 4 of licence cfd, and the cluster has 1",
		"graph.yaml:7:14: transfers.t.route: no node 9; nodes are 0 to 2",
		"node 0 is there twice in turn", "a route of 1 nodes", "the rates add up to more than 100 %",
		`graph.yaml:10:18: transfers.w.route[2]: "x"`, "graph.yaml:10:29: transfers.w.bytes",
	} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	const misspelt = "transfer: {t: {route: [0, 1], bytes: 1 B}}\nruns: {a: {time: 1 s, after: t, cores: 20}}"
	_, err = predict.ParseGraph("graph.yaml", []byte(misspelt), c)
	if !errors.As(err, &list) || len(list.Problems) != 2 || !strings.Contains(err.Error(), "did you mean transfers") ||
		!strings.Contains(err.Error(), "runs.a.cores") {
		t.Errorf("%v; want the key and the cores alone", err)
	}
	for _, bad := range []string{"", "runs: {}", "transfers: {}", graph,
		"runs: {a: {time: {p10: 2 s, p90: 1 s}}}",
		"runs: {a: {time: -1 s}}", "runs: {a: {cores: 1.5}}", "runs: {a: {failures: {tired: {rate: 1, time: 1 s}}}}"} {
		if _, err := predict.ParseGraph("graph.yaml", []byte(bad), c); !errors.As(err, &list) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, bad := range []string{"", "cores: 2", "nodes: 0", "nodes: []", "nodes: [{number: 2}]\ncores: 2",
		"nodes: 1e9",
		"nodes: 3\nnetwork: {model: shared, shape: mesh, rows: 2, columns: 2, bandwidth: 1 MB/s}",
		"nodes: 3\nlicences: {cfd: 0}", "nodes: 2\nmemory: 1 m", "nodes: 2\nnetwork: {model: shared}"} {
		if _, err := predict.ParseCluster(t.Context(), "cluster.yaml", []byte(bad)); !errors.As(err, &list) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzParseGraph reads any text without a panic, and what it accepts can be forecast.
func FuzzParseGraph(f *testing.F) {
	f.Add("runs: {a: {time: 10 s}, b: {after: a}}")
	f.Add("transfers: {t: {route: [0, 1], bytes: 1 MB}}")
	c, err := predict.ParseCluster(f.Context(), "cluster.yaml", []byte(pair))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := predict.ParseGraph("graph.yaml", []byte(text), c)
		if err != nil || len(g.Runs) > 100 || len(g.Transfers) > 100 {
			return
		}
		g.Estimate(predict.History{}, c)
		if _, err := g.Forecast(t.Context(), c, predict.Options{Samples: 2}); err != nil {
			t.Error(err)
		}
	})
}

// A file is known as a graph by its keys, however large or damaged the rest of it is.
func TestIsGraph(t *testing.T) {
	many := "name: many\nruns:\n" + strings.Repeat("  run: {time: 1 s, cores: 1, after: [a, b, c]}\n", 200_000)
	for text, want := range map[string]bool{
		many: true, "runs: [\n": true, "{runs: {}}": true, `{"transfers": {}}`: true,
		"engine: one\nzoom:\n  fan:\n    runs: 12\n": false, "engine: one\n# runs: 3\n": false, "": false,
	} {
		if got := predict.IsGraph([]byte(text)); got != want {
			t.Errorf("%.40q: %t", text, got)
		}
	}
}

// A graph may have more runs than other files have keys, in lines of their own or in blocks.
func TestManyRuns(t *testing.T) {
	t.Parallel()
	const n = 12_000
	var text strings.Builder
	text.WriteString("runs:\n")
	for i := range n {
		fmt.Fprintf(&text, "  run%d:\n    time: 1 s # each\n", i)
	}
	text.WriteString("  last: {time: 1 s,\n    after: [run1]}\nstudy: many\n")
	g := must.Value(predict.ParseGraph("graph.yaml", []byte(text.String()), nil))(t)
	if g.Name != "many" || len(g.Runs) != n+1 || g.Runs[n].After[0] != "run1" || g.Runs[7].Time.Median != 1 {
		t.Errorf("%s: %d runs, the last %+v", g.Name, len(g.Runs), g.Runs[n])
	}
	for text, want := range map[string]string{
		"runs:\n  a:\n    time: 1 s\n   b: {time: 2 s}\n":       "graph.yaml:4:",
		"runs:\n  a:\n    time: 1 m\n":                          "graph.yaml:3:11: runs.a.time",
		"runs:\n  a:\n    time: 1 s\n  a: {}\n":                 "graph.yaml:4:3: runs",
		"runs:\n  a: {time: 1 s\n  b: {time: 1 s}\n":            "graph.yaml:3:",
		"runs:\n  a: {after: b}\n  b:\n    after:\n      - a\n": "waits for itself",
	} {
		if _, err := predict.ParseGraph("graph.yaml", []byte(text), nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// A run that only some studies need takes part in as many samples, and a later one only in samples with those before.
func TestShare(t *testing.T) {
	t.Parallel()
	c := must.Value(predict.ParseCluster(t.Context(), "cluster.yaml", []byte("nodes: 1")))(t)
	g := must.Value(predict.ParseGraph("graph.yaml", []byte(`
runs:
  a: {time: 10 s}
  b: {time: 10 s, after: a}
  c: {time: 10 s, after: b}
`), c))(t)
	g.Runs[1].Share, g.Runs[2].Share = 0.7, 0.3
	f := must.Value(g.Forecast(t.Context(), c, predict.Options{Samples: 1000, Seed: 1}))(t)
	must.Equal(t, predict.Quantiles{P10: 10, P50: 20, P90: 30}, f.Makespan)
	must.Equal(t, predict.Quantiles{P10: 10. / 3600, P50: 20. / 3600, P90: 30. / 3600}, f.Spread["core_hours"])
}
