package perfmap

import (
	"math"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Driven is a place below the lowest speed line or pressure ratio of a turbine map.
//
// A turbine of constant outlet angles has an efficiency that is a parabola in blade speed U over jet speed C0 = sqrt(2
// dh_ideal) (Dixon and Hall, chapter 4):
//
//	eff = A q - B q^2,   q = (U/C0) over its value at the end of the map
//
// with A and B from the map's value and slope there. So at a given speed the efficiency becomes negative as the
// pressure ratio approaches 1: the turbine is driven, takes the power B U^2 and heats its gas. A rotor at rest gives no
// power. The efficiency is never above 1, and only over a short range above the best value of the map: over a tenth of
// q, B settles at a value that keeps the parabola below that and, below the lowest speed line, at a value proportional
// to the speed squared. Flow at low pressure ratios falls like that through an orifice,
//
//	Wp ~ sqrt(u) exp((p - 1/2)(u - 1)),   u = ln PR/ln PR_0
//
// where p is the map's exponent of u at PR_0. By speed, with r = Nc/n0, it is Wp [1 + (n0 dWp/dn)/Wp (r^2 - 1)/2],
// exponential where it falls, so that it stays positive. Smooth maps are continued in this way from their bounds, C1.
// Imported maps are first continued by [Map.At], and blend into this continuation from 0.9 to 0.75 times n0 and from u
// = 0.75 to 0.5. Beyond the highest speed line and pressure ratio [Map.At] holds.
type Driven struct {
	near, r, n0, over, top float64
	pr, prAt, slope        float64 // pressure ratios of the engine, and their slope by X
}

// kappaHot is (gamma-1)/gamma of a turbine's gas, gamma = 1.33.
const kappaHot = 0.33 / 1.33

// Driven returns the place of a point below a turbine map whose third axis is PR; the caller scales PR by s_PR. It
// writes the tables' corners there for [Driven.At]. It returns false for ok if the map itself or its own continuation
// holds.
func (m *Map) Driven(alpha, nc, x, sPR float64, corners []Corner) (d Driven, ok bool) {
	if nc >= m.Nc[0] && x >= m.X[0] || m.XName != "PR" {
		return d, false
	}
	at := numeric.Clamp(x, m.X)
	d = Driven{near: 1, r: max(nc, 0) / m.Nc[0], n0: m.Nc[0], over: max(nc-numeric.Last(m.Nc), 0), top: m.best,
		pr: 1 + (x-1)*sPR, prAt: 1 + (at-1)*sPR, slope: sPR}
	if len(m.Nc) == 1 {
		d.r = 1
	}
	const full, gone = 0.75, 0.5
	switch {
	case x >= at:
		d.pr = d.prAt
	case m.Extrap.X.smooth():
		d.near = 0
	default:
		d.near = ease((math.Log(d.pr)/math.Log(d.prAt) - gone) / (full - gone))
	}
	switch {
	case d.r >= 1:
	case m.Extrap.Nc.smooth():
		d.near = 0
	default:
		d.near *= ease((d.r - goneBelow) / (fullBelow - goneBelow))
	}
	if d.near == 1 {
		return d, false
	}
	m.corners(alpha, numeric.Clamp(nc, m.Nc), at, corners)
	return d, true
}

// At sets flow and efficiency, in the caller's scale, from the values of the map's own continuation and the corners.
func (d *Driven) At(wp, eff *float64, flowAt, effAt Corner) {
	w, e := d.bySpeed(flowAt, effAt)
	flow, got := w.v, e.v
	if d.pr != d.prAt {
		flow, got = d.byPressure(w, e, effAt)
	}
	*wp = d.near**wp + (1-d.near)*flow
	*eff = d.near**eff + (1-d.near)*min(got, 1)
}

// bySpeed continues flow and efficiency to the place's speed.
func (d *Driven) bySpeed(flowAt, effAt Corner) (w, e jet) {
	w, dw := jet{flowAt.V, flowAt.X}, jet{flowAt.Nc, flowAt.Cross}
	e, de := jet{effAt.V, effAt.X}, jet{effAt.Nc, effAt.Cross}
	switch {
	case d.over > 0:
		return w.grow(dw.times(d.over)), e.plus(de.times(d.over))
	case d.r < 1:
		b := e.minus(de.times(d.n0))
		return w.grow(dw.times(d.n0 * (d.r*d.r - 1) / 2)), onParabola(e, b, larger(b, d.bound(e)), d.r)
	}
	return w, e
}

// byPressure continues them to its pressure ratio.
func (d *Driven) byPressure(w, e jet, effAt Corner) (wp, eff float64) {
	if d.pr <= 1 {
		return 0, 0
	}
	ln := math.Log(d.prAt)
	u := math.Log(d.pr) / ln
	p := min(max(w.x/w.v*d.prAt*ln/d.slope, 0), 2)
	wp = w.v * math.Sqrt(u) * math.Exp((p-0.5)*(u-1))

	drop, at := -math.Expm1(-kappaHot*math.Log(d.pr)), -math.Expm1(-kappaHot*ln)
	perLn := -2 * at / (kappaHot * (1 - at) / d.prAt * d.slope) // dX/d ln q
	b := e.v - e.x*perLn
	settles := b
	if d.r < 1 { // as the square of the speed
		b0, slope := effAt.V-effAt.X*perLn, effAt.Nc-effAt.Cross*perLn
		settles = d.r * d.r * (b0 + (d.n0*slope-2*b0)*(d.r*d.r*d.r*d.r-1)/4)
	}
	return wp, onParabola(e, jet{v: b}, larger(jet{v: settles}, d.bound(e)), math.Sqrt(at/drop)).v
}

func larger(a, b jet) jet {
	if b.v > a.v {
		return b
	}
	return a
}

// bound returns the least B that keeps the parabola through an efficiency below the best value of the map.
func (d *Driven) bound(e jet) jet {
	top := min(max(d.top, e.v), 1)
	if e.v <= 0 {
		return jet{}
	}
	// (e + b)^2/(4 b) is the top.
	root := math.Sqrt(top * max(top-e.v, 0))
	b := jet{v: 2*top - e.v - 2*root, x: e.x}
	if root > 0 {
		b.x = e.x * (top/root - 1)
	}
	return b
}

// onParabola continues an efficiency from q = 1 to another q. It starts with b for B, which approaches settles within a
// short range.
func onParabola(e, b, settles jet, q float64) jet {
	b = settles.plus(b.minus(settles).times(math.Exp(-math.Abs(q-1) / 0.1)))
	return e.times(q).plus(b.times(q * (1 - q)))
}
