package session

import (
	"fmt"
	"testing"

	"github.com/peregrine-sim/peregrine/executive/enginetest"
)

// A design is lean, however rich its file has the burners start; it is rich if only a rich mixture meets the targets.
func TestDesignIsLean(t *testing.T) {
	const text = `
engine: Afterburning turbojet
gas: {model: equilibrium, fuel: Jet-A}
components:
  ambient: {type: ambient}
  inlet: {type: inlet}
  compressor: {type: compressor, PR: 13.5, eff: 83 %%}
  burner: {type: burner, dPqP: 5 %%, FAR: %g}
  turbine: {type: turbine, eff: 88 %%}
  afterburner: {type: burner, FAR: %g, dPqP: 6 %%}
  nozzle: {type: nozzle}
flow:
  - ambient -> inlet -> compressor -> burner -> turbine -> afterburner -> nozzle
shafts:
  spool: {N: 7685 rpm, drives: [compressor], driven_by: [turbine]}
design:
  - {vary: ambient.W,  until: performance.Fn = 60 kN}
  - {vary: burner.FAR, until: burner.out.Tt = 1260 K}
  - {vary: afterburner.FAR, until: afterburner.out.Tt = 1950 K%s}
`
	design := func(burner, afterburner float64, bound string) (fuel, far float64) {
		t.Helper()
		s, err := Open(t.Context(), enginetest.Parse(t, fmt.Sprintf(text, burner, afterburner, bound)))
		if err != nil {
			t.Fatalf("from %g and %g: %v", burner, afterburner, err)
		}
		return s.Design().Performance.Wf, s.Design().Stations["afterburner.out"].FAR
	}
	want, _ := design(0.02, 0.02, "")
	for _, start := range [][2]float64{{0.02, 0.09}, {0.08, 0.02}, {0.05, 0.05}, {0.1, 0.1}} {
		fuel, _ := design(start[0], start[1], "")
		near(t, fmt.Sprint("fuel from ", start), fuel, want, 1e-8)
	}
	if _, far := design(0.02, 0.09, ", min: 0.06"); far < 0.07 {
		t.Errorf("FAR %g, though the afterburner has 0.06 at least", far)
	}
}
