package blade_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// vaned is a guide vane that turns with the setting, and a fixed rotor.
const vaned = `geometry: guide vane and rotor
units: {length: cm, angle: deg}
flowpath:
  hub: {z: [-30, 40], r: [20, 20]}
  casing: {z: [-30, 40], r: [40, 40]}
rows:
  - name: vane
    blades: 30
    stacking_axis: 0
    setting: SETTING
    radius: [20, 30, 40]
    chord: [8, 8, 8]
    stagger: [5, 4, 3]
    beta_le: [0, 0, 0]
    beta_te: [10, 8, 6]
    tm_over_c: [0.08, 0.08, 0.08]
    max_thickness: {radius: [20, 40], at: [0.4, 0.4]}
  - name: rotor
    blades: 30
    rotating: true
    stacking_axis: 12
    radius: [20, 30, 40]
    chord: [8, 8, 8]
    stagger: [30, 45, 55]
    beta_le: [40, 50, 58]
    beta_te: [20, 40, 52]
    tm_over_c: [0.08, 0.06, 0.04]
    max_thickness: {radius: [20, 40], at: [0.5, 0.5]}
`

const degree = math.Pi / 180

func vanedAt(t *testing.T, setting string) *blade.Geometry {
	t.Helper()
	g := must.Value(blade.Parse([]byte(strings.Replace(vaned, "SETTING", setting, 1))))(t)
	return g
}

// A row turns as a rigid body about its stacking axis: the axis stays where it is, and every point of a plane section
// moves on a circle about it.
func TestTurned(t *testing.T) {
	g := vanedAt(t, "-0.5")
	turned := must.Value(g.Turned(20 * degree))(t)
	if turned.Rows[1] != g.Rows[1] {
		t.Error("the fixed row is another")
	}
	before, after := g.Rows[0], turned.Rows[0]
	for _, h := range []float64{0.2, 0.27, 0.4} {
		a, b := before.Section(h), after.Section(h)
		for _, c := range []struct {
			name    string
			was, is float64
		}{
			{"stagger", a.Stagger, b.Stagger}, {"leading edge", a.BetaLE, b.BetaLE},
			{"trailing edge", a.BetaTE, b.BetaTE},
		} {
			if d := (c.is - c.was) / degree; math.Abs(d+10) > 1e-9 {
				t.Errorf("%s at %g m turned by %g deg, want -10", c.name, h, d)
			}
		}
		if a.Chord != b.Chord || a.ThicknessRatio != b.ThicknessRatio || a.MaxThicknessAt != b.MaxThicknessAt {
			t.Errorf("the section at %g m changed: %+v, %+v", h, a, b)
		}
	}
	corners := func(g *blade.Geometry) [][2]float64 { return middle(t, g, g.Rows[0]) }
	was, is := corners(g), corners(turned)
	for i := range was {
		r0, r1 := math.Hypot(was[i][0], was[i][1]), math.Hypot(is[i][0], is[i][1])
		must.Within(t, fmt.Sprintf("radius of point %d, turned", i), r1, r0, 2e-5)
		if r0 < 0.02 {
			continue // near the axis the angle is not sharp
		}
		by := math.Remainder(math.Atan2(is[i][1], is[i][0])-math.Atan2(was[i][1], was[i][0]), 2*math.Pi)
		must.Within(t, fmt.Sprintf("angle by which point %d moved, deg", i), by/degree, -10, 0.1)
	}
	back := must.Value(turned.Turned(-20 * degree))(t)
	must.Within(t, "stagger, turned there and back", back.Rows[0].Section(0.3).Stagger, before.Section(0.3).Stagger,
		1e-14)
}

// middle are the points of the camber line of a row's middle section about the stacking axis, m: axial and tangential.
func middle(t *testing.T, g *blade.Geometry, r *blade.Row) (list [][2]float64) {
	t.Helper()
	const h = 0.3
	for k := range 9 {
		x := 0.05 + 0.9*float64(k)/8
		le, te := r.Edge(true, h), r.Edge(false, h)
		// The plane section at h lies at larger radii away from the axis.
		z, radius := le+x*(te-le), h
		for range 20 {
			p := r.At(z, radius)
			z += (x - p.X) * (te - le)
			radius = h / math.Cos(p.Theta)
		}
		list = append(list, [2]float64{z - r.StackZ, radius * math.Sin(r.At(z, radius).Theta)})
	}
	return list
}

func TestTurnedTooFar(t *testing.T) {
	g := vanedAt(t, "1")
	if !g.Settable() || vanedAt(t, "0").Settable() {
		t.Error("a row with a setting can be set, others cannot")
	}
	for _, by := range []float64{88, -97, 150} {
		_, err := g.Turned(by * degree)
		var far *blade.TurnError
		if !errors.As(err, &far) || !strings.Contains(err.Error(), "deg: row \"vane\"") {
			t.Errorf("turned by %g deg: %v", by, err)
		}
	}
	_, err := blade.Parse([]byte(strings.Replace(vaned, "SETTING", "40", 1)))
	var all *document.Errors
	if !errors.As(err, &all) ||
		!strings.Contains(err.Error(),
			"10:14: rows[1].setting: the row turns by 40 for each degree of the setting; want -10 to 10") {
		t.Errorf("a setting of 40: %v", err)
	}
}
