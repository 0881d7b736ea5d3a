package format

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/golden"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// foreign are the files of testdata with their formats.
var foreign = map[string]string{
	"npss-compressor.map": "npss", "npss-turbine.map": "npss", "npss-beta.map": "npss",
	"gasturb-compressor.map": "gasturb", "gasturb-turbine.map": "gasturb", "gasturb-turbine-limits.map": "gasturb",
	"points.csv": "csv", "spreadsheet.csv": "csv", "pycycle.json": "json", "rows.json": "json",
}

// Each file is recognised by its content, also with the line ends of DOS and a
// byte order mark, and reads as its golden file, notes included.
func TestForeignFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) != len(foreign) {
		t.Fatalf("%d files in testdata, %d in the list (%v)", len(files), len(foreign), err)
	}
	for name, format := range foreign {
		t.Run(name, func(t *testing.T) {
			data := must.Value(os.ReadFile(filepath.Join("testdata", name)))(t)
			for _, f := range All() {
				if f.Match(data) != (f.Name() == format) {
					t.Errorf("taken for %s: %v", f.Name(), f.Match(data))
				}
			}
			m := must.Value(Parse(data, name))(t)
			var b bytes.Buffer
			must.OK(t, native{}.Write(&b, m))
			golden.Text(t, "testdata/golden/"+name+".yaml", b.String())

			dos, err := Parse(append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...), name)
			if err != nil {
				t.Fatalf("with the line ends of DOS: %v", err)
			}
			must.Equal(t, m, dos, cmpopts.IgnoreUnexported(perfmap.Map{}))
		})
	}
}

// What each format writes of a fan with two streams and of a turbine.
func TestWrittenFiles(t *testing.T) {
	fan := must.Value(Parse([]byte(goodFile), "fan.map"))(t)
	fan.Tables = append(fan.Tables, perfmap.Table{Name: "PR_core", V: fan.Tables[1].V},
		perfmap.Table{Name: "eff_core", V: fan.Tables[2].V})
	turbine := must.Value(Read("testdata/npss-turbine.map"))(t)
	for _, m := range []*perfmap.Map{fan, turbine} {
		for _, name := range []string{"npss", "gasturb", "csv"} {
			f := must.Value(FindWriter(name))(t)
			var b bytes.Buffer
			must.OK(t, f.Write(&b, m))
			for _, l := range f.Loss(m) {
				b.WriteString("LOST: " + l + "\n")
			}
			golden.Text(t, "testdata/golden/"+m.Name+"."+name, b.String())
		}
	}
}

// plain is a map without what NPSS and CSV files do not hold.
func plain(m *perfmap.Map) *perfmap.Map {
	p := *m
	p.Origin = nil
	p.Extrap = perfmap.Extrap{Nc: perfmap.Chord, X: perfmap.Hold}
	if p.Interp == perfmap.Monotone {
		p.Interp = perfmap.Lagrange3
	}
	p.InterpAlpha = perfmap.Linear
	if p.Interp == perfmap.Linear {
		p.InterpAlpha = ""
	}
	return &p
}

func TestRoundTripsAreExact(t *testing.T) {
	for _, format := range []Writer{npss{}, csv{}} {
		t.Run(format.Name(), func(t *testing.T) {
			testenv.Check(t, func(t *rapid.T) {
				m := plain(perfmaptest.Random(t))
				m.Name = rapid.StringMatching(`[A-Za-z0-9_.+-]([ -!#-~]*[!#-~])?`).Draw(t, "name")
				if format.Name() == "csv" {
					m.Name = oneComment(m.Name)
				}
				got := thereAndBack(t, format, m)
				must.Equal(t, m, got, cmpopts.IgnoreUnexported(perfmap.Map{}),
					cmpopts.IgnoreFields(perfmap.Map{}, "Origin"))
			})
		})
	}
}

func thereAndBack(t *rapid.T, f Writer, m *perfmap.Map) *perfmap.Map {
	t.Helper()
	var b bytes.Buffer
	must.OK(t, f.Write(&b, m))
	got, err := Parse(b.Bytes(), "file.map")
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return got
}

// A map over R-lines comes back from GasTurb's format over beta, the rows the
// other way round, every value as it was, the stall line and the design point too.
func TestGasTurbRoundTrip(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		m.Alpha, m.Design.Alpha = []float64{0}, 0
		for i := range m.Tables {
			m.Tables[i].V = m.Tables[i].V[:len(m.Nc)*len(m.X)]
		}
		m = must.Value(perfmap.New(*m))(t)
		got := thereAndBack(t, gasTurb{}, m)
		if d := cmp.Diff(m.Nc, got.Nc); d != "" || got.XName != "beta" || got.X[0] != 0 || numeric.Last(got.X) != 1 {
			t.Fatalf("axes: %s %s %v", d, got.XName, got.X)
		}
		for i, table := range m.Tables {
			for r := range m.Nc {
				want := slices.Clone(m.Row(i, 0, r))
				slices.Reverse(want)
				if d := cmp.Diff(want, got.Row(got.Index(table.Name), 0, r)); d != "" {
					t.Fatalf("%s: %s", table.Name, d)
				}
			}
		}
		want := m.Design
		want.X = (numeric.Last(m.X) - want.X) / (numeric.Last(m.X) - m.X[0])
		if got.Design != want || !got.HasStall() {
			t.Fatalf("design %v, want %v; stall line: %v", got.Design, want, got.HasStall())
		}
		for _, nc := range m.Nc { // PR falls and Wc rises along random rows: beta 1 is the stall line
			if x := got.StallX(nc); x < 1-1e-6 && !flatAtStall(got, nc) {
				t.Fatalf("stall at beta %g of Nc %g, want 1", x, nc)
			}
		}
	})
}

// flatAtStall says whether a speed line's last points are one: then it has
// stalled at any of them.
func flatAtStall(m *perfmap.Map, nc float64) bool {
	a, _ := m.Value("PR", perfmap.Point{Nc: nc, X: 1})
	b, _ := m.Value("PR", perfmap.Point{Nc: nc, X: m.StallX(nc)})
	return a.V-b.V <= 1e-6*a.V
}
