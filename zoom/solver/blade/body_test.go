package blade

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// reference returns a file of the reference data.
func reference(t *testing.T, name string) []byte {
	t.Helper()
	return must.Value(os.ReadFile(testenv.Reference(t, name)))(t)
}

// Rotor 67 as published: blades, chords, and the cut through its sections meets
// them again.
func TestRotor67(t *testing.T) {
	const feet = 0.3048
	b := must.Value(ReadStreamSurfaces(bytes.NewReader(reference(t, "rotor67/rotor67geometry.dat")), feet))(t)
	if b.Blades != 22 || len(b.Sections) != 14 {
		t.Fatalf("%d blades, %d sections", b.Blades, len(b.Sections))
	}
	tip, hub := &b.Sections[13], &b.Sections[0]
	// NASA TP-2879: tip diameter 51.4 cm at the leading edge, 48.5 at the trailing.
	must.Within(t, "tip diameter", 2*tip.R[0], 0.514, 0.005)
	if ratio := hub.R[0] / tip.R[0]; math.Abs(ratio-0.375) > 0.002 { // likewise
		t.Errorf("hub/tip radius ratio at the inlet %.4f; published 0.375", ratio)
	}
	if last(tip.Upper) >= tip.Upper[0] {
		t.Error("the tip leans with the rotation")
	}
	x := []float64{0, 0.1, 0.5, 0.9, 1}
	st := must.Value(b.Stations(x))(t)
	for k, f := range x {
		for n := range b.Sections {
			s := &b.Sections[n]
			c, _ := NewCurve(s.Z, s.Upper)
			r, _ := NewCurve(s.Z, s.R)
			z := s.Z[0] + f*(last(s.Z)-s.Z[0])
			gz, _, upper := st[k].At(b.Span(z, r.At(z)))
			if math.Abs(gz-z) > 1e-12 || math.Abs(upper-c.At(z)) > 1e-12 {
				t.Errorf("section %d, x %g: z off by %g, theta by %g", n+1, f, gz-z, upper-c.At(z))
			}
		}
	}
}

// surfaceText writes a small file: flat blades without camber between cylinders.
func surfaceText(edit func(surface, table int, v []float64)) string {
	var s strings.Builder
	s.WriteString("a header\n JM NS NB JLE JTE\n 9 3 10 3 7\n Surface number 1\n")
	for n := range 3 {
		var t [4][]float64
		for k := range 9 {
			r := 1 + 0.5*float64(n)
			t[0], t[1] = append(t[0], 0.1*float64(k)), append(t[1], 0)
			t[2], t[3] = append(t[2], 0.05*max(0, 4-(float64(k)-4)*(float64(k)-4))), append(t[3], r)
		}
		for k := range t {
			if edit != nil {
				edit(n, k, t[k])
			}
			s.WriteString("title\n 1.0\n")
			for _, x := range t[k] {
				fmt.Fprintf(&s, " %.6f", x)
			}
			s.WriteString("\n")
		}
	}
	return s.String()
}

func TestBadStreamSurfaces(t *testing.T) {
	good := surfaceText(nil)
	must.Value(ReadStreamSurfaces(strings.NewReader(good), 1))(t)
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	with := func(surface, table int, value float64, at ...int) string {
		return surfaceText(func(n, k int, v []float64) {
			for _, i := range at {
				if n == surface && k == table {
					v[i] = value
				}
			}
		})
	}
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "no line of JM"},
		{"cut off", good[:len(good)-30], "surface 3 of 3, radius: line 40: 6 of 9 numbers"},
		{"one too many", strings.Replace(good, "0.800000", "0.800000 0.9", 1), "10 numbers; want 9"},
		{"edges", strings.Replace(good, "10 3 7", "10 7 3", 1), "want 1 <= JLE < JTE <= JM"},
		{"no number", strings.Replace(good, "0.300000", "0.3x", 1), "surface 1 of 3, axial distance"},
		{"negative thickness", with(1, 2, -0.01, 4), "section 2: point 3: thickness -0.00667 rad is negative"},
		{"z backwards", with(1, 0, 0.2, 4), "section 2: point 3: z = 0.2 m does not lie behind"},
		{"crossing sections", with(1, 3, 0.9, all...), "section 2: lies at"},
		{"sections that cross at the edge only", with(1, 3, 2.3, 6),
			"section 3: lies at 1 of the span at 1 of its chord, not above the section before (1.3)"},
		{"hub above casing", with(0, 3, 3, all...), "is not below casing"},
		{"thick", with(0, 2, 0.9, 4), "fills the pitch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			must.Refuse(ReadStreamSurfaces(strings.NewReader(tc.text), 1))(t, tc.want)
		})
	}
}

// Sections that leave a part of the span out are refused, naming the one beside it.
func TestMissingSections(t *testing.T) {
	whole := func() *Body {
		b := must.Value(ReadStreamSurfaces(strings.NewReader(surfaceText(nil)), 1))(t)
		b.Name = "row"
		return b
	}
	for _, tc := range []struct {
		edit func(b *Body)
		want string
	}{
		{
			func(b *Body) { b.Sections = b.Sections[1:] },
			`blade row "row": section 1 lies at 0.5 of the span: a section is missing below it`,
		},
		{
			func(b *Body) { b.Sections = b.Sections[:2] },
			`blade row "row": section 2, the last, lies at 0.5 of the span: a section is missing above it`,
		},
		{func(b *Body) { b.Sections = b.Sections[:1] }, `blade row "row": 1 sections; want at least 2`},
		{
			func(b *Body) { b.Sections[1].R = b.Sections[1].R[1:] },
			`blade row "row", section 2: 5 axial places, 4 radii`,
		},
		{func(b *Body) { b.TipGap = 1.2 }, `blade row "row": tip gap 1.2 m; want 0 to half of the span, which is 1 m`},
		{func(b *Body) { b.Casing = nil }, `blade row "row": hub and casing`},
	} {
		b := whole()
		tc.edit(b)
		must.Fail(t, b.Check(), tc.want)
	}
	b := whole()
	b.TipGap = 0.02
	must.OK(t, b.Check())
}
