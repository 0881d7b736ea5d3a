package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func ExampleParse() {
	const text = `engine: Ramjet
components:
  ambient: {type: ambient, altitude: 60000 ft, mach: 2.5}
  inlet:   {type: inlet, ram_recovery: 80 %}
  burner:  {type: burner, dPqP: 5 %}
  nozzle:  {type: nozzle}
flow:
  - ambient -> inlet -> burner -> nozzle
`
	e, err := config.Parse("ramjet.yaml", []byte(text), catalogue(), []string{"burner.dPqP=6 %"})
	fmt.Println(e.Component("ambient").Values.Num("altitude"), e.Component("burner").Values.Num("dPqP"), err)

	wrong := strings.Replace(text, "dPqP: 5 %", "dPqp: 5 K", 1)
	_, err = config.Parse("ramjet.yaml", []byte(wrong), catalogue(), nil)
	fmt.Println(err)
	// Output:
	// 18288 0.06 <nil>
	// ramjet.yaml:5:27: components.burner: "dPqp": unknown key of a burner, did you mean dPqP?
	//       burner:  {type: burner, dPqp: 5 K}
	//                               ^
	// ramjet.yaml:5:33: components.burner.dPqP: "5 K": a temperature, want a number without unit such as 0.03 or 3 %
	//       burner:  {type: burner, dPqp: 5 K}
	//                                     ^
}

func load(t *testing.T, sets ...string) *config.Engine {
	t.Helper()
	return must.Value(config.Load("testdata/turbojet.yaml", catalogue(), sets))(t)
}

func TestLoadReadsEverySection(t *testing.T) {
	e := load(t)
	lhv := 43.1e6
	force := must.Value(unit.Parse("11800 lbf", unit.Force))(t)
	least, most := 10.0, 1000*0.45359237
	hottest, margin := 1400.0, 12.0
	thousand := force / 11.8
	n := func(v, line, column int) config.Value {
		return config.Value{Num: float64(v), Set: true, Pos: document.Pos{Line: line, Column: column}}
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"name", e.Name, "Simple turbojet"},
		{"design case", e.DesignCase, "sea_level"},
		{
			"gas", e.Gas,
			config.Gas{
				Model: "equilibrium",
				Fuel:  config.Fuel{Name: "Jet-A", LHV: &lhv, Pos: document.Pos{Line: 4, Column: 33}},
				Pos:   document.Pos{Line: 4, Column: 6},
			},
		},
		{"links", fmt.Sprint(e.Links[0].From, e.Links[4].To, len(e.Links)), "ambient.out nozzle.in 5"},
		{"stations", e.Component("compressor").Stations, map[string]string{"out": "3"}},
		{"flag", e.Component("nozzle").Values["vented"].Flag, true},
		{"word", e.Component("nozzle").Values["kind"].Text, "convergent-divergent"},
		{"default", e.Component("burner").Values["FAR"], config.Value{Num: 0.02}},
		{"no default", e.Component("turbine").Values.Has("map"), false},
		{"bleeds", []string{e.Bleeds[0].Name, e.Bleeds[0].To, e.Bleeds[1].Name, e.Bleeds[1].To},
			[]string{"compressor-turbine", "turbine", "cabin", ""}},
		{
			"shaft", *e.Shaft("spool"),
			config.ShaftEntry{Name: "spool", Drives: []config.Endpoint{{Component: "compressor", Port: "shaft"}},
				DrivenBy: []config.Endpoint{{Component: "turbine", Port: "shaft"}},
				Values:   config.Values{"N": n(8070, 23, 14), "inertia": n(100, 23, 33)},
				Pos:      document.Pos{Line: 23, Column: 3}}},
		{
			"design", e.Design[0], config.Balance{Vary: "ambient.W", Until: "performance.Fn", Target: force,
				Unit: "lbf", Min: &least, Max: &most, Pos: document.Pos{Line: 26, Column: 5}},
		},
		{"quoted until", fmt.Sprintln(e.Design[1].Until, e.Design[1].Target), "burner.out.Tt 1316.6666666666667\n"},
		{"cases", []string{e.Cases[0].Name, e.Cases[1].Name, e.Cases[1].From, e.Cases[1].Kind},
			[]string{"takeoff", "cruise", "takeoff", "offdesign"}},
		{"set", e.Case("cruise").Set[1].Value.Num, 1524.0},
		{"design point", e.Design[2].At, "cruise"},
		{
			"limits", e.Limits,
			[]config.Limit{
				{Path: "burner.out.Tt", Dim: unit.Temperature, Max: &hottest, Pos: document.Pos{Line: 40, Column: 5}},
			},
		},
		{
			"case limits", e.Case("cruise").Limits,
			[]config.Limit{
				{Path: "compressor.SMN", Dim: unit.None, Min: &margin, Vary: "burner.FAR",
					Pos: document.Pos{Line: 37, Column: 14}},
			},
		},
		{"sweep", *e.Sweep("throttle"), config.Sweep{Name: "throttle", From: "cruise", Over: []config.Axis{
			{Quantity: config.Quantity{Path: "ambient.mach"}, Values: []float64{0, 0.3},
				Pos: document.Pos{Line: 46, Column: 7}},
			{Quantity: config.Quantity{Path: "performance.Fn", Dim: unit.Force}, Kind: config.OverTarget,
				Values: []float64{8 * thousand, 6 * thousand, 4 * thousand}, Pos: document.Pos{Line: 47, Column: 7}},
		}, Collect: []config.Quantity{{Path: "performance.TSFC", Dim: unit.TSFC}, {Path: "compressor.SMN"}},
			Plots: []config.Plot{
				{
					X: "performance.Fn", Y: "performance.TSFC", Lines: "ambient.mach",
					Pos: document.Pos{Line: 49, Column: 11},
				},
			}, Pos: document.Pos{Line: 43, Column: 3}}},
		{
			"trade study", fmt.Sprintln(e.Sweep("trade").Over[0].Kind, e.Sweep("trade").Over[1].Kind,
				e.Sweep("trade").Plots[0].X == ""), fmt.Sprintln(config.OverParameter, config.OverDesign, true),
		},
		{
			"zoom", fmt.Sprintln(e.Zoom("compressor").Speeds, e.Zoom("compressor").Runs, e.Zoom("compressor").Method,
				e.Zoom("compressor").Settings["scheme"].Text), "[0.8 1] 8 map roe\n",
		},
		{
			"limits of runs", fmt.Sprintln(e.Zoom("compressor").Memory, e.Zoom("compressor").Cores,
				e.Zoom("compressor").Time), "2000000000 1.5 7200\n",
		},
		{"rules", e.Rules[0].Severity + ": " + e.Rules[0].When, "warning: compressor.SMN < 12"},
		{"path", e.Path("maps/axial.map"), filepath.Join("testdata", "maps", "axial.map")},
	} {
		if d := cmp.Diff(c.want, c.got, cmpopts.EquateApprox(1e-14, 0)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, d)
		}
	}
	if e.Component("x") != nil || e.Shaft("x") != nil || e.Case("x") != nil || e.Sweep("x") != nil ||
		e.Zoom("x") != nil {
		t.Error("found something that is not there")
	}
}

func TestSetOverridesTheFile(t *testing.T) {
	e := load(t, "burner.FAR=0.03", " spool.inertia = 2 slug ft2", "nozzle.vented=false", "cabin.W=2%",
		"components.burner.FAR=0.04", "shafts.spool.N=9000")
	if v := e.Component("burner").Values["FAR"]; v.Num != 0.04 || !v.Set {
		t.Errorf("FAR is %+v", v)
	}
	if v := e.Shaft("spool").Values.Num("inertia"); v < 2.7 || v > 2.72 {
		t.Errorf("inertia is %v", v)
	}
	if v := e.Shaft("spool").Values.Num("N"); v != 9000 {
		t.Errorf("N is %v", v)
	}
	if e.Component("nozzle").Values["vented"].Flag || e.Bleeds[1].Values.Num("W") != 0.02 {
		t.Error("flag or bleed was not set")
	}
}

func TestSetProblemsNameTheOption(t *testing.T) {
	_, err := config.Load("testdata/turbojet.yaml", catalogue(),
		[]string{"burner.FRA=0.03", "burner.FAR=3 K", "FAR=0.02", "burner.FAR", "ambient.W=-1", "burner.out.Tt=1500 K"})
	want := `--set: "burner.FRA": unknown parameter of a burner, did you mean FAR?
--set: burner.FAR: "3 K": a temperature, want a number without unit such as 0.03 or 3 %
--set: "FAR": unknown component or shaft, want ambient, burner, cabin, compressor, compressor-turbine, inlet, nozzle, spool or turbine
--set: "burner.FAR": want path=value such as burner.FAR=0.02
--set: ambient.W: "-1": negative, want at least 0 kg/s
--set: "burner.out.Tt": unknown parameter of a burner, want dPqP, FAR or eff`
	must.Equal(t, want, fmt.Sprint(err))
}

// A parameter that the file lacks may come from --set.
func TestSetSuppliesWhatIsRequired(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/turbojet.yaml"))(t)
	data = bytes.Replace(data, []byte(", eff: 86 %"), nil, 1)
	if _, err := config.Parse("x", data, catalogue(), nil); err == nil {
		t.Error("the efficiency is missing, and nothing was said")
	}
	must.Value(config.Parse("x", data, catalogue(), []string{"turbine.eff=0.9"}))(t)
}

func TestLoadOfMissingFiles(t *testing.T) {
	if _, err := config.Load("testdata/none.yaml", catalogue(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	_, err := config.Load("testdata/turbojet.yaml", catalogue(), []string{"turbine.map=maps/none.map"})
	var p *document.Problem
	if !errors.As(err, &p) || !strings.Contains(p.Message, "no such file") || p.Text != "maps/none.map" {
		t.Errorf("got %v", err)
	}
}

// What must be refused before it costs time or memory: parsed in full, several of
// these take the better part of a minute or the whole stack.
func TestHugeFilesAreRefused(t *testing.T) {
	base := "engine: x\ncomponents:\n"
	for name, data := range map[string]string{
		"10 MB":         strings.Repeat("# nothing much\n", 700_000),
		"many keys":     base + strings.Repeat("  a: {type: duct}\n", 50_000),
		"deep lists":    "engine: " + strings.Repeat("[", 500_000),
		"deep groups":   "engine: " + strings.Repeat("{a: ", 200_000),
		"deep dashes":   "engine:\n" + strings.Repeat("- ", 400_000),
		"long scalar":   "engine: " + strings.Repeat("x ", 500_000),
		"long flow":     "engine: [" + strings.Repeat("1,", 500_000) + "]",
		"nul":           strings.Repeat("\x00", 1<<20),
		"quotes":        strings.Repeat(`"`, 1<<20-1),
		"question":      strings.Repeat("? ", 1<<19),
		"bars":          strings.Repeat("|\n", 1<<19),
		"blank columns": "a:\n" + strings.Repeat(strings.Repeat(" ", 200)+"\n", 5000) + "b",
	} {
		_, err := config.Parse(name, []byte(data), catalogue(), nil)
		if e := new(document.Errors); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := filepath.Join(t.TempDir(), "huge.yaml")
	must.OK(t, os.WriteFile(file, bytes.Repeat([]byte("a: b\n"), 2<<20), 0o600))
	_, err := config.Load(file, catalogue(), nil)
	if want := "read " + file + ": over 1 MiB, the most that an engine file may have"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// The order of sections and of chains does not matter, only that of their entries.
func TestSectionsMayComeInAnyOrder(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/turbojet.yaml"))(t)
	want := load(t)
	sections := sections(string(data))
	testenv.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.Permutation(sections).Draw(t, "order"), "")
		got := must.Value(config.Parse("testdata/turbojet.yaml", []byte(text), catalogue(), nil))(t)
		places := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type() == reflect.TypeFor[document.Pos]() },
			cmp.Ignore())
		must.Equal(t, want, got, places, cmpopts.IgnoreFields(config.Engine{}, "Digest"))
	})
}

// sections splits an engine file before each top-level key.
func sections(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line[0] >= 'a' && line[0] <= 'z' || len(list) == 0 {
			list = append(list, "")
		}
		list[len(list)-1] += line
	}
	return list
}

// A bad value anywhere is reported exactly once, at its own place.
func TestOneBadNumberIsOneProblemAtItsPlace(t *testing.T) {
	data := must.Value(os.ReadFile("testdata/turbojet.yaml"))(t)
	numbers := []string{"0 ft", "13.5", "83 %", "86 %", "8070 rpm", "100 kg m2", "11800 lbf", "1000 lbm/s",
		"2370 degR", "8000 lbf", "5000 ft", "43.1 MJ/kg"}
	testenv.Check(t, func(t *rapid.T) {
		old := rapid.SampledFrom(numbers).Draw(t, "number")
		bad := rapid.SampledFrom([]string{"12 furlong", ".nan", "1e400", "12 m/K", "fast"}).Draw(t, "bad")
		at := bytes.Index(data, []byte(old))
		text := slices.Concat(data[:at], []byte(bad), data[at+len(old):])
		line := bytes.Count(data[:at], []byte("\n")) + 1
		column := at - bytes.LastIndexByte(data[:at], '\n')
		_, err := config.Parse("x.yaml", text, catalogue(), nil)
		var e *document.Errors
		if !errors.As(err, &e) || len(e.Problems) != 1 {
			t.Fatalf("%s for %s: %v", bad, old, err)
		}
		if got := e.Problems[0].Pos; got != (document.Pos{Line: line, Column: column}) || e.Problems[0].Text != bad {
			t.Fatalf("%s for %s: reported at %v, stands at %d:%d", bad, old, got, line, column)
		}
	})
}
