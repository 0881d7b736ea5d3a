package picture

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// area of loops, holes counted negative.
func area(loops []loop) float64 {
	sum := 0.0
	for _, l := range loops {
		for k, p := range l.at {
			q := l.at[(k+1)%len(l.at)]
			sum += (p.x*q.y - q.x*p.y) / 2
		}
	}
	return sum
}

func grid(ni, nj int, v func(x, y float64) float64) *sheet {
	s := &sheet{ni: ni, nj: nj}
	for j := range nj + 1 {
		for i := range ni + 1 {
			x, y := float64(i)/float64(ni), float64(j)/float64(nj)
			x += 0.2 * y * (1 - x) // a skewed grid in the unit square's bounds
			s.x, s.y, s.v = append(s.x, x), append(s.y, y), append(s.v, v(x, y))
		}
	}
	return s
}

// Regions have the area that the field says, with holes, cut by the boundary, or all of
// the grid.
func TestRegions(t *testing.T) {
	ring := func(x, y float64) float64 { // 1 on a circle around the middle, less off it
		return 1 - math.Abs(math.Hypot(x-0.55, y-0.5)-0.25)/0.1
	}
	whole := area(grid(40, 40, func(x, y float64) float64 { return 1 }).above(0))
	for _, tc := range []struct {
		name  string
		v     func(x, y float64) float64
		level float64
		want  float64
	}{
		{"all", func(x, y float64) float64 { return 1 }, 0, 0.9},
		{"none", func(x, y float64) float64 { return 1 }, 2, 0},
		{"left of a line", func(x, _ float64) float64 { return -x }, -0.5, 0.4},
		{"ring", ring, 0, math.Pi * (0.35*0.35 - 0.15*0.15)},
		{"outside of a disc", func(x, y float64) float64 { return math.Hypot(x-0.55, y-0.5) }, 0.3,
			whole - math.Pi*0.09},
	} {
		must.Within(t, tc.name+": area", area(grid(120, 120, tc.v).above(tc.level)), tc.want, 2e-3)
	}
	s := grid(60, 60, ring)
	if n := len(lines(s.above(0))); n != 2 {
		t.Errorf("a ring has %d rims", n)
	}
	half := grid(60, 60, func(x, _ float64) float64 { return -x })
	if l := lines(half.above(-0.5)); len(l) != 1 || len(l[0]) < 60 {
		t.Errorf("a straight cut is %d lines", len(l))
	}
}

// Of any field, the regions above and below a level share the grid between them.
func TestRegionsShare(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := grid(rapid.IntRange(1, 6).Draw(t, "ni"), rapid.IntRange(1, 6).Draw(t, "nj"),
			func(_, _ float64) float64 { return 0 })
		for n := range s.v {
			s.v[n] = float64(rapid.IntRange(-8, 8).Draw(t, "v"))
		}
		level := float64(rapid.IntRange(-8, 8).Draw(t, "level")) + 0.375 // at which no node lies
		up := area(s.above(level))
		for n := range s.v {
			s.v[n] = -s.v[n]
		}
		down := area(s.above(-level))
		for n := range s.v {
			s.v[n] = 1
		}
		if whole := area(s.above(0)); math.Abs(up+down-whole) > 1e-9 || up < -1e-12 {
			t.Fatalf("%g above and %g below of %g", up, down, whole)
		}
	})
}

// A thinned line stays within the tolerance, and keeps its ends.
func TestThinned(t *testing.T) {
	var circle []point
	for k := range 721 {
		a := float64(k) * math.Pi / 360
		circle = append(circle, point{math.Cos(a), math.Sin(a)})
	}
	thin := thinned(circle, 0.01)
	if len(thin) > 60 || thin[0] != circle[0] || thin[len(thin)-1] != circle[720] {
		t.Errorf("%d points", len(thin))
	}
	for _, p := range circle {
		least := 1.0
		for k := 1; k < len(thin); k++ {
			least = min(least, off(p, thin[k-1], thin[k]))
		}
		if least > 0.01+1e-12 {
			t.Fatalf("%g off", least)
		}
	}
}
