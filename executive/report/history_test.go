package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// someHistory has an output without a value.
func someHistory() *result.History {
	return &result.History{Columns: []config.Quantity{{Path: "shafts.hp.N", Dim: unit.Speed}, {Path: "hpc.SMN"}},
		T:      []float64{0, 0, 0.1},
		Values: [][]float64{{8000, 8000, 8000.1}, {12.3, math.NaN(), 1e-300}}}
}

// JSON and CSV return a history to the last bit, and no number for an output without a value.
func TestHistoryRoundTrip(t *testing.T) {
	h := someHistory()
	data := must.Value(json.Marshal(h))(t)
	if want := `{"t":[0,0,0.1],"shafts.hp.N":[8000,8000,8000.1],"hpc.SMN":[12.3,null,1e-300]}`; string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
	var b bytes.Buffer
	must.OK(t, historyReport{h}.records("jet", "slam").csv(&b))
	rows := must.Value(csv.NewReader(&b).ReadAll())(t)
	want := [][]string{{"t", "shafts.hp.N", "hpc.SMN"}, {"0", "8000", "12.3"}, {"0", "8000", ""},
		{"0.1", "8000.1", "1e-300"}}
	must.Equal(t, want, rows)
}

// Parquet holds the same numbers, null where an output has no value, and units.
func TestHistoryParquetReadsBack(t *testing.T) {
	h := someHistory()
	data := written(t, historyReport{h}.records("jet", "slam").parquet)
	f := must.Value(parquet.OpenFile(strings.NewReader(data), int64(len(data))))(t)
	for key, want := range map[string]string{"engine": "jet", "case": "slam", "unit:t": "s", "unit:shafts.hp.N": "rpm",
		"unit:hpc.SMN": "1"} {
		if got, ok := f.Lookup(key); !ok || got != want {
			t.Errorf("metadata %s is %q, want %q", key, got, want)
		}
	}
	type record struct {
		T   float64  `parquet:"t,optional"`
		N   float64  `parquet:"shafts.hp.N,optional"`
		SMN *float64 `parquet:"hpc.SMN,optional"`
	}
	got := must.Value(parquet.Read[record](strings.NewReader(data), int64(len(data))))(t)
	want := []record{{0, 8000, &h.Values[1][0]}, {0, 8000, nil}, {0.1, 8000.1, &h.Values[1][2]}}
	must.Equal(t, want, got)
}

// A trajectory has the times of both ends and round times between, none close to another.
func TestTrajectoryNamesTimes(t *testing.T) {
	h := &result.History{Places: map[string][]plot.Mark{}}
	for i := range 122 {
		h.T = append(h.T, float64(i)/10)
		h.Places["hpc"] = append(h.Places["hpc"], plot.Mark{Wc: 50 + float64(i), PR: 10})
	}
	var names []string
	for _, q := range (historyReport{h}).trajectory("hpc") {
		if q.Name != "" {
			names = append(names, q.Name)
		}
	}
	must.Equal(t, []string{"0 s", "2 s", "4 s", "6 s", "8 s", "10 s", "12.1 s"}, names)
	must.Equal(t, "", h.Places["hpc"][0].Name)
}

// A folder has a transient's history as table and pictures, and its trajectory on
// each map; JSON has the history, and when and why it ended early.
func TestTransientFolder(t *testing.T) {
	cfg := enginetest.Edited(t, "turbojet", "drives: [compressor]", "inertia: 30 kg m2, drives: [compressor]",
		"\ncases:\n", `
cases:
  move:
    kind: transient
    duration: 12 s
    rtol: 1e-5
    integrator: dormand-prince
    schedule: {burner.Wf: [[0 s, 0.7 kg/s], [5 s, 0.7 kg/s], [5.1 s, 2.5 kg/s]]}
    plot: [[performance.Fn], [burner.out.Tt, turbine.out.Tt], [spool.N]]
`)
	s := must.Value(session.Open(context.Background(), cfg))(t)
	cases := must.Value(s.Solve(context.Background(), []string{cfg.DesignCase, "move"}, 1))(t)
	r := cases[1]
	res := &result.Results{Engine: cfg.Name, Cases: cases, Warnings: []result.Warning{}, Maps: s.Model.Maps()}
	dir := t.TempDir()
	must.OK(t, WriteFolder(t.Context(), dir, res, unit.Imperial, false))
	table := must.Value(os.ReadFile(filepath.Join(dir, "results.txt")))(t)
	must.Contain(t, string(table), "move: transient, ENDED EARLY: at t = 5.0", "spool.N", "compressor.SMN",
		"lbf", "  12 of 18 points; --out DIR writes all of them\n")
	if n := strings.Count(string(table), "\n"); n > 80 {
		t.Errorf("%d lines are too many for a terminal", n)
	}
	for name, want := range map[string][]string{
		"move.svg":                 {"performance.Fn, lbf", ">turbine.out.Tt<", ">degR<", "spool.N, rpm"},
		"maps/compressor-move.svg": {"stall line", ">0 s<"}, "maps/turbine-move.svg": {"turbine, move"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		must.Contain(t, string(data), want...)
		checkPicture(t, filepath.Join(dir, name))
		checkPicture(t, filepath.Join(dir, strings.TrimSuffix(name, ".svg")+".png"))
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "move.svg")); err != nil ||
		bytes.Contains(svg, []byte("compressor.SMN")) {
		t.Errorf("what is not asked for is drawn (%v)", err)
	}
	if r.History.Column("turbine.out.Tt") == nil || r.History.Column("compressor.SMN") == nil {
		t.Error("the history lacks what is drawn, or what it always has")
	}
	data := must.Value(os.ReadFile(filepath.Join(dir, "results.json")))(t)
	var got struct {
		Cases []struct {
			Kind      string
			Converged bool
			History   map[string][]float64
			Ended     *result.Ended
		}
	}
	must.OK(t, json.Unmarshal(data, &got))
	c := got.Cases[1]
	if c.Kind != "transient" || c.Converged || c.Ended == nil || *c.Ended != *r.Ended ||
		len(c.History["t"]) != len(r.History.T) {
		t.Errorf("%s %v %+v %d points", c.Kind, c.Converged, c.Ended, len(c.History["t"]))
	}
	must.Equal(t, r.History.Column("shafts.spool.N"), c.History["shafts.spool.N"])
	rows := must.Value(os.ReadFile(filepath.Join(dir, "move.csv")))(t)
	last := rows[bytes.LastIndexByte(bytes.TrimSpace(rows), '\n')+1:]
	if at, _, _ := strings.Cut(string(last), ","); at != numeric.Text(r.Ended.T) {
		t.Errorf("the table ends with %s", last)
	}
}

// A terminal shows both ends of a history and no more than it has.
func TestSampled(t *testing.T) {
	for _, n := range []int{0, 1, 2, 11, 12, 13, 500} {
		got := sampled(n)
		if len(got) != min(n, maxHistoryRows) {
			t.Errorf("%d of %d", len(got), n)
		}
		for i := range got {
			if i > 0 && got[i] <= got[i-1] {
				t.Errorf("%v of %d", got, n)
			}
		}
		if n > 0 && (got[0] != 0 || got[len(got)-1] != n-1) {
			t.Errorf("%v of %d", got, n)
		}
	}
}
