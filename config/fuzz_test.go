package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// FuzzParse holds that whatever the bytes, Parse ends, does not panic, and gives
// an engine or a list of problems with places inside the text.
func FuzzParse(f *testing.F) {
	files := must.Value(filepath.Glob("testdata/bad/*.yaml"))(f)
	for _, file := range append(files, "testdata/turbojet.yaml") {
		data := must.Value(os.ReadFile(file))(f)
		f.Add(data, "burner.FAR=0.03")
	}
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		var engine *config.Engine
		var err error
		intaketest.Bounded(t, len(data)+len(set),
			func() { engine, err = config.Parse("fuzz.yaml", data, catalogue(), []string{set}) })
		if err == nil {
			if engine == nil || engine.Name == "" || len(engine.Components) == 0 {
				t.Fatalf("accepted %+v", engine)
			}
			return
		}
		var e *document.Errors
		if !errors.As(err, &e) || len(e.Problems) == 0 || err.Error() == "" {
			t.Fatalf("refused without a problem: %v", err)
		}
		for _, p := range e.Problems {
			if p.Message == "" || p.Pos.Line < 0 || p.Pos.Column < 0 {
				t.Fatalf("problem without a message or place: %+v", p)
			}
		}
	})
}

// jet is an engine to which sections are added.
const jet = `engine: Jet
components:
  ambient:    {type: ambient, altitude: 0 ft, mach: 0}
  inlet:      {type: inlet, ram_recovery: 1}
  compressor: {type: compressor, PR: 13.5, eff: 83 %}
  burner:     {type: burner, dPqP: 3 %}
  turbine:    {type: turbine, eff: 86 %}
  nozzle:     {type: nozzle}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> nozzle
shafts:
  spool: {N: 8070 rpm, drives: [compressor], driven_by: [turbine]}
`

// fuzzSection holds that a section of an engine, with anything in it, is read or refused.
func fuzzSection(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		data := []byte(jet + name + ":\n" + text)
		intaketest.Bounded(t, len(data), func() {
			if engine, err := config.Parse("fuzz.yaml", data, catalogue(), nil); (engine == nil) == (err == nil) {
				t.Fatalf("%v, %v", engine, err)
			}
		})
	})
}

func FuzzControls(f *testing.F) {
	bad := must.Value(os.ReadFile("testdata/bad/controls.yaml"))(f)
	_, section, _ := strings.Cut(string(bad), "controls:\n")
	fuzzSection(f, "controls", strings.TrimPrefix(controlled, "\ncontrols:\n"), section,
		"  least: {type: min, of: [1 foo, 2 foo]}\n")
}

func FuzzRules(f *testing.F) {
	fuzzSection(f, "rules",
		"  - {name: surge, when: compressor.SMN < 12 and drop(residual) < 2, severity: error, message: \"margin "+
			"{compressor.SMN} %\", action: stop}\n",
		"  - name: a\n    when: ((((((((1))))))))\n", "  - {name: b, when: \"not (turbine.eff > 0.5)\"}\n")
}
