package report

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/enginetest"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/session"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/paper/papertest"
)

// example is a sweep with every kind of row: converged, limited, beyond a map, not converged, not computed. Its numbers
// are made up.
func example() *sweep.Result {
	sw := &config.Sweep{Name: "example",
		Over: []config.Axis{
			{Quantity: config.Quantity{Path: "ambient.mach"}, Values: []float64{0, 0.8}},
			{Quantity: config.Quantity{Path: "performance.Fn", Dim: unit.Force}, Kind: config.OverTarget,
				Values: []float64{40e3, 30e3, 20e3}},
		},
		Collect: []config.Quantity{
			{Path: "performance.TSFC", Dim: unit.TSFC}, {Path: "burner.out.Tt", Dim: unit.Temperature},
		},
		Plots: []config.Plot{{X: "performance.Fn", Y: "performance.TSFC", Lines: "ambient.mach"},
			{Y: "burner.out.Tt"}},
	}
	r := &sweep.Result{Engine: `Engine, "two" words`, Sweep: sw}
	for i, mach := range sw.Over[0].Values {
		for j, fn := range sw.Over[1].Values {
			r.Rows = append(r.Rows,
				sweep.Row{Converged: true, Solver: result.SolveInfo{Iterations: 3, Evaluations: 10, Residual: 1e-12},
					Values: []float64{mach, fn, 2e-5 + 1e-6*float64(i) + 2e-7*float64(j),
						1000 + 100*float64(2-j) + 50*mach}})
		}
	}
	r.Rows[1].Limited = []string{"burner.out.Tt max 1300"}
	r.Rows[2].Extrapolated = []string{"hpc (Nc above)", "fan (Nc above)"}
	r.Rows[4].Converged, r.Rows[4].Message = false, `performance.Fn is off by 0.1 (the target is not met); "no" way on`
	r.Rows[5].Converged, r.Rows[5].Message = false, "not solved"
	r.Rows[5].Values[2], r.Rows[5].Values[3] = math.NaN(), math.NaN()
	return r
}

func written(t *testing.T, fill func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, fill(&b))
	return b.String()
}

// A point on an operating line is hollow on the map that was extrapolated there, and on no other.
func TestExtrapolatedPointsAreHollow(t *testing.T) {
	r := example()
	r.Charts = []string{"hpc", "lpc"}
	r.Rows[2].Points = make([]sweep.OperatingPoint, 2)
	line := operatingLine{rows: []int{2}, values: []string{"30 kN"}}
	for k, hollow := range []bool{true, false} {
		must.Equal(t, hollow, line.points(sweepReport{r}, k)[0].Beyond)
	}
}

// The files for people and programs, to the letter.
func TestSweepFilesAreGolden(t *testing.T) {
	r := example()
	for name, fill := range map[string]func(io.Writer) error{
		"sweep.csv": sweepReport{r}.csv, "sweep.json": sweepReport{r}.json,
		"sweep.txt":          func(w io.Writer) error { return SweepTable(w, r, unit.SI) },
		"sweep-imperial.txt": func(w io.Writer) error { return SweepTable(w, r, unit.Imperial) },
	} {
		golden.Text(t, filepath.Join("testdata", name), written(t, fill))
	}
}

// Parquet holds the same rows, typed, with units in its metadata.
func TestSweepParquetReadsBack(t *testing.T) {
	r := example()
	data := written(t, sweepReport{r}.records().parquet)
	f := must.Value(parquet.OpenFile(strings.NewReader(data), int64(len(data))))(t)
	var names, types []string
	for _, c := range f.Schema().Fields() {
		names, types = append(names, c.Name()), append(types, c.Type().String())
	}
	must.Equal(t, []string{"ambient.mach", "performance.Fn", "performance.TSFC", "burner.out.Tt", "converged",
		"limited_by", "extrapolated", "message"}, names)
	must.Equal(t, []string{"DOUBLE", "DOUBLE", "DOUBLE", "DOUBLE", "BOOLEAN", "STRING", "STRING", "STRING"}, types)
	for key, want := range map[string]string{"unit:performance.TSFC": "kg/(N s)", "unit:ambient.mach": "1",
		"engine": r.Engine, "sweep": "example"} {
		if got, ok := f.Lookup(key); !ok || got != want {
			t.Errorf("metadata %s is %q, want %q", key, got, want)
		}
	}
	type record struct {
		Mach      float64  `parquet:"ambient.mach,optional"`
		TSFC      *float64 `parquet:"performance.TSFC,optional"`
		Converged bool     `parquet:"converged"`
		Limited   string   `parquet:"limited_by"`
		Beyond    string   `parquet:"extrapolated"`
		Message   string   `parquet:"message"`
	}
	records := must.Value(parquet.Read[record](strings.NewReader(data), int64(len(data))))(t)
	var want []record
	for i := range r.Rows {
		row := &r.Rows[i]
		one := record{row.Values[0], &row.Values[2], row.Converged, strings.Join(row.Limited, "; "),
			strings.Join(row.Extrapolated, "; "), row.Message}
		if math.IsNaN(row.Values[2]) {
			one.TSFC = nil
		}
		want = append(want, one)
	}
	must.Equal(t, want, records, cmpopts.EquateEmpty())
}

// writes counts the writes, and fails from one on.
type writes struct{ n, fail int }

func (w *writes) Write(p []byte) (int, error) {
	if w.n++; w.fail > 0 && w.n >= w.fail {
		return 0, context.Canceled
	}
	return len(p), nil
}

// The rows of a sweep, which may be a million, go out one by one, so that an interruption is seen between them.
func TestSweepJSONIsInterrupted(t *testing.T) {
	r := example()
	for len(r.Rows) < 1000 {
		r.Rows = append(r.Rows, r.Rows...)
	}
	all := &writes{}
	if err := SweepJSON(all, r); err != nil || all.n < len(r.Rows) {
		t.Errorf("%d writes of %d rows: %v", all.n, len(r.Rows), err)
	}
	for _, at := range []int{1, 2, len(r.Rows) / 2, all.n} {
		w := &writes{fail: at}
		if err := SweepJSON(w, r); !errors.Is(err, context.Canceled) || w.n != at {
			t.Errorf("stopped at write %d: %v after %d", at, err, w.n)
		}
	}
	r.Rows = nil
	if text := written(t, sweepReport{r}.json); !strings.Contains(text, `"rows": []`) {
		t.Errorf("without rows: %s", text)
	}
}

// A long table ends on a terminal.
func TestSweepTableIsCutShort(t *testing.T) {
	r := example()
	r.Rows = slices.Repeat(r.Rows, 50)
	text := written(t, func(w io.Writer) error { return SweepTable(w, r, unit.SI) })
	if n := strings.Count(text, "\n"); n > 220 || !strings.Contains(text, "and 100 more rows") ||
		!strings.Contains(text, "not converged (50 points): not solved") {
		t.Errorf("%d lines: ...%s", n, text[len(text)-300:])
	}
}

// The folder has every file; the pictures are well formed, show the points, and name the omitted ones.
func TestSweepFolder(t *testing.T) {
	s := openSession(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps))
	dir := filepath.Join(t.TempDir(), "new", "out")
	for _, name := range []string{"throttle", "trade"} {
		must.OK(t, WriteSweepFolder(t.Context(), dir, solved(t, s, name, 2), unit.SI))
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
			checkPicture(t, path)
		}
		return err
	})
	must.OK(t, err)
	want := []string{".peregrine-files.json", "maps/compressor-1.svg", "maps/compressor-2.svg",
		"maps/compressor-3.svg", "maps/turbine-1.svg", "maps/turbine-2.svg", "maps/turbine-3.svg",
		"throttle.csv", "throttle.json", "throttle.parquet", "throttle.png", "throttle.svg", "throttle.txt",
		"trade.csv", "trade.json", "trade.parquet", "trade.png", "trade.svg", "trade.txt"}
	must.Equal(t, want, files)
}

// checkPicture fails if a picture is broken or blank.
func checkPicture(t *testing.T, path string) {
	t.Helper()
	if check := map[string]func(testing.TB, string, []byte){
		".svg": papertest.SVG, ".png": papertest.PNG,
	}[filepath.Ext(path)]; check != nil {
		check(t, path, must.Value(os.ReadFile(path))(t))
	}
}

// Columns of the design are named so where points are not design points themselves.
func TestSweepNamesDesignAxes(t *testing.T) {
	r := solved(t, openSession(t, enginetest.Parse(t, enginetest.Turbojet+enginetest.Sweeps)), "both", 2)
	must.Equal(t, []string{"ambient.mach", "design.compressor.PR", "performance.TSFC", "compressor.PR"},
		sweepReport{r}.names())
}

func openSession(t testing.TB, cfg *config.Engine) *session.Session {
	t.Helper()
	return must.Value(session.Open(context.Background(), cfg))(t)
}

func solved(t testing.TB, s *session.Session, name string, workers int) *sweep.Result {
	t.Helper()
	return must.Value(sweep.Solve(context.Background(), s, s.Engine.Sweep(name), sweep.Options{Workers: workers}))(t)
}
