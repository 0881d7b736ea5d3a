// Package enginetest holds the engines that tests of several packages share.
package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// Turbojet is the engine file of a small turbojet with all losses. Cases, limits
// and sweeps may be appended.
const Turbojet = `
engine: test turbojet
components:
  ambient: {type: ambient}
  inlet: {type: inlet}
  compressor: {type: compressor, PR: 13.5, eff: 83 %, MN: 0.3}
  burner: {type: burner, dPqP: 3 %}
  turbine: {type: turbine, eff: 86 %}
  nozzle: {type: nozzle, Cv: 0.99}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> nozzle
bleeds:
  - {name: cooling, from: compressor, to: turbine, W: 3 %}
shafts:
  spool: {N: 8070 rpm, drives: [compressor], driven_by: [turbine], loss: 1 %, offtake: 100 kW}
design:
  - {vary: ambient.W, until: performance.Fn = 11800 lbf}
  - {vary: burner.FAR, until: burner.out.Tt = 2370 degR}
`

// Sweeps are a limit, a case and sweeps to be appended to Turbojet.
const Sweeps = `
limits:
  - {path: burner.out.Tt, max: 1350 K}
cases:
  cruise: {set: {ambient.altitude: 8 km, ambient.mach: 0.6}, solve: [{vary: burner.FAR, until: performance.Fn = 15 kN}]}
sweeps:
  throttle:
    from: cruise
    over:
      ambient.mach: [0.3, 0.5, 0.7]
      performance.Fn: {from: 20 kN, to: 6 kN, points: 8}
    collect: [performance.TSFC, compressor.SMN, burner.out.Tt, spool.N, nozzle.throat.MN]
    plot: {x: performance.Fn, y: performance.TSFC, lines: ambient.mach}
  trade:
    over: {compressor.PR: [9, 12, 15], burner.out.Tt: [1200 K, 1300 K]}
    collect: [performance.TSFC, performance.Fn, ambient.W]
    plot: {y: performance.TSFC}
  both:
    over: {ambient.mach: [0, 0.2], compressor.PR: [10, 14]}
    solve: [{vary: burner.FAR, until: performance.Fn = 40 kN}]
    collect: [performance.TSFC, compressor.PR]
  gaps:
    over: {performance.Fn: [45 kN, 500 kN, -9 kN, 40 kN, 42 kN]}
    solve: [{vary: burner.FAR, until: performance.Fn = 1 kN}]
    collect: [performance.TSFC]
`

// Parse reads the text of an engine file.
func Parse(t testing.TB, text string) *config.Engine {
	t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(text), components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Example is the path of an engine file, or of another file, that the project ships.
func Example(name string) string { return filepath.Join(root, "config", "examples", name) }

// root is the folder of the module, a parent of the test's folder.
var root = func() string {
	at, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for dir := at; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic("no go.mod above " + at)
		}
	}
}()

// Examples are the paths of all engine files that the project ships.
func Examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(Example("*.yaml"))
	if err != nil || len(files) < 17 {
		t.Fatalf("%d examples (%v)", len(files), err)
	}
	return files
}

// SomeExamples returns Examples in a long test. In a short test it returns a turbojet, a geared turbofan and an engine
// with a heat exchanger, for properties of every engine.
func SomeExamples(t testing.TB) []string {
	if testenv.IsLong(t) {
		return Examples(t)
	}
	return []string{Example("geared.yaml"), Example("recuperated.yaml"), Example("turbojet.yaml")}
}

// Trials chooses a number of trials, or of anything that costs time, by the length of the test.
func Trials(t testing.TB, short, long, soak int) int {
	switch {
	case testenv.IsSoak():
		return soak
	case testenv.IsLong(t):
		return long
	}
	return short
}

// Edited reads a shipped engine with texts replaced: old, new, old, new ...
func Edited(t testing.TB, name string, edits ...string) *config.Engine {
	t.Helper()
	file := Example(name + ".yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("%s does not contain %q", file, edits[i])
		}
		text = strings.ReplaceAll(text, edits[i], edits[i+1])
	}
	cfg, err := config.Parse(file, []byte(text), components.Catalogue(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// E3 reads the shipped Energy Efficient Engine with texts replaced.
func E3(t testing.TB, edits ...string) *config.Engine {
	t.Helper()
	return Edited(t, "e3", edits...)
}
