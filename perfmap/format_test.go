package perfmap

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s:\n%s", path, d)
	}
}

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
			data, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range Formats() {
				if f.Match(data) != (f.Name == format) {
					t.Errorf("taken for %s: %v", f.Name, f.Match(data))
				}
			}
			m, err := Parse(data, name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := writeNative(&b, m); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".yaml", b.Bytes())

			dos, err := Parse(append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...), name)
			if err != nil {
				t.Fatalf("with the line ends of DOS: %v", err)
			}
			if d := cmp.Diff(m, dos, cmpopts.IgnoreUnexported(Map{})); d != "" {
				t.Errorf("with the line ends of DOS: %s", d)
			}
		})
	}
}

// What each format writes of a fan with two streams and of a turbine.
func TestWrittenFiles(t *testing.T) {
	fan, err := Parse([]byte(goodFile), "fan.map")
	if err != nil {
		t.Fatal(err)
	}
	fan.Tables = append(fan.Tables, Table{Name: "PR_core", V: fan.Tables[1].V}, Table{Name: "eff_core", V: fan.Tables[2].V})
	turbine := readFileOf(t, "npss-turbine.map")
	for _, m := range []*Map{fan, turbine} {
		for _, name := range []string{"npss", "gasturb", "csv"} {
			f, err := FindFormat(name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := f.Write(&b, m); err != nil {
				t.Fatal(err)
			}
			for _, l := range f.Loss(m) {
				b.WriteString("LOST: " + l + "\n")
			}
			golden(t, m.Name+"."+name, b.Bytes())
		}
	}
}

func readFileOf(t *testing.T, name string) *Map {
	t.Helper()
	m, err := Read(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// plain is a map without what NPSS and CSV files do not hold.
func plain(m *Map) *Map {
	p := m.clone()
	p.Origin = nil
	p.Extrap = Extrap{Nc: Chord, X: Hold}
	if p.Interp == Monotone {
		p.Interp = Lagrange3
	}
	p.InterpAlpha = Linear
	if p.Interp == Linear {
		p.InterpAlpha = ""
	}
	return p
}

func TestRoundTripsAreExact(t *testing.T) {
	for _, format := range []Format{npssFormat, csvFormat} {
		t.Run(format.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := plain(randomMap(t))
				m.Name = rapid.StringMatching(`[A-Za-z0-9_.+-]([ -!#-~]*[!#-~])?`).Draw(t, "name")
				if format.Name == "csv" {
					m.Name = oneComment(m.Name)
				}
				got := thereAndBack(t, format, m)
				if d := cmp.Diff(m, got, cmpopts.IgnoreUnexported(Map{}), cmpopts.IgnoreFields(Map{}, "Origin")); d != "" {
					t.Fatal(d)
				}
			})
		})
	}
}

func thereAndBack(t *rapid.T, f Format, m *Map) *Map {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(b.Bytes(), "file.map")
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return got
}

// A map over R-lines comes back from GasTurb's format over beta, the rows the
// other way round, every value as it was, the stall line and the design point too.
func TestGasTurbRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomMap(t)
		m.Alpha, m.Design.Alpha = []float64{0}, 0
		for i := range m.Tables {
			m.Tables[i].V = m.Tables[i].V[:len(m.Nc)*len(m.X)]
		}
		m, err := New(*m)
		if err != nil {
			t.Fatal(err)
		}
		got := thereAndBack(t, gasTurbFormat, m)
		if d := cmp.Diff(m.Nc, got.Nc); d != "" || got.XName != "beta" || got.X[0] != 0 || last(got.X) != 1 {
			t.Fatalf("axes: %s %s %v", d, got.XName, got.X)
		}
		for i, table := range m.Tables {
			for r := range m.Nc {
				want := slices.Clone(m.row(i, 0, r))
				slices.Reverse(want)
				if d := cmp.Diff(want, got.row(got.Index(table.Name), 0, r)); d != "" {
					t.Fatalf("%s: %s", table.Name, d)
				}
			}
		}
		want := m.Design
		want.X = (last(m.X) - want.X) / (last(m.X) - m.X[0])
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
func flatAtStall(m *Map, nc float64) bool {
	a, _ := m.Value("PR", Point{Nc: nc, X: 1})
	b, _ := m.Value("PR", Point{Nc: nc, X: m.StallX(nc)})
	return a.V-b.V <= 1e-6*a.V
}

func TestStreamPicksOneOutletOfAFan(t *testing.T) {
	m, err := MakeCompressor(CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888, Core: &CoreShape{PR: 1.55, Eff: 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ stream, pr, eff string }{{"", "PR", "eff"}, {"core", "PR_core", "eff_core"}} {
		s, err := m.Stream(c.stream)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tables) != 3 || s.Index("Wc") < 0 {
			t.Fatalf("%q: tables %v", c.stream, s.Tables)
		}
		p := Point{Nc: 0.93, X: 1.7}
		for have, want := range map[string]string{"PR": c.pr, "eff": c.eff, "Wc": "Wc"} {
			a, _ := s.Value(have, p)
			if b, _ := m.Value(want, p); a != b {
				t.Errorf("%q: %s %v, want %v", c.stream, have, a, b)
			}
		}
	}
	if _, err := m.Stream("bypass"); err == nil {
		t.Error("no error for a stream that is not there")
	}
}

func TestPlanePicksOneStatorSetting(t *testing.T) {
	m := readFileOf(t, "npss-compressor.map")
	p, err := m.Plane(30)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range m.Tables {
		want, _ := m.Value(table.Name, Point{Alpha: 30, Nc: 0.95, X: 1.2})
		got, _ := p.Value(table.Name, Point{Alpha: 30, Nc: 0.95, X: 1.2})
		if want.DAlpha = 0; got != want {
			t.Errorf("%s: %v, want %v", table.Name, got, want)
		}
	}
	if _, err := m.Plane(15); err == nil || err.Error() != `map "npss-compressor" has no stator setting alpha 15; it has [0, 30]` {
		t.Error(err)
	}
}
