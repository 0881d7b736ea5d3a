package bladerow

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/components/blade"
	published "github.com/peregrine-sim/peregrine/config/reference"
)

// rotor67 reads NASA Rotor 67.
func rotor67(t testing.TB) *blade.Body {
	t.Helper()
	data, err := os.ReadFile(published.File(t, "rotor67", "rotor67geometry.dat"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := blade.ReadStreamSurfaces(bytes.NewReader(data), 0.3048)
	if err != nil {
		t.Fatal(err)
	}
	b.Name = "Rotor 67"
	return b
}

// Spacing meets its ends, grows without jumps and starts near the step asked for.
func TestSpaced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
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
	p, err := newPassage(rotor67(t), Mesh{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.quality()
	if err != nil {
		t.Fatal(err)
	}
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

// The E3 fan's section table becomes a mesh of positive volumes too.
func TestE3Mesh(t *testing.T) {
	g, err := blade.Load("../../config/examples/geometry/e3-fan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.Solid(g.Rows[0], 21, 81)
	if err != nil {
		t.Fatal(err)
	}
	q, err := MeshQuality(b, Mesh{})
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := MeshQuality(b, Mesh{}); err == nil || !strings.Contains(err.Error(), `blade row "Rotor 67", section 4: point 2: thickness`) {
		t.Errorf("got %v", err)
	}
}
