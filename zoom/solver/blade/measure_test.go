package blade

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// Rotor 67 measured: its solidity varies from 3.11 at the hub to 1.29 at the tip (NASA
// TP-2879, table of design parameters); the chord is about the same at all radii.
func TestMeasureRotor67(t *testing.T) {
	b := must.Value(ReadStreamSurfaces(bytes.NewReader(reference(t, "rotor67/rotor67geometry.dat")), 0.3048))(t)
	for _, tc := range []struct{ span, solidity float64 }{{0, 3.11}, {1, 1.29}} {
		m := must.Value(b.Measure(tc.span))(t)
		must.Within(t, fmt.Sprintf("solidity at %g of the span", tc.span), m.Solidity, tc.solidity, 0.01)
	}
}

// A table's sections come back from the solid that was made of them: chord, stagger and
// thickness, at mid-span, where the surface is a cylinder and hardly differs from the
// plane that the table means.
func TestMeasureMeetsTable(t *testing.T) {
	section := Section{Chord: 0.02, Stagger: 0.6, BetaLE: 0.8, BetaTE: 0.4, ThicknessRatio: 0.05, MaxThicknessAt: 0.5}
	row := must.Value(NewRow("row", 40, true, 0, []float64{0.9, 1.1}, []Section{section, section}))(t)
	flat := func(r float64) *Curve {
		return must.Value(NewCurve([]float64{-1, 1}, []float64{r, r}))(t)
	}
	g := &Geometry{Name: "flat", Hub: flat(0.9), Casing: flat(1.1), Rows: []*Row{row}}
	b := must.Value(g.Solid(row, 5, 81))(t)
	m := must.Value(b.Measure(0.5))(t)
	for _, v := range []struct {
		name            string
		got, want, near float64
	}{
		{"chord", m.Chord, 0.02, 1e-5}, {"stagger", m.Stagger, -0.6, 1e-3}, {"thickness", m.Thickness, 0.05, 1e-4},
		{"solidity", m.Solidity, 0.02 * 40 / (2 * math.Pi), 1e-3}, {"LE radius", m.R1, 1, 1e-12},
		// A tenth of a camber line of the third degree does not have its angle at the edge.
		{"LE angle", m.Kappa1, -0.8, 0.05}, {"TE angle", m.Kappa2, -0.4, 0.05},
	} {
		must.Within(t, v.name, v.got, v.want, v.near)
	}
}

// Files of all three kinds are told apart by what they hold.
func TestLoadBodies(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	for _, tc := range []struct {
		path, name string
		sections   int
		want       string
	}{
		{"../../../config/examples/geometry/e3-fan.yaml", "rotor", 21, ""},
		{write("flat.dat", surfaceText(nil)), "flat", 3, ""},
		{write("other.yaml", "color: red\n"), "", 0, "other.yaml:1:1: "},
		{write("none.yaml", "["), "", 0, "none.yaml:1:1: "},
		{filepath.Join(dir, "absent.yaml"), "", 0, "absent.yaml"},
		{write("cut.dat", surfaceText(nil)[:300]), "", 0, "cut.dat: surface 1 of 3"},
	} {
		b, err := LoadBodies(tc.path, 1)
		switch {
		case tc.want != "":
			must.Fail(t, err, tc.want)
		case err != nil || len(b) != 1 || b[0].Name != tc.name || len(b[0].Sections) != tc.sections:
			t.Errorf("%s: %v, %d rows", tc.path, err, len(b))
		}
	}
}
