package format

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

func TestWriteReadIsExact(t *testing.T) {
	dir := t.TempDir()
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		m.InterpAlpha = rapid.SampledFrom([]perfmap.Interp{"", perfmap.Linear, perfmap.Lagrange2,
			perfmap.Lagrange3}).Draw(t, "interp alpha")
		way := rapid.SampledFrom([]perfmap.Continuation{"", perfmap.Smooth, perfmap.Chord, perfmap.Hold})
		m.Extrap = perfmap.Extrap{
			Alpha: rapid.SampledFrom([]perfmap.Continuation{"", perfmap.Chord, perfmap.Hold}).Draw(t, "alpha's"),
			Nc:    way.Draw(t, "Nc's"), X: way.Draw(t, "X's"),
		}
		if rapid.Bool().Draw(t, "a stall line") {
			m.Stall, m.StallLine = nil, make([]float64, len(m.Nc))
			for i := range m.StallLine {
				m.StallLine[i] = perfmaptest.In(t, "stall", m.X)
			}
		}
		m.Name = rapid.String().Draw(t, "name")
		m.Origin = &perfmap.Origin{
			Method: "lines", Notes: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "notes"),
			Source:     rapid.StringMatching(`[ -~]*`).Draw(t, "source"),
			Parameters: map[string]float64{"PR": rapid.Float64().Draw(t, "parameter")},
			Versions:   map[string]string{"solver": rapid.StringMatching(`[ -~]*`).Draw(t, "version")},
			Points:     []perfmap.OriginPoint{{Nc: 1, X: 2, Run: "run: 1", Error: 1e-17, Answer: "0af"}},
		}
		path := filepath.Join(dir, "m.map")
		must.OK(t, Write(path, m))
		got, err := Read(path)
		if err != nil {
			text, _ := os.ReadFile(path)
			t.Fatalf("%v\n%s", err, text)
		}
		must.Equal(t, m, got, cmpopts.IgnoreUnexported(perfmap.Map{}), cmpopts.EquateEmpty())
	})
	left, err := filepath.Glob(filepath.Join(dir, atomic.Prefix+"*"))
	if err != nil || len(left) > 0 {
		t.Fatalf("left behind: %v, %v", left, err)
	}
}

const goodFile = `peregrine-map: 1
name: fan
kind: compressor
alpha: [0]
Nc: [0.9, 1]
axis: {name: Rline, values: [1, 2, 3]}
design: {alpha: 0, Nc: 1, X: 2}
stall: 1
tables:
  - name: Wc
    rows:
      - {Nc: 0.9, V: [80, 90, 92]}
      - {Nc: 1, V: [92, 100, 101]}
  - name: PR
    rows:
      - {Nc: 0.9, V: [1.55, 1.5, 1.4]}
      - {Nc: 1, V: [1.7, 1.65, 1.5]}
  - name: eff
    rows:
      - {Nc: 0.9, V: [0.84, 0.9, 0.8]}
      - {Nc: 1, V: [0.83, 0.89, 0.79]}
`

// Two speed lines of goodFile, and the same with the second across the first.
const (
	twoLines = `[92, 100, 101]}
  - name: PR
    rows:
      - {Nc: 0.9, V: [1.55, 1.5, 1.4]}
      - {Nc: 1, V: [1.7, 1.65, 1.5]}`
	crossed = `[85, 95, 101]}
  - name: PR
    rows:
      - {Nc: 0.9, V: [1.55, 1.5, 1.4]}
      - {Nc: 1, V: [1.3, 1.5, 1.45]}`
)

func TestReadSaysWhereAFileIsWrong(t *testing.T) {
	must.Value(Parse([]byte(goodFile), "good.map"))(t)
	for _, c := range []struct{ name, old, new, want string }{
		{
			"NaN", "[92, 100, 101]", "[92, .nan, 101]",
			`bad.map:13:9: map "fan": Wc, row 2 (Nc 1), value 2: NaN is not a finite number`,
		},
		{
			"infinite", "[92, 100, 101]", "[92, .inf, 101]",
			`bad.map:13:9: map "fan": Wc, row 2 (Nc 1), value 2: +Inf is not a finite number`,
		},
		{
			"unsorted speeds", "Nc: [0.9, 1]", "Nc: [1, 0.9]",
			`bad.map:12:9: table Wc: row 1 is of Nc 0.9 where Nc 1 is due`,
		},
		{
			"unsorted axis", "values: [1, 2, 3]", "values: [1, 3, 2]",
			`bad.map:6:7: map "fan": Rline, value 3: 2 after 3: the axis must rise`,
		},
		{
			"crossing lines", twoLines, crossed,
			`bad.map:13:9: map "fan": Wc and PR, row 2 (Nc 1): the speed line crosses that of Nc 0.9 (between Rline 2 and 3 there, 1 and 2 here, near Wc 85, PR 1.3)`,
		},
		{"short row", "[92, 100, 101]", "[92, 100]", `bad.map:13:9: table Wc: row 2 (Nc 1) has 2 values, needs 3`},
		{
			"missing row", "      - {Nc: 1, V: [92, 100, 101]}\n", "",
			`bad.map:10:5: table Wc: 1 rows, needs 2 (1 alpha x 2 Nc)`,
		},
		{
			"negative flow", "[80, 90, 92]", "[-80, 90, 92]",
			`bad.map:12:9: map "fan": Wc, row 1 (Nc 0.9), value 1: -80 must be above 0`,
		},
		{"misspelt key", "stall: 1", "stal: 1", `bad.map:8:1: unknown field "stal"`},
		{"misspelt key in a row", "{Nc: 1, V: [92, 100, 101]}", "{Nc: 1, W: [92, 100, 101]}",
			`bad.map:13:17: unknown field "W"`},
		{
			"missing table", "  - name: eff\n", "  - name: efficiency\n",
			`bad.map: map "fan": a compressor map needs the table eff`,
		},
		{
			"design outside", "Nc: 1, X: 2}", "Nc: 1.2, X: 2}",
			`bad.map:7:9: map "fan": the design point (alpha 0, Nc 1.2, Rline 2) is not on the map (alpha 0 to 0, Nc 0.9 to 1, Rline 1 to 3)`,
		},
		{
			"text for a number", "[80, 90, 92]", "[80, ninety, 92]",
			`bad.map:12:27: "ninety" is not allowed here; expected a number`,
		},
		{
			"key twice", "stall: 1\n", "stall: 1\nstall: 1\n",
			`bad.map:9:1: mapping key "stall" already defined at [8:1]`,
		},
		{
			"tag without a value", "alpha: [0]", "alpha: !0",
			`bad.map:4:8: tags (!) are not allowed; quote the value if it is a text`,
		},
		{"brackets", "alpha: [0]", "alpha: " + strings.Repeat("[", 120_000), `bad.map:4:40: nested too deep`},
		{
			"aliases", "alpha: [0]", "alpha: [&a [0], *a, *a]",
			`bad.map:4:9: anchors (&) are not allowed; quote the value if it is a text`,
		},
		{"many numbers", "alpha: [0]", "alpha: [" + strings.Repeat("0,", 600_000) + "0]",
			`bad.map:1:1: 600099 words and signs; a map may have 500000`},
		{
			"version", "peregrine-map: 1", "peregrine-map: 2",
			`bad.map:1:1: peregrine-map: 2: this program reads version 1`,
		},
		{
			"other format", "peregrine-map: 1", "Table WcMap",
			`bad.map:1:1: this is no map file of a known format (Peregrine YAML, JSON, NPSS .map, GasTurb or GSP text, CSV)`,
		},
		{
			"far too long", "stall: 1", "# " + strings.Repeat("x", maxFile+1<<20),
			`bad.map: the file has 17 MB; a map has at most 16`,
		},
		{"empty", goodFile, " \n", `bad.map: the file is empty`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(goodFile, c.old, c.new, 1)
			if text == goodFile {
				t.Fatal("the case changes nothing")
			}
			_, err := Parse([]byte(text), "bad.map")
			must.Equal(t, c.want, fmt.Sprint(err))
		})
	}
}

// Whatever a file holds, it is read or refused, and what is read can be written and read again.
func FuzzParse(f *testing.F) {
	f.Add(goodFile)
	for _, s := range []string{"peregrine-map: 1", "peregrine-map: 1\ntables:\n  -\n",
		strings.Replace(goodFile, "[92, 100, 101]", "", 1),
		strings.Replace(goodFile, "- {Nc: 1, V: [92, 100, 101]}", "-", 1),
		strings.ReplaceAll(goodFile, "V: [", "V: &a ["), "peregrine-map: {"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		var m *perfmap.Map
		var err error
		intaketest.Bounded(t, len(text), func() { m, err = Parse([]byte(text), "fuzz.map") })
		if err != nil {
			return
		}
		path := filepath.Join(dir, "again.map")
		must.OK(t, Write(path, m))
		must.Value(Read(path))(t)
	})
}
