package perfmap_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

const kappa = 0.4 / 1.4

// madeCompressor draws a map that MakeCompressor makes.
func madeCompressor(t *rapid.T) *perfmap.Map {
	for {
		m, err := perfmap.MakeCompressor(perfmap.CompressorShape{
			PR:  1 + math.Exp(rapid.Float64Range(math.Log(0.05), math.Log(25)).Draw(t, "PR-1")),
			Eff: rapid.Float64Range(0.7, 0.9).Draw(t, "eff"), Wc: 100,
		})
		if err == nil {
			return m
		}
	}
}

// speed draws a speed from standstill to half beyond the map, and place a third coordinate from two
// lengths of the axis below to five above.
func speed(t *rapid.T, m *perfmap.Map) float64 {
	return rapid.Float64Range(0, 1.5*numeric.Last(m.Nc)).Draw(t, "Nc")
}

func place(t *rapid.T, m *perfmap.Map) float64 {
	span := numeric.Last(m.X) - m.X[0]
	return rapid.Float64Range(m.X[0]-2*span, numeric.Last(m.X)+5*span).Draw(t, "X")
}

// state returns flow, ln PR and ln(1 + work).
func state(m *perfmap.Map, nc, x float64) (flow, lambda, omega float64, s perfmap.Stream) {
	flow, s, _ = m.State(m.Design.Alpha, nc, x, make([]perfmap.Value, len(m.Tables)))
	work := s.Work
	if !s.ByWork {
		work = math.Expm1(kappa*math.Log(s.PR)) / s.Eff
	}
	return flow, math.Log(s.PR), math.Log1p(work), s
}

// possible fails the test unless a state is one that a gas can be in.
func possible(t *rapid.T, m *perfmap.Map, nc, x float64) {
	flow, lambda, omega, s := state(m, nc, x)
	for _, v := range []float64{flow, lambda, omega} {
		if !numeric.Finite(v) {
			t.Fatalf("flow %g, ln PR %g, ln(1+w) %g at Nc %g, X %g", flow, lambda, omega, nc, x)
		}
	}
	if flow < 0 || nc > 0.01 && flow == 0 {
		t.Fatalf("flow %g at Nc %g, X %g", flow, nc, x)
	}
	if kappa*lambda > omega+1e-12 {
		t.Fatalf("entropy falls by %g cp at Nc %g, X %g: %+v", kappa*lambda-omega, nc, x, s)
	}
	if omega < -1e-12 && s.PR >= 1 {
		t.Fatalf("PR %g, and it gives power, at Nc %g, X %g", s.PR, nc, x)
	}
	if s.Eff > 1+1e-12 || s.Eff < 0 && s.PR > 1 || s.Eff > 0 && s.PR < 1 {
		t.Fatalf("efficiency %g with PR %g at Nc %g, X %g", s.Eff, s.PR, nc, x)
	}
	if s.PR < 0.2 {
		t.Fatalf("PR %g at Nc %g, X %g", s.PR, nc, x)
	}
}

// Wherever a solver takes a compressor, the entropy rises, and it gives power only where the pressure falls; so it is
// beyond the edge of any map, however it is to be continued.
func TestBeyondIsPossible(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeCompressor(t)
		possible(t, m, speed(t, m), place(t, m))
		way := rapid.SampledFrom([]perfmap.Continuation{perfmap.Smooth, perfmap.Chord, perfmap.Hold})
		m = withExtrap(t, perfmaptest.Random(t), perfmap.Extrap{Nc: way.Draw(t, "Nc's way"), X: way.Draw(t, "X's way")})
		nc, x := speed(t, m), place(t, m)
		// on the map its tables hold
		if e := m.At(m.Design.Alpha, nc, x, make([]perfmap.Value, len(m.Tables))); e != 0 {
			possible(t, m, nc, x)
		}
	})
}

// Flow, pressure and temperature have no kink anywhere, least of all where the map ends.
func TestBeyondIsSmooth(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeCompressor(t)
		nc, x := speed(t, m), place(t, m)
		x = min(x, 2*numeric.Last(m.X)-m.X[0])
		dn, dx := 0.0, 0.0
		const h = 1e-7
		if rapid.Bool().Draw(t, "across speed") {
			nc = rapid.SampledFrom([]float64{m.Nc[0], numeric.Last(m.Nc), nc}).Draw(t, "crossed")
			dn = h
		} else {
			x = rapid.SampledFrom([]float64{m.X[0], numeric.Last(m.X), x}).Draw(t, "crossed")
			dx = h
		}
		if nc < 0.02 || nc > 1.1*numeric.Last(m.Nc) {
			return // where the logarithm ends, or lines may lean the other way
		}
		at := func(i float64) [3]float64 {
			w, l, o, _ := state(m, nc+i*dn, x+i*dx)
			return [3]float64{math.Log(w), l, o}
		}
		a, b, c := at(-1), at(0), at(1)
		for i, name := range []string{"ln Wc", "ln PR", "ln(1+w)"} {
			before, after := (b[i]-a[i])/h, (c[i]-b[i])/h
			if math.Abs(after-before) > 2e-3*(1+math.Abs(before)+math.Abs(after)) {
				t.Fatalf("the slope of %s goes from %g to %g at Nc %g, X %g", name, before, after, nc, x)
			}
		}
	})
}

// What a solver needs: flow rises with speed from standstill on, and along a line beyond choke flow
// does not fall, and pressure and temperature do.
func TestBeyondIsMonotone(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeCompressor(t)
		slow := rapid.Float64Range(1e-3, m.Nc[0]).Draw(t, "slow")
		fast := rapid.Float64Range(slow, m.Nc[0]).Draw(t, "fast")
		x := perfmaptest.In(t, "X", m.X)
		w1, _, _, _ := state(m, slow, x)
		w2, _, _, _ := state(m, fast, x)
		if fast > slow && w2 <= w1 {
			t.Fatalf("at X %g the flow goes from %g to %g between the speeds %g and %g", x, w1, w2, slow, fast)
		}
		nc := speed(t, m)
		end := numeric.Last(m.X)
		a := end + rapid.Float64Range(0, 10).Draw(t, "out")
		b := a + rapid.Float64Range(1e-3, 10).Draw(t, "further")
		wa, la, oa, _ := state(m, nc, a)
		wb, lb, ob, _ := state(m, nc, b)
		if wb < wa*(1-1e-12) || lb > la+1e-12 || ob > oa+1e-12 {
			t.Fatalf("Nc %g, from X %g to %g: Wc %g to %g, ln PR %g to %g, ln(1+w) %g to %g", nc, a, b, wa, wb, la, lb,
				oa, ob)
		}
	})
}

// A rotor that stands still takes no power, and lets the flow through with a loss that rises with it.
func TestLockedRotor(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		m := madeCompressor(t)
		end := numeric.Last(m.X)
		lastW, lastL := 0.0, 1e-12
		for d := 0.5; d < 20 && lastL > math.Log(0.25); d *= 2 {
			w, l, o, s := state(m, 0, end+d)
			if math.Abs(o) > 1e-14 || w <= lastW || l >= lastL || s.PR > 1 {
				t.Fatalf("at X %g: flow %g, PR %g, ln(1+w) %g", end+d, w, s.PR, o)
			}
			lastW, lastL = w, l
		}
	})
}

// Between the lowest line and standstill, at the same X, it is similar: flow goes as the speed, work
// and loss as its square.
func TestLowSpeedIsSimilar(t *testing.T) {
	m := perfmaptest.Fan(t, perfmap.Monotone)
	at := func(n float64) (phi, psi, loss float64) {
		w, l, o, _ := state(m, n, 2.2)
		return w / n, o / (n * n), (o - kappa*l) / (n * n)
	}
	p1, w1, l1 := at(0.05)
	p2, w2, l2 := at(0.01)
	for _, c := range [][2]float64{{p1, p2}, {w1, w2}, {l1, l2}} {
		if math.Abs(c[0]/c[1]-1) > 1e-3 || !(c[0] > 0) {
			t.Errorf("coefficients %g and %g", c[0], c[1])
		}
	}
}
