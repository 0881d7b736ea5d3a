package contour

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// area of loops, holes counted negative.
func area(loops []Loop) float64 {
	sum := 0.0
	for _, l := range loops {
		for k, p := range l.At {
			q := l.At[(k+1)%len(l.At)]
			sum += (p.X*q.Y - q.X*p.Y) / 2
		}
	}
	return sum
}

func grid(ni, nj int, v func(x, y float64) float64) *Grid {
	s := &Grid{NI: ni, NJ: nj}
	for j := range nj + 1 {
		for i := range ni + 1 {
			x, y := float64(i)/float64(ni), float64(j)/float64(nj)
			x += 0.2 * y * (1 - x) // a skewed grid in the unit square's bounds
			s.X, s.Y, s.V = append(s.X, x), append(s.Y, y), append(s.V, v(x, y))
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
	whole := area(grid(40, 40, func(x, y float64) float64 { return 1 }).Above(0))
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
		must.Within(t, tc.name+": area", area(grid(120, 120, tc.v).Above(tc.level)), tc.want, 2e-3)
	}
	s := grid(60, 60, ring)
	rims := Lines(s.Above(0))
	if len(rims) != 2 {
		t.Errorf("a ring has %d rims", len(rims))
	}
	for _, l := range rims {
		if l[0] != l[len(l)-1] {
			t.Errorf("a rim of %d points is open", len(l))
		}
		for _, p := range l {
			must.Within(t, "off the middle of the ring", math.Abs(math.Hypot(p.X-0.55, p.Y-0.5)-0.25), 0.1, 1e-3)
		}
	}
	half := grid(60, 60, func(x, _ float64) float64 { return -x })
	if l := Lines(half.Above(-0.5)); len(l) != 1 || len(l[0]) < 60 {
		t.Errorf("a straight cut is %d lines", len(l))
	}
}

// Of any field, the regions above and below a level share the grid between them.
func TestRegionsShare(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		s := grid(rapid.IntRange(1, 6).Draw(t, "ni"), rapid.IntRange(1, 6).Draw(t, "nj"),
			func(_, _ float64) float64 { return 0 })
		for n := range s.V {
			s.V[n] = float64(rapid.IntRange(-8, 8).Draw(t, "v"))
		}
		level := float64(rapid.IntRange(-8, 8).Draw(t, "level")) + 0.375 // at which no node lies
		up := area(s.Above(level))
		for n := range s.V {
			s.V[n] = -s.V[n]
		}
		down := area(s.Above(-level))
		for n := range s.V {
			s.V[n] = 1
		}
		if whole := area(s.Above(0)); math.Abs(up+down-whole) > 1e-9 || up < -1e-12 {
			t.Fatalf("%g above and %g below of %g", up, down, whole)
		}
	})
}
