package bladerow

import (
	"math"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
)

// The mesh of Rotor 67 has positive volumes; its sides are each other's image before
// and behind the blade, and apart by the blade's thickness beside it.
func TestRotor67Mesh(t *testing.T) {
	p := must.Value(mesh.NewPassage(rotor67(t), mesh.Mesh{}))(t)
	q := must.Value(qualityOf(p))(t)
	t.Logf("%+v; skew %.1f deg", q, q.MaxSkew/degree)
	if q.MaxSkew > 80*degree {
		t.Errorf("skew %.1f deg", q.MaxSkew/degree)
	}
	sin, cos := math.Sincos(-p.Pitch)
	for k := range p.NK + 1 {
		for i := range p.NI + 1 {
			gap := p.Vertex(i, 0, k).Turned(cos, sin).Sub(p.Vertex(i, p.NJ, k)).Norm()
			inside := i > p.LE && i < p.Closed
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
	set := mesh.Mesh{}.WithDefaults()
	p := must.Value(mesh.NewPassage(b, set))(t)
	at := mesh.Spaced(set.Pitch, set.Wall, set.Wall)
	sharpest := func(th func(i int) float64, k int) float64 {
		most := 0.0
		for i := p.LE - 8; i < p.LE+8; i++ {
			var slope [2]float64
			for n := range slope {
				lo, hi := p.Vertex(i-1+n, 0, k), p.Vertex(i+n, 0, k)
				slope[n] = math.Atan(math.Hypot(hi[0], hi[1]) * (th(i+n) - th(i-1+n)) / (hi[2] - lo[2]))
			}
			most = max(most, math.Abs(slope[1]-slope[0]))
		}
		return most
	}
	angle := func(i, j, k int) float64 {
		x := p.Vertex(i, j, k)
		return math.Atan2(x[1], x[0])
	}
	for _, k := range []int{2, p.NK / 2, p.Tip - 2} {
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

// The E3 fan's section table becomes a mesh of positive volumes too.
func TestE3Mesh(t *testing.T) {
	g := e3Fan(t)
	b := must.Value(g.Solid(g.Rows[0], 21, 81))(t)
	_, q, err := Lay(b, mesh.Mesh{})
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
	if _, _, err := Lay(b, mesh.Mesh{}); err == nil ||
		!strings.Contains(err.Error(), `blade row "Rotor 67", section 4: point 2: thickness`) {
		t.Errorf("got %v", err)
	}
}
