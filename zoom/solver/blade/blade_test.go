package blade

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

const e3File = "../../../config/examples/geometry/e3-fan.yaml"

const degree = math.Pi / 180

// A curve meets its points and stays between neighbouring ones.
func TestCurveIsMonotone(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		x, y := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k] = float64(k) + rapid.Float64Range(0, 0.9).Draw(t, "dx")
			y[k] = rapid.Float64Range(-10, 10).Draw(t, "y")
		}
		c := must.Value(NewCurve(x, y))(t)
		for k := range x {
			if d := math.Abs(c.At(x[k]) - y[k]); d > 1e-12 {
				t.Fatalf("misses point %d by %g", k, d)
			}
			if k == 0 {
				continue
			}
			lo, hi := min(y[k-1], y[k])-1e-9, max(y[k-1], y[k])+1e-9
			for i := 1; i < 20; i++ {
				v := c.At(x[k-1] + (x[k]-x[k-1])*float64(i)/20)
				if v < lo || v > hi {
					t.Fatalf("between points %d and %d: %g outside %g to %g", k-1, k, v, lo, hi)
				}
			}
		}
	})
}

func TestBadCurve(t *testing.T) {
	for _, tc := range []struct {
		x, y []float64
		want string
	}{
		{[]float64{0}, []float64{1}, "at least 2"},
		{[]float64{0, 1}, []float64{1}, "2 abscissas but 1"},
		{[]float64{0, 0}, []float64{1, 1}, "point 2: 0 does not lie beyond 0"},
		{[]float64{0, math.NaN()}, []float64{1, 1}, "not finite"},
	} {
		must.Refuse(NewCurve(tc.x, tc.y))(t, tc.want)
	}
}

// The camber line has the angles that the section was given at its edges and the
// chord's direction between them; the thickness peaks where it should.
func TestSection(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		draw := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		stagger := draw("stagger", -30, 60)
		s := Section{
			Chord: draw("chord", 0.01, 1), Stagger: stagger * degree,
			BetaLE:         min(stagger+draw("front", -10, 45), 85) * degree,
			BetaTE:         max(stagger-draw("rear", -10, 45), -85) * degree,
			ThicknessRatio: draw("t/c", 0.01, 0.2), MaxThicknessAt: draw("xm", 0.2, 0.8),
		}
		sh := s.shape(s.Centroid())
		const h = 1e-6
		slope := func(x float64) float64 {
			z0, t0, _ := sh.place(x - h)
			z1, t1, _ := sh.place(x + h)
			return math.Atan2(t1-t0, z1-z0)
		}
		must.Within(t, "angle of the leading edge", slope(0), s.BetaLE, 1e-6)
		must.Within(t, "angle of the trailing edge", slope(1), s.BetaTE, 1e-6)
		z0, t0, _ := sh.place(0)
		z1, t1, _ := sh.place(1)
		must.Within(t, "chord", math.Hypot(z1-z0, t1-t0), s.Chord, 1e-12)
		must.Within(t, "maximum thickness", s.Thickness(s.MaxThicknessAt), s.ThicknessRatio*s.Chord, 1e-12)
		if s.Thickness(0) != 0 || s.Thickness(1) != 0 {
			t.Error("edges are not sharp")
		}
	})
}

// e3Fan is the fan of the Energy Efficient Engine by its section tables.
func e3Fan(t *testing.T) *Geometry {
	t.Helper()
	text := must.Value(os.ReadFile(e3File))(t)
	return must.Value(Parse(text))(t)
}

// A point of the camber surface, given by its section and chord fraction, is found
// again from its place in space, and the camber surface's slope across a plane
// section is the section's angle.
func TestCamberSurface(t *testing.T) {
	g := e3Fan(t)
	row := g.Rows[0]
	for _, h := range []float64{0.42, 0.6, 0.8, 1.0} {
		s := row.shape(h)
		for _, x := range []float64{0.05, 0.3, 0.5, 0.9} {
			dz, tau, slope := s.place(x)
			p := row.At(row.StackZ+dz, math.Hypot(h, tau))
			want := CamberPoint{X: x, Theta: math.Atan2(tau, h), Angle: s.Stagger + math.Atan(slope)}
			want.Thickness = s.Thickness(x) / math.Cos(want.Angle)
			if diff := cmp.Diff(want, p, cmpopts.EquateApprox(1e-7, 1e-9)); diff != "" {
				t.Errorf("h %g, x %g:\n%s", h, x, diff)
			}
		}
		le := row.Edge(true, math.Hypot(h, tauAt(&s, 0)))
		if dz, _, _ := s.place(0); math.Abs(le-row.StackZ-dz) > 1e-9 {
			t.Errorf("h %g: leading edge at %g m, want %g", h, le, row.StackZ+dz)
		}
	}
}

func tauAt(s *shape, x float64) float64 { _, tau, _ := s.place(x); return tau }

// The shipped geometry is the published table, number by number.
func TestE3IsThePublishedTable(t *testing.T) {
	data := reference(t, "e3/e3.yaml")
	var ref struct {
		Fan struct {
			Blades int `yaml:"blades"`
			Blade  struct {
				Radius  []float64 `yaml:"radius_cm"`
				Chord   []float64 `yaml:"chord_cm"`
				Stagger []float64 `yaml:"stagger_deg"`
				Camber  []float64 `yaml:"camber_deg"`
				Tm      []float64 `yaml:"tm_over_c"`
				LE      []float64 `yaml:"beta_le_deg"`
				TE      []float64 `yaml:"beta_te_deg"`
			} `yaml:"rotor_blade"`
		} `yaml:"fan"`
	}
	must.OK(t, yaml.Unmarshal(data, &ref))
	g := e3Fan(t)
	row, b := g.Rows[0], ref.Fan.Blade
	if row.Blades != ref.Fan.Blades || len(b.Radius) != 23 {
		t.Fatalf("%d blades, %d sections", row.Blades, len(b.Radius))
	}
	for k, r := range b.Radius {
		s := row.Section(r / 100)
		got := []float64{s.Chord * 100, s.Stagger / degree, s.BetaLE / degree, s.BetaTE / degree, s.ThicknessRatio}
		want := []float64{b.Chord[k], b.Stagger[k], b.LE[k], b.TE[k], b.Tm[k]}
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 1e-10)); diff != "" {
			t.Errorf("section %d:\n%s", k+1, diff)
		}
		// The table prints camber too: a check on the reading of both angles.
		must.Within(t, fmt.Sprintf("camber of section %d, deg", k+1), s.Camber()/degree, b.Camber[k], 0.03)
	}
}

func TestBadGeometry(t *testing.T) {
	data := must.Value(os.ReadFile(e3File))(t)
	good := string(data)
	for _, tc := range []struct{ name, old, with, want string }{
		{
			"unknown key", "  - name: rotor", "  - name: rotor\n    sweep: 3",
			`geometry:29:5: rows[1]: "sweep": unknown key`,
		},
		{"unit", "length: cm", "length: furlong", `units.length: "furlong": unknown word, want cm, ft, in, m or mm`},
		{"angle unit", "angle: deg", "angle: grad", `units.angle: "grad": unknown word, did you mean rad?`},
		{"wall points", "z: [-60, -5, 0, 8.2, 19, 60]", "z: [-60, -5, 0, 8.2, 19]", "flowpath.hub: 5 abscissas but 6"},
		{"wall backwards", "z: [-60, 0, 8.2, 19, 60]", "z: [-60, 0, -8.2, 19, 60]", "flowpath.casing: point 3"},
		{"crossing walls", "r: [34.5, 35.5, 36.07, 41.76, 46.5, 46.5]", "r: [34.5, 35.5, 36.07, 41.76, 46.5, 146.5]",
			"not below casing"},
		{"missing chord", "chord:     [18.771, ", "chord:     [", `row "rotor": 23 radii but 22 values of chord`},
		{
			"negative chord", "chord:     [18.771", "chord:     [-18.771",
			"section 1 (radius 0.36067 m): chord -0.18771 m",
		},
		{"radii out of order", "radius:    [36.067, 41.757", "radius:    [36.067, 31.757", "section radii: point 2"},
		{"no blades", "blades: 32", "blades: 0", "0 blades; want at least 1"},
		{
			"tip gap", "blades: 32", "blades: 32\n    tip_gap: 80",
			`row "rotor": tip gap 0.8 m; want 0 to half of the span`,
		},
		{"negative tip gap", "blades: 32", "blades: 32\n    tip_gap: -0.1", `row "rotor": tip gap -0.001 m`},
		{"blade outside", "stacking_axis: 8.192", "stacking_axis: 58.192", "trailing edge"},
		{"angle", "stagger:   [-2.67", "stagger:   [-92.67", "section 1"},
		{"thickness", "at: [0.42", "at: [1.42", "maximum thickness at 1.42"},
		{"nearest key", "    chord: ", "    chrod: ", `"chrod": unknown key, did you mean chord?`},
		{
			"text for a number", "blades: 32", "blades: many",
			`geometry:29:13: rows[1].blades: "many": want a number such as 3.5`,
		},
		{"broken blades", "blades: 32", "blades: 3.5", `rows[1].blades: "3.5": want a whole number`},
		{"text in a list", "chord:     [18.771", "chord:     [x", `rows[1].chord[1]: "x": want a number such as 3.5`},
		{"brackets", "geometry: E3 fan rotor", "geometry: " + strings.Repeat("[", 120_000), "nested too deep"},
		{"aliases", "geometry: E3 fan rotor", "geometry: [&a [x, x], *a, *a]", "anchors (&) are not allowed"},
		{"many keys", "geometry: E3", strings.Repeat("k: 1\n", 30_000) + "geometry: E3",
			"a group of more than 1000 keys"},
		{"many words", "geometry: E3", "list: [" + strings.Repeat("1,", 300_000) + "1]\ngeometry: E3",
			"a geometry file may have 200000"},
		{"not YAML", "geometry: E3 fan rotor", "geometry: [", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := strings.Replace(good, tc.old, tc.with, 1)
			if text == good {
				t.Fatalf("%q is not in the file", tc.old)
			}
			must.Refuse(Parse([]byte(text)))(t, tc.want)
		})
	}
	if _, err := Parse(nil); err == nil {
		t.Error("an empty file was read")
	}
}
