package bladerow

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// rotor67 reads NASA Rotor 67.
func rotor67(t testing.TB) *blade.Body {
	t.Helper()
	data := must.Value(os.ReadFile(testenv.Reference(t, "rotor67", "rotor67geometry.dat")))(t)
	b := must.Value(blade.ReadStreamSurfaces(bytes.NewReader(data), 0.3048))(t)
	b.Name = "Rotor 67"
	return b
}

// Spacing meets its ends, grows without jumps and starts near the step asked for.
func TestSpaced(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 100).Draw(t, "n")
		first := rapid.Float64Range(0.02, 1).Draw(t, "first") / float64(n)
		last := rapid.Float64Range(0.02, 1).Draw(t, "last") / float64(n)
		if rapid.Bool().Draw(t, "open") {
			last = 0
		}
		x := spaced(n, first, last)
		if x[0] != 0 || x[n] != 1 {
			t.Fatalf("ends %g, %g", x[0], x[n])
		}
		for i := 1; i <= n; i++ {
			if x[i] <= x[i-1] {
				t.Fatalf("step %d goes back", i)
			}
		}
		if r := x[1] / first; r < 0.3 || r > 3 {
			t.Errorf("first step %.3g, asked for %.3g", x[1], first)
		}
	})
}

// The mesh of Rotor 67 has positive volumes; its sides are each other's image before
// and behind the blade, and apart by the blade's thickness beside it.
func TestRotor67Mesh(t *testing.T) {
	p := must.Value(newPassage(rotor67(t), Mesh{}))(t)
	q := must.Value(p.quality())(t)
	t.Logf("%+v; skew %.1f deg", q, q.MaxSkew/degree)
	if q.MaxSkew > 80*degree {
		t.Errorf("skew %.1f deg", q.MaxSkew/degree)
	}
	sin, cos := math.Sincos(-p.pitch)
	for k := range p.NK + 1 {
		for i := range p.NI + 1 {
			gap := p.node(i, 0, k).turned(cos, sin).sub(p.node(i, p.NJ, k)).norm()
			inside := i > p.le && i < p.closed
			if inside == (gap < 1e-9) {
				t.Fatalf("node line (%d, %d): sides are %.3g m apart", i, k, gap)
			}
		}
	}
}

// The kink that lines take over from a leading edge a quarter of the way to the next blade is
// at most half as sharp after smoothing, and the lines keep their order.
func TestSmoothing(t *testing.T) {
	b := rotor67(t)
	set := Mesh{}.withDefaults()
	p := must.Value(newPassage(b, set))(t)
	at := spaced(set.Pitch, set.Wall, set.Wall)
	sharpest := func(th func(i int) float64, k int) float64 {
		most := 0.0
		for i := p.le - 8; i < p.le+8; i++ {
			var slope [2]float64
			for n := range slope {
				lo, hi := p.node(i-1+n, 0, k), p.node(i+n, 0, k)
				slope[n] = math.Atan(math.Hypot(hi[0], hi[1]) * (th(i+n) - th(i-1+n)) / (hi[2] - lo[2]))
			}
			most = max(most, math.Abs(slope[1]-slope[0]))
		}
		return most
	}
	angle := func(i, j, k int) float64 {
		x := p.node(i, j, k)
		return math.Atan2(x[1], x[0])
	}
	for _, k := range []int{2, p.NK / 2, p.tip - 2} {
		j := 0
		for at[j] < 0.25 {
			j++
		}
		smooth := sharpest(func(i int) float64 { return angle(i, j, k) }, k)
		plain := sharpest(func(i int) float64 {
			lo, up := angle(i, 0, k), angle(i, p.NJ, k)
			return lo + at[j]*(up-lo)
		}, k)
		t.Logf("line %d: the sharpest kink is %.2f deg, %.2f deg without smoothing", k, smooth/degree, plain/degree)
		if smooth > 0.5*plain {
			t.Errorf("line %d: a kink of %.2f deg, %.2f deg without smoothing", k, smooth/degree, plain/degree)
		}
	}
	for k := range p.NK + 1 {
		for i := range p.NI + 1 {
			for j := range p.NJ {
				if angle(i, j+1, k) >= angle(i, j, k) {
					t.Fatalf("node line %d crosses the next at (%d, %d)", j, i, k)
				}
			}
		}
	}
}

// e3Fan is the fan of the Energy Efficient Engine by its section tables.
func e3Fan(t testing.TB) *blade.Geometry {
	t.Helper()
	text := must.Value(os.ReadFile("../../../config/examples/geometry/e3-fan.yaml"))(t)
	return must.Value(blade.Parse(text))(t)
}

// The E3 fan's section table becomes a mesh of positive volumes too.
func TestE3Mesh(t *testing.T) {
	g := e3Fan(t)
	b := must.Value(g.Solid(g.Rows[0], 21, 81))(t)
	_, q, err := Lay(b, Mesh{})
	must.OK(t, err)
	t.Logf("%+v; skew %.1f deg", q, q.MaxSkew/degree)
	if q.MaxSkew > 80*degree {
		t.Errorf("skew %.1f deg", q.MaxSkew/degree)
	}
}

// A blade whose sides cross within a coarse mesh's reach is refused with its section.
func TestMeshRefusesBadBody(t *testing.T) {
	b := rotor67(t)
	s := &b.Sections[3]
	s.Lower, s.Upper = s.Upper, s.Lower
	if _, _, err := Lay(b, Mesh{}); err == nil ||
		!strings.Contains(err.Error(), `blade row "Rotor 67", section 4: point 2: thickness`) {
		t.Errorf("got %v", err)
	}
}
