package average_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
)

var air = average.Perfect{Gamma: 1.4, Rgas: 287.05}

// randomPlane draws a plane with the scatter of a fan's exit.
func randomPlane(t *rapid.T) average.Plane {
	var p average.Plane
	for range rapid.IntRange(1, 40).Draw(t, "cells") {
		p.DW = append(p.DW, rapid.Float64Range(0.01, 10).Draw(t, "dW"))
		p.DA = append(p.DA, rapid.Float64Range(0.001, 1).Draw(t, "dA"))
		p.Pt = append(p.Pt, rapid.Float64Range(8e4, 2e5).Draw(t, "Pt"))
		p.Tt = append(p.Tt, rapid.Float64Range(280, 360).Draw(t, "Tt"))
		p.Ps = append(p.Ps, rapid.Float64Range(5e4, 8e4).Draw(t, "Ps"))
		p.Alpha = append(p.Alpha, rapid.Float64Range(-1, 1).Draw(t, "Alpha"))
	}
	return p
}

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1e-300, math.Abs(want))
}

// The work average of a perfect gas has a closed form, and the reference
// pressure does not enter it (Cumpsty and Horlock 2006).
func TestWorkAverageOfPerfectGas(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		p := randomPlane(t)
		k := (air.Gamma - 1) / air.Gamma
		var num, den float64
		for i, dw := range p.DW {
			num += p.Tt[i] * dw
			den += p.Tt[i] / math.Pow(p.Pt[i], k) * dw
		}
		want := math.Pow(num/den, 1/k)
		for _, reference := range []float64{2e4, 101325, 3e5} {
			m := must.Value(average.Of(p, air, reference))(t)
			if !near(m.Pt[average.Work], want, 1e-12) {
				t.Fatalf("reference %g: %.15g, want %.15g", reference, m.Pt[average.Work], want)
			}
		}
	})
}

// Averages lie within what they average. With one total temperature they are
// power means of the exponents -k, 0 and 1, and so in this order.
func TestAveragesAreMeans(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		p := randomPlane(t)
		for i := range p.Tt {
			p.Tt[i] = 300
		}
		m := must.Value(average.Of(p, air, 1e5))(t)
		low, high := math.Inf(1), 0.0
		for _, v := range p.Pt {
			low, high = min(low, v), max(high, v)
		}
		for how, v := range m.Pt {
			if v < low*(1-1e-12) || v > high*(1+1e-12) {
				t.Fatalf("%s average %g outside %g to %g", how, v, low, high)
			}
		}
		if slack := 1 + 1e-12; m.Pt[average.Work] > m.Pt[average.Entropy]*slack ||
			m.Pt[average.Entropy] > m.Pt[average.Mass]*slack {
			t.Fatalf("not in order: work %g, entropy %g, mass %g", m.Pt[average.Work], m.Pt[average.Entropy],
				m.Pt[average.Mass])
		}
	})
}

func TestUniformFlowIsItsOwnAverage(t *testing.T) {
	p := average.Plane{DW: []float64{1, 2, 3}, DA: []float64{3, 2, 1}, Pt: []float64{1.7e5, 1.7e5, 1.7e5},
		Tt: []float64{345, 345, 345}}
	m := must.Value(average.Of(p, air, 1e5))(t)
	if m.W != 6 || m.A != 6 || !near(m.Tt, 345, 1e-11) {
		t.Errorf("%+v", m)
	}
	for how, v := range m.Pt {
		if !near(v, 1.7e5, 1e-10) {
			t.Errorf("%s average %.15g", how, v)
		}
	}
}

func TestStreamsConserve(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		p := randomPlane(t)
		cut := rapid.Float64Range(0.01, 0.98).Draw(t, "cut")
		in := average.Mean{
			W: 1, Tt: 288.15, Ht: 288.15 * 1.4 * 287.05 / 0.4, Pt: map[average.Averaging]float64{average.Work: 101325},
		}
		o := must.Value(average.Streams(p, in, air, average.Work, cut, cut+0.01))(t)
		if o.Residual > 1e-13 || len(o.Streams) != 3 || !near(o.Streams[0].Fraction, cut, 1e-12) ||
			!near(o.Streams[1].Fraction, 0.01, 1e-9) {
			t.Fatalf("residual %g, %d streams", o.Residual, len(o.Streams))
		}
		area := 0.0
		for _, s := range o.Streams {
			area += s.A
		}
		if !near(area, o.Whole.A, 1e-12) {
			t.Fatalf("areas %g of %g", area, o.Whole.A)
		}
	})
}

// A cut moves the averages steadily, without a jump where it passes from one
// cell to the next: an engine's solver needs that.
func TestCutIsContinuous(t *testing.T) {
	p := average.Plane{DW: []float64{1, 1, 1, 1}, Pt: []float64{1.2e5, 1.5e5, 1.1e5, 1.6e5},
		Tt: []float64{310, 330, 305, 340}}
	at := func(cut float64) float64 {
		parts := must.Value(average.Split(p, cut))(t)
		m := must.Value(average.Of(parts[0], air, 1e5))(t)
		return m.Pt[average.Work]
	}
	for _, cut := range []float64{0.25, 0.5, 0.75} {
		if jump := at(cut+1e-9) - at(cut-1e-9); math.Abs(jump) > 1e-2 {
			t.Errorf("a jump of %g Pa at %g", jump, cut)
		}
	}
}

// A machine of known efficiency gives that efficiency back.
func TestPerformance(t *testing.T) {
	one := func(Pt, Tt float64) average.Mean {
		return must.Value(average.Of(average.Plane{DW: []float64{5}, Pt: []float64{Pt}, Tt: []float64{Tt}}, air, 1e5))(
			t)
	}
	for _, c := range []struct{ PR, effPoly float64 }{{1.6, 0.9}, {20, 0.88}, {0.2, 0.9}} {
		rise := math.Log(c.PR) / c.effPoly
		if c.PR < 1 {
			rise = math.Log(c.PR) * c.effPoly
		}
		T2 := 700 * math.Exp(rise*(air.Gamma-1)/air.Gamma)
		r := must.Value(average.Perform(one(1e5, 700), one(1e5*c.PR, T2), air, average.Mass))(t)
		if !near(r.EffPoly, c.effPoly, 1e-8) || !near(r.PR, c.PR, 1e-12) {
			t.Errorf("%+v, want effPoly %g", r, c.effPoly)
		}
		// Reheat: a compressor's isentropic efficiency lies below its polytropic one, a turbine's above.
		if (c.PR > 1) != (r.Eff < r.EffPoly) {
			t.Errorf("eff %g beside effPoly %g at PR %g", r.Eff, r.EffPoly, c.PR)
		}
	}
}

func TestBadPlanes(t *testing.T) {
	good := average.Plane{DW: []float64{1, 1}, Pt: []float64{1e5, 1e5}, Tt: []float64{300, 300}}
	for what, change := range map[string]func(*average.Plane){
		"reverse flow": func(p *average.Plane) { p.DW = []float64{1, -1} },
		"NaN":          func(p *average.Plane) { p.Pt = []float64{math.NaN(), 1} },
		"lengths":      func(p *average.Plane) { p.Tt = []float64{300} },
		"empty":        func(p *average.Plane) { p.DW = nil },
		"area":         func(p *average.Plane) { p.DA = []float64{1, 0} },
	} {
		p := good
		change(&p)
		var bad *average.PlaneError
		if _, err := average.Of(p, air, 1e5); !errors.As(err, &bad) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, cuts := range [][]float64{{0}, {1}, {0.5, 0.5}, {0.6, 0.5}, {math.NaN()}} {
		if _, err := average.Split(good, cuts...); err == nil {
			t.Errorf("cuts %v were taken", cuts)
		}
	}
	m, _ := average.Of(good, air, 1e5)
	if _, err := average.Perform(m, m, air, average.Area); err == nil {
		t.Error("an area average without areas")
	}
}
