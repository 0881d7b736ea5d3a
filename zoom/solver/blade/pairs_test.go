package blade

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// pairsText writes a body as pairs, either side first, the angle either way.
func pairsText(b *Body, swap bool, sign float64) string {
	var s strings.Builder
	list := func(v []float64) string { return strings.ReplaceAll(fmt.Sprintf("%.17g", v), " ", ", ") }
	hz, hr := b.Hub.Points()
	cz, cr := b.Casing.Points()
	fmt.Fprintf(&s,
		"blade: %s\nsource: %s\nunits: {length: m, angle: rad}\nblades: %d\ntip_gap: 0.0005\nflowpath:\n"+
			"  hub: {z: %s, r: %s}\n  casing: {z: %s, r: %s}\nsections:\n",
		b.Name, b.Source, b.Blades, list(hz), list(hr), list(cz), list(cr))
	for _, p := range b.Sections {
		for k := range p.Z {
			head := "    -"
			if k == 0 {
				head = "  - -"
			}
			a, c := sign*p.Lower[k], sign*p.Upper[k]
			if swap {
				a, c = c, a
			}
			fmt.Fprintf(&s, "%s %s\n", head, list([]float64{p.Z[k], p.R[k], a, c}))
		}
	}
	return s.String()
}

// Rotor 67, written as pairs of angles and read again, is Rotor 67, whichever side
// comes first and whichever way the angle runs.
func TestPairsRoundTrip(t *testing.T) {
	want := must.Value(ReadStreamSurfaces(bytes.NewReader(reference(t, "rotor67/rotor67geometry.dat")), 0.3048))(t)
	want.Name, want.TipGap = "Rotor 67", 0.0005
	for _, swap := range []bool{false, true} {
		for _, sign := range []float64{1, -1} {
			got := must.Value(parsePairs([]byte(pairsText(want, swap, sign))))(t)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Curve{}), cmpopts.EquateApprox(0, 1e-15)); diff != "" {
				t.Errorf("swapped %v, sign %g:\n%s", swap, sign, diff)
			}
		}
	}
}

func TestBadPairs(t *testing.T) {
	body := must.Value(ReadStreamSurfaces(strings.NewReader(surfaceText(nil)), 1))(t)
	body.Name = "row"
	good := pairsText(body, false, 1)
	must.Value(parsePairs([]byte(good)))(t)
	for _, tc := range []struct{ name, old, with, want string }{
		{"unknown key", "blades:", "blade_count: 3\nblades:", `"blade_count": unknown key`},
		{"unit", "length: m", "length: furlong", `units.length: "furlong": unknown word, want cm, ft, in, m or mm`},
		{"angle unit", "angle: rad", "angle: grad", `units.angle: "grad": unknown word, did you mean rad?`},
		{"no blades", "blades: 10", "blades: 0", "0 blades"},
		{"gap", "tip_gap: 0.0005", "tip_gap: 5", "tip gap 5 m"},
		{"short row", "  - - [", "  - - [1, 2]\n    - [", "sections[1][1]: 2 numbers; want z, r, theta1, theta2"},
		{"wall", "hub: {z: [0,", "hub: {z: [", "flowpath.hub"},
		{"not YAML", "sections:", "sections: [", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(good, tc.old, tc.with, 1)
			if text == good {
				t.Fatalf("%q is not in the file", tc.old)
			}
			must.Refuse(parsePairs([]byte(text)))(t, tc.want)
		})
	}
}

// parsePairs reads a file's text.
func parsePairs(text []byte) (*Body, error) {
	list, err := bodies("blade", text)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
