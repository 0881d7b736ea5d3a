package components

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

func exchange(t tb, c Component, d *Declaration, x *Context, q float64) {
	t.Helper()
	*d.Unknowns[0].At = q
	must.OK(t, d.Early.Eval(x))
	eval(t, c, x)
}

// balance finds the heat by the secant method on the residual, which is all but linear in it.
func balance(t tb, c Component, d *Declaration, x *Context) float64 {
	t.Helper()
	r := func(q float64) float64 { exchange(t, c, d, x, q); return *d.Residuals[0].At }
	q := 1e4 * r(0) / (r(0) - r(1e4))
	must.Within(t, "residual", r(q), 0, 1e-11)
	return q
}

// Published points: counterflow and parallel at NTU 1, r 0.5 and 1 by hand, limits
// r = 0 (all alike: a condenser) and NTU without end; the inverse gives NTU back.
func TestEffectiveness(t *testing.T) {
	e := math.Exp(-0.5)
	near(t, "counterflow", effectiveness(counterflow, 1, 0.5), (1-e)/(1-0.5*e), 1e-14)
	near(t, "counterflow, equal rates", effectiveness(counterflow, 3, 1), 0.75, 1e-14)
	near(t, "counterflow near equal rates", effectiveness(counterflow, 3, 1-2e-9), 0.75, 1e-6)
	near(t, "parallel", effectiveness(parallel, 1, 1), (1-math.Exp(-2))/2, 1e-14)
	near(t, "crossflow, r 1, NTU 1", effectiveness(crossflow, 1, 1), 0.4769, 0.02) // Kays and London, table 2-7: 0.476
	testenv.Check(t, func(t *rapid.T) {
		how := rapid.SampledFrom([]string{counterflow, parallel, crossflow}).Draw(t, "arrangement")
		ntu, r := rapid.Float64Range(0.01, 8).Draw(t, "NTU"), rapid.Float64Range(0, 1).Draw(t, "r")
		eps := effectiveness(how, ntu, r)
		near(t, "r = 0", effectiveness(how, ntu, 0), 1-math.Exp(-ntu), 1e-9)
		if !(eps > 0 && eps < 1) || eps > effectiveness(counterflow, ntu, r)*(1+1e-9) {
			t.Errorf("%s: effectiveness %g, counterflow has %g", how, eps, effectiveness(counterflow, ntu, r))
		}
		if back, err := transferUnits(how, eps, r); err != nil || math.Abs(effectiveness(how, back, r)-eps) > 1e-12 {
			t.Errorf("%s: NTU %g came back as %g (%v)", how, ntu, back, err)
		}
	})
	must.Refuse(transferUnits(parallel, 0.6, 1))(t, "cannot be had")
}

// Energy closes, heat flows from hot to cold and entropy rises; the given effectiveness results at design, and the same
// exchanger off design gives the same point.
func TestExchangerBalances(t *testing.T) {
	x := design(t)
	testenv.Check(t, func(t *rapid.T) {
		eps := rapid.Float64Range(0.05, 0.95).Draw(t, "effectiveness")
		c, d := build(t, "heat_exchanger", map[string]any{"effectiveness": eps, "dPqP_cold": 0.02, "dPqP_hot": 0.03})
		cold := inflow(t, x, rapid.Float64Range(1, 30).Draw(t, "Wcold"), rapid.Float64Range(250, 900).Draw(t, "Tcold"),
			8e5, 0)
		hot := inflow(t, x, rapid.Float64Range(1, 30).Draw(t, "Whot"), rapid.Float64Range(250, 900).Draw(t, "Thot"),
			1.1e5, 0.015)
		feed(t, d, "cold", cold)
		feed(t, d, "hot", hot)
		q := balance(t, c, d, x)
		a, b := outlet(t, d, "cold_out"), outlet(t, d, "hot_out")
		near(t, "energy", a.W*a.H+b.W*b.H, cold.W*cold.H+hot.W*hot.H, 1e-9)
		near(t, "pressure of the cold stream", a.P, 0.98*8e5, 1e-13)
		near(t, "pressure of the hot stream", b.P, 0.97*1.1e5, 1e-13)
		if q*(hot.T-cold.T) < 0 || (a.T-cold.T)*(hot.T-a.T) < -1e-6 || (hot.T-b.T)*(b.T-cold.T) < -1e-6 {
			t.Errorf("%g K and %g K become %g K and %g K", cold.T, hot.T, a.T, b.T)
		}
		if rise := a.W*(a.S-cold.S) + b.W*(b.S-hot.S); rise < 0 {
			t.Errorf("entropy falls by %g W/K", -rise)
		}
		ntu := value(t, d, "NTU")
		near(t, "heat off design", balance(t, c, d, off(x)), q, 1e-9)
		near(t, "NTU off design", value(t, d, "NTU"), ntu, 1e-9)
	})
}

// At a lower flow the same surface comes nearer to the limit; with coefficients that
// go as the flow NTU stays.
func TestExchangerOffDesign(t *testing.T) {
	x := design(t)
	at := func(exponent float64) (eps, ntu float64) {
		c, d := build(t, "heat_exchanger",
			map[string]any{"effectiveness": 0.8, "exponent": exponent, "dPqP_cold": 0.04})
		cold, hot := inflow(t, x, 10, 600, 8e5, 0), inflow(t, x, 10, 900, 1.1e5, 0.015)
		feed(t, d, "cold", cold)
		feed(t, d, "hot", hot)
		balance(t, c, d, x)
		first := value(t, d, "NTU")
		cold.W, hot.W = 5, 5
		balance(t, c, d, off(x))
		near(t, "loss at half the corrected flow", outlet(t, d, "cold_out").P, 0.99*8e5, 1e-12)
		return value(t, d, "eps"), value(t, d, "NTU") / first
	}
	eps, ntu := at(1)
	near(t, "effectiveness at exponent 1", eps, 0.8, 1e-9)
	near(t, "NTU at exponent 1", ntu, 1, 1e-9)
	eps, ntu = at(0.8)
	near(t, "NTU at exponent 0.8", ntu, math.Pow(2, 0.2), 1e-9)
	if eps <= 0.8 {
		t.Errorf("effectiveness falls to %g at half the flow", eps)
	}
}
