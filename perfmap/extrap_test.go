package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// withExtrap is a map with another way to continue.
func withExtrap(t *rapid.T, m *perfmap.Map, e perfmap.Extrap) *perfmap.Map {
	c := *m
	c.Extrap = e
	return must.Value(perfmap.New(c))(t)
}

// outside draws a value beyond an axis, within as much as the axis is long.
func outside(t *rapid.T, name string, axis []float64) (v, edge float64) {
	span := numeric.Last(axis) - axis[0]
	by := rapid.Float64Range(0.01, 1).Draw(t, name+" beyond") * span
	if rapid.Bool().Draw(t, name+" above") {
		return numeric.Last(axis) + by, numeric.Last(axis)
	}
	return axis[0] - by, axis[0]
}

// Hold: outside, a map is what it is at the edge, and has no slope across it.
func TestHoldKeepsTheEdge(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := withExtrap(t, perfmaptest.Random(t), perfmap.Extrap{Nc: perfmap.Hold, X: perfmap.Hold})
		alpha := perfmaptest.In(t, "alpha", m.Alpha)
		nc, ncEdge := outside(t, "Nc", m.Nc)
		x, xEdge := outside(t, "X", m.X)
		for _, table := range m.Tables {
			got, edge := m.Value(table.Name, perfmap.Point{alpha, nc, x})
			want, _ := m.Value(table.Name, perfmap.Point{alpha, ncEdge, xEdge})
			if got.V != want.V || got.DNc != 0 || got.DX != 0 {
				t.Fatalf("%s: %+v, at the edge %+v", table.Name, got, want)
			}
			if edge&(perfmap.NcLow|perfmap.NcHigh) == 0 || edge&(perfmap.XLow|perfmap.XHigh) == 0 {
				t.Fatalf("the result is silent: %v", edge)
			}
		}
	})
}

// Chord: outside, a map is the straight line through its values at the last two
// grid lines, along which those are interpolated as ever; its derivatives are those of that line.
func TestChordGoesThroughTheLastTwoLines(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := withExtrap(t, perfmaptest.Random(t),
			perfmap.Extrap{Alpha: perfmap.Chord, Nc: perfmap.Chord, X: perfmap.Chord})
		alpha, x := perfmaptest.In(t, "alpha", m.Alpha), perfmaptest.In(t, "X", m.X)
		nc, edge := outside(t, "Nc", m.Nc)
		n1, n2 := m.Nc[0], m.Nc[1]
		if edge != n1 {
			n1, n2 = m.Nc[len(m.Nc)-2], numeric.Last(m.Nc)
		}
		for _, table := range m.Tables {
			got, _ := m.Value(table.Name, perfmap.Point{alpha, nc, x})
			a, _ := m.Value(table.Name, perfmap.Point{alpha, n1, x})
			b, _ := m.Value(table.Name, perfmap.Point{alpha, n2, x})
			slope := (b.V - a.V) / (n2 - n1)
			want := a.V + slope*(nc-n1)
			dx := a.DX + (b.DX-a.DX)/(n2-n1)*(nc-n1)
			if tol := 1e-9 * (1 + math.Abs(want) + math.Abs(slope)); math.Abs(got.V-want) > tol ||
				math.Abs(got.DNc-slope) > tol || math.Abs(got.DX-dx) > tol*(1+math.Abs(dx)) {
				t.Fatalf("%s at %g: %+v, want %g, slopes %g and %g", table.Name, nc, got, want, slope, dx)
			}
		}
	})
}

// Whatever the way to continue, values meet at the edge.
func TestContinuationsMeetTheEdge(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		way := rapid.SampledFrom([]perfmap.Continuation{perfmap.Smooth, perfmap.Chord, perfmap.Hold})
		m := withExtrap(t, perfmaptest.Random(t),
			perfmap.Extrap{Nc: way.Draw(t, "Nc's way"), X: way.Draw(t, "X's way")})
		p := perfmap.Point{perfmaptest.In(t, "alpha", m.Alpha), perfmaptest.In(t, "Nc", m.Nc), numeric.Last(m.X)}
		const h = 1e-9
		for _, table := range m.Tables {
			in, _ := m.Value(table.Name, p)
			out, _ := m.Value(table.Name, perfmap.Point{p.Alpha, p.Nc, p.X + h})
			if math.Abs(in.V-out.V) > 1e-5*(1+math.Abs(in.V)) {
				t.Fatalf("%s jumps from %g to %g", table.Name, in.V, out.V)
			}
		}
	})
}

// Between speeds the stall line is straight; at one value for all speeds it is
// what [Map.Stall] says, and so are the margins.
func TestStallLineBySpeed(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := perfmaptest.Random(t)
		c := *m
		c.Stall, c.StallLine = nil, make([]float64, len(m.Nc))
		for i := range c.StallLine {
			c.StallLine[i] = *m.Stall
		}
		same := must.Value(perfmap.New(c))(t)
		nc, x := perfmaptest.In(t, "Nc", m.Nc), perfmaptest.In(t, "X", m.X)
		smn, smw, ok := m.StallMargins(m.Alpha[0], nc, x)
		smn2, smw2, ok2 := same.StallMargins(m.Alpha[0], nc, x)
		if ok != ok2 || math.Abs(smn-smn2) > 1e-6*(1+math.Abs(smn)) || math.Abs(smw-smw2) > 1e-6*(1+math.Abs(smw)) {
			t.Fatalf("%g %g %v, want %g %g %v", smn2, smw2, ok2, smn, smw, ok)
		}

		for i := range c.StallLine {
			c.StallLine[i] = m.X[0] + (numeric.Last(m.X)-m.X[0])*(nc-m.Nc[0]+0.5)/(numeric.Last(m.Nc)+1)*float64(i)/
				float64(len(m.Nc))
		}
		if bent, err := perfmap.New(c); err == nil {
			for i, n := range m.Nc {
				if got := bent.StallX(n); math.Abs(got-c.StallLine[i]) > 1e-12*(1+math.Abs(got)) {
					t.Fatalf("at Nc %g: %g, want %g", n, got, c.StallLine[i])
				}
			}
			if got := bent.StallX(numeric.Last(m.Nc) + 1); got != numeric.Last(c.StallLine) {
				t.Fatalf("beyond the last speed: %g, want %g", got, numeric.Last(c.StallLine))
			}
		}
	})
}

// What round-off puts beyond a bound is on the map.
func TestHairBeyondTheEdge(t *testing.T) {
	m := perfmaptest.Fan(t, perfmap.Monotone)
	nc, x := numeric.Last(m.Nc), numeric.Last(m.X)
	for _, c := range []struct {
		nc, x float64
		want  perfmap.Edge
	}{
		{nc * (1 + 1e-10), x * (1 + 1e-10), 0},
		{nc * (1 + 1e-7), x, perfmap.NcHigh},
		{nc, x * (1 + 1e-7), perfmap.XHigh},
		{m.Nc[0] * (1 - 1e-10), m.X[0], 0},
		{m.Nc[0] * (1 - 1e-7), m.X[0], perfmap.NcLow},
	} {
		if got := m.At(0, c.nc, c.x, make([]perfmap.Value, 16)); got != c.want {
			t.Errorf("at %.12g, %.12g: %v, want %v", c.nc, c.x, got, c.want)
		}
	}
}
