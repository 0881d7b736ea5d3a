// Package bladetest holds blades that tests of several packages share.
package bladetest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// Rotor67 returns the geometry file of NASA Rotor 67, with sections of its stream surfaces at eleven heights. Its
// design: 16,043 rpm, 33.25 kg/s, pressure ratio 1.63. The flow path extends between the axial places from and to, m;
// the blade lies between -0.01 and 0.09.
func Rotor67(tb testing.TB, from, to float64) string {
	f, err := intake.Open(testenv.Reference(tb, "rotor67", "rotor67geometry.dat"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	body, err := blade.ReadStreamSurfaces(f, 0.3048)
	if err != nil {
		tb.Fatal(err)
	}
	columns := map[string][]string{}
	add := func(name string, v float64) { columns[name] = append(columns[name], fmt.Sprintf("%.5f", v)) }
	const degree = 180 / math.Pi
	for i := range 11 {
		m, err := body.Measure(float64(i) / 10)
		if err != nil {
			tb.Fatal(err)
		}
		add("radius", 100*(m.R1+m.R2)/2)
		add("chord", 100*m.Chord)
		add("stagger", -degree*m.Stagger)
		add("beta_le", -degree*m.Kappa1)
		add("beta_te", -degree*m.Kappa2)
		add("tm_over_c", m.Thickness)
	}
	var b strings.Builder
	b.WriteString("geometry: Rotor 67\nsource: NASA TP-2879\nunits: {length: cm, angle: deg}\nflowpath:\n")
	for _, wall := range []struct {
		name string
		at   func(z float64) float64
	}{{"hub", body.Hub.At}, {"casing", body.Casing.At}} {
		var z, r []string
		for i := range 21 {
			at := from + (to-from)/20*float64(i)
			z, r = append(z, fmt.Sprintf("%.3f", 100*at)), append(r, fmt.Sprintf("%.5f", 100*wall.at(at)))
		}
		fmt.Fprintf(&b, "  %s: {z: [%s], r: [%s]}\n", wall.name, strings.Join(z, ", "), strings.Join(r, ", "))
	}
	b.WriteString("rows:\n  - name: rotor\n    blades: 22\n    rotating: true\n    stacking_axis: 2\n")
	for _, name := range []string{"radius", "chord", "stagger", "beta_le", "beta_te", "tm_over_c"} {
		fmt.Fprintf(&b, "    %s: [%s]\n", name, strings.Join(columns[name], ", "))
	}
	fmt.Fprintf(&b, "    max_thickness: {radius: [%s, %s], at: [0.6, 0.6]}\n", columns["radius"][0],
		columns["radius"][10])
	return b.String()
}
