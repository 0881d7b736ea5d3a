package perfmap

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Continuation of compressor maps beyond their ends by similarity. A pair of PR and efficiency is not suitable: at PR =
// 1 the efficiency is 0/0, and PR < 1 with an efficiency between 0 and 1 would be a gas that cools more than it
// expands. The continuation therefore uses flow, work and entropy rise, each of a stream of constant specific heats
// with k = 0.4/1.4,
//
//	w     = dh/(cp Tt_in),   omega = ln(1 + w)       the logarithm of Tt_out/Tt_in
//	sigma = ds/cp >= 0,      k ln PR = omega - sigma
//
// so that its results are always physical states. Per speed squared, the first terms of omega and sigma are the work
// and loss coefficients of incompressible flow, which are functions of the flow coefficient Wc/Nc alone (S. L. Dixon
// and C. A. Hall, Fluid Mechanics and Thermodynamics of Turbomachinery, 7th ed., chapter 2). C. Riegler, M. Bauer and
// J. Kurzke ("Some aspects of modelling compressor behaviour in gas turbine performance calculations", ASME
// 2000-GT-574) and J. Kurzke ("Starting and windmilling simulations using compressor and turbine maps", J. Global Power
// and Propulsion Society 7, 2023) extend maps to low speeds with work in place of efficiency, too. P. P. Walsh and P.
// Fletcher, Gas Turbine Performance, 2nd ed., chapters 9 and 10, describe the operation of compressors at low speeds.
//
// Below the lowest speed line n0, at the same X, with r = Nc/n0, every quantity q of degree g (flow 1, omega and sigma
// 2) is
//
//	q = r^g [q0 + (n0 dq/dn - g q0) (r^4 - 1)/4]
//
// which has the value and the slope of the map at n0 and soon follows similarity. Above the highest line the flow
// continues linearly. The other quantities also start linearly and level off over half that speed.
//
// Beyond the end of the lines towards choke by d, with the axis' length b and m = r d + d^2/b,
//
//	Wc    = r F + F' m + q^2 F_s,  q = max(1-r, 0) m/b
//	omega = r^2 O + r O' m
//	sigma = r^2 S + r S' [h m + (1-h) L(m)] + (-O') m (0.4 F'm/F + 0.05 m/b) + q^4 S_s
//
// where F, O, S are the values at the end over r, r^2 and r^2, and ' is the slope along X. The work is linear in the
// flow coefficient, by Euler's equation, and the loss grows as the square of the incidence. So a compressor that turns
// slowly for its flow passes from compressing through stirring (it takes power, PR < 1) to windmilling (it gives power,
// PR < 1); and at Nc = 0 flow passes a locked rotor with a pressure loss proportional to its square. The terms are:
//
//   - 0.4: with constant outlet angles the work falls by (1 - psi)/phi per flow coefficient, and a locked stage loses
//     about 1.2 dynamic heads of the axial velocity, 0.6 phi^2 U^2 (psi = 0.35, phi = 0.5). The term with 0.05 prevents
//     a vertical line from becoming a turbine without loss.
//   - h: at high speed a line ends by choking, and its loss continues with the slope at the end (h = 1 from 0.8 of the
//     design speed); at low speed, without choking, that rise levels off over a quarter of the axis, L(m) = b/4 (1 -
//     exp(-4 m/b)) (h = 0 up to 0.4).
//   - q: below n0 the line opens, since the last stages no longer choke. F_s and S_s are the flow and the loss of the
//     locked rotor at n0, with the loss 0.43 w_D [(1 + s + s^2)/3] (Wc/Wc_D)^2, the 1.2 dynamic heads again, as a mean
//     over stages; the last stage is smaller than the first by the density ratio s of the design (D).
//
// Beyond the stall line, where this model does not apply, omega and sigma level off over the axis' length, and the flow
// falls exponentially.
//
// A quantity that must not be negative falls exponentially instead of linearly (see [grow]). ln PR and omega/k bend by
// the same function below PR 0.6, towards 0.2. This keeps the sign of sigma, and keeps the gas above absolute zero.
//
// Smooth maps are continued in this way from their bounds, C1. An imported map is first continued as in its own
// program, by [Map.At], and blends into this continuation over a stated distance (see [Map.Beyond]); a process that
// would destroy entropy is made isentropic.

// Beyond is a place outside of a compressor map, or with an efficiency too low to determine the work.
type Beyond struct {
	near   float64 // weight of the map's own continuation, by distance
	trust  float64 // that, less where the efficiency is low
	edge   bool    // beyond the map, not on it
	one    bool    // a single speed line
	r      float64 // speed over that of the lowest line
	n0     float64 // that speed
	over   float64 // by how much the speed is above that of the highest line
	out    float64 // distance beyond in X
	sign   float64 // 1 if that is to larger X
	choke  bool    // towards choke, not stall
	choked float64 // h
	width  float64 // b

	flow   jet     // F
	gain   float64 // F'
	flowAt float64 // the corner's flow in the map's terms
	stand  float64 // F_s in the map's terms
	loss   float64 // S_s
	opened float64 // q^2
}

// The distances over which the weight of a map's own continuation falls from 1 (full) to 0 (gone): Nc relative to the
// lowest and to the highest speed line, and X beyond either end of the axis, relative to the length of the axis.
const (
	fullBelow, goneBelow = 0.90, 0.75
	fullAbove, goneAbove = 1.2, 1.5
	fullAside, goneAside = 0.05, 0.20
)

// Between these speeds, as fractions of the design speed, a line's loss beyond its end changes from incidence to
// choking.
const subsonic, transonic = 0.4, 0.8

// Beyond returns the place of a point outside of a compressor map. It writes the tables' corners there for [Beyond.At];
// the caller scales them like the tables. It returns false for ok if the map itself holds: on the map, where the
// efficiencies are 0.2 or more. If a map ends at PR = 1 with efficiency 0, the work on the last part is that of the
// rest.
//
// An imported map's own continuation holds from 1 to 0.9 times the speed of the lowest line, up to 1.2 times that of
// the highest, and up to a twentieth of the third axis beyond either end. It has no weight at 0.75, at 1.5 and at a
// fifth.
func (m *Map) Beyond(alpha, nc, x float64, values []Value, edge Edge, corners []Corner) (b Beyond, ok bool) {
	lo, hi := m.X[m.lo], m.X[m.hi]
	b = Beyond{near: 1, edge: edge != 0, one: len(m.Nc) == 1, n0: m.Nc[0], width: numeric.Last(m.X) - m.X[0]}
	b.r = max(nc, 0) / b.n0
	b.choked = ease((nc/m.Design.Nc - subsonic) / (transonic - subsonic))
	if b.edge {
		top := numeric.Last(m.Nc)
		b.near = m.continuationWeight(nc, x)
		b.over = level(max(nc-top, 0), top/2)
	} else if !m.vague(values) {
		return b, false
	}
	at := numeric.Clamp(x, m.X[m.lo:m.hi+1])
	if at == hi {
		at = hi - 1e-9*(hi-lo) // the slope is that of the cell below
	}
	b.out, b.sign = math.Abs(x-at), 1
	if x < at {
		b.sign = -1
	}
	b.choke = (b.sign > 0) == m.chokeHigh
	m.corners(alpha, numeric.Clamp(nc, m.Nc), at, corners)
	if at := &corners[m.flow]; at.V <= 0 { // where a parabola overshoots
		*at = Corner{V: slices.Min(m.Tables[m.flow].V)}
	}
	n0 := b.n0 / m.Design.Nc
	b.flowAt, b.stand, b.loss = corners[m.flow].V, n0*m.standFlow, n0*n0*m.standLoss
	return b, true
}

// continuationWeight is the weight of a compressor map's own continuation, 0 to 1.
func (m *Map) continuationWeight(nc, x float64) float64 {
	top, last, width := numeric.Last(m.Nc), len(m.X)-1, numeric.Last(m.X)-m.X[0]
	weight := 1.0
	switch {
	case nc >= m.Nc[0] && nc <= top:
	case len(m.Nc) > 1 && m.Extrap.Nc.smooth():
		return 0
	default:
		weight = ease((nc/m.Nc[0]-goneBelow)/(fullBelow-goneBelow)) * ease((goneAbove-nc/top)/(goneAbove-fullAbove))
	}
	aside := max(m.X[0]-x, x-m.X[last])
	if aside > 0 && m.Extrap.X.smooth() && (x > m.X[last] && m.hi == last || x < m.X[0] && m.lo == 0) {
		return 0
	}
	return weight * ease((goneAside-aside/width)/(goneAside-fullAside))
}

// vague reports whether an efficiency is too low to determine the work.
func (m *Map) vague(values []Value) bool {
	return slices.ContainsFunc(m.effs, func(t int) bool { return values[t].V < trustedEff })
}

// ease rises from 0 at 0 to 1 at 1 with no slope at either.
func ease(t float64) float64 {
	t = min(max(t, 0), 1)
	return t * t * (3 - 2*t)
}

// At sets the flow and the streams of a place, in the caller's scale, from the values of the map's own continuation and
// the corners.
func (b *Beyond) At(flow *float64, at Corner, streams []Stream) {
	b.trust = b.near
	for i := range streams {
		b.trust *= ease((streams[i].Eff - voidEff) / (trustedEff - voidEff))
		if b.edge && !(streams[i].PR > 0 && *flow > 0) {
			b.trust = 0
		}
	}
	if b.trust < 1 {
		*flow = b.trust**flow + (1-b.trust)*b.passes(at)
	}
	for i := range streams {
		b.stream(&streams[i])
	}
}

// Stream is the effect of a compressor on a stream.
type Stream struct {
	PR, Eff float64
	// Work is dh/(cp Tt_in) of a gas with k = 0.4/1.4, whose ideal value is PR^k - 1. It is used if ByWork is set;
	// otherwise Eff determines the work.
	Work   float64
	ByWork bool

	PRAt, EffAt Corner
}

// passes returns the flow beyond.
func (b *Beyond) passes(at Corner) float64 {
	b.flow = b.slow(jet{at.V, at.X}, jet{at.Nc, at.Cross}, 1, true)
	f := b.flow.v
	b.gain = b.sign * b.flow.x
	if !b.choke {
		return grow(b.r*f, b.r*b.gain*b.out)
	}
	b.gain = max(b.gain, 0)
	if b.r < 1 {
		q := (1 - b.r) * b.steps() / b.width
		b.opened = q * q
	}
	return b.r*f + b.gain*b.steps() + b.opened*b.stand*at.V/b.flowAt
}

// steps is m.
func (b *Beyond) steps() float64 { return b.out * (b.r + b.out/b.width) }

// level returns about v for small v, and approaches length for large v.
func level(v, length float64) float64 { return -length * math.Expm1(-v/length) }

// slow continues a quantity of a degree to the place's speed, from its value and slope by
// speed at the corner, and returns it over r^degree.
func (b *Beyond) slow(q, slope jet, degree float64, positive bool) jet {
	over := math.Pow(b.r, -degree)
	switch {
	case b.one:
		return q
	case b.r < 1:
		change := slope.times(b.n0).minus(q.times(degree)).times((b.r*b.r*b.r*b.r - 1) / 4)
		if positive {
			return q.grow(change)
		}
		return q.plus(change)
	case b.over > 0:
		change := slope.times(b.over)
		if positive {
			return q.grow(change).times(over)
		}
		return q.plus(change).times(over)
	}
	return q.times(over)
}

// stream sets the values of a stream.
func (b *Beyond) stream(s *Stream) {
	var omega, lambda float64
	temperatureRise := math.Expm1(kappa*math.Log(s.PR)) / s.Eff // (Tt2 - Tt1) / Tt1
	if b.trust > 0 {
		omega, lambda = b.trust*math.Log1p(temperatureRise), b.trust*math.Log(s.PR)
	}
	if b.trust == 1 {
		if s.ByWork = b.edge && kappa*lambda > omega; !s.ByWork {
			return
		}
	} else {
		o, l := b.similar(s)
		omega, lambda = omega+(1-b.trust)*o, lambda+(1-b.trust)*l
	}
	omega = max(omega, kappa*lambda)
	s.ByWork, s.Work, s.PR = true, math.Expm1(omega), math.Exp(lambda)
	s.Eff = nan
	if omega > 0 {
		s.Eff = math.Expm1(kappa*lambda) / s.Work
	}
}

// similar returns omega and ln PR beyond.
func (b *Beyond) similar(s *Stream) (omega, lambda float64) {
	const least = 0.05 // of a worn or scaled efficiency, and of a ratio where a parabola overshoots
	pr, dpr := jet{s.PRAt.V, s.PRAt.X}, jet{s.PRAt.Nc, s.PRAt.Cross}
	eff, deff := jet{s.EffAt.V, s.EffAt.X}, jet{s.EffAt.Nc, s.EffAt.Cross}
	if eff.v < least {
		eff, deff = jet{v: least}, jet{}
	}
	if pr.v < least {
		pr, dpr = jet{v: least}, jet{}
	}
	ln, dln := pr.log().times(kappa), dpr.over(pr).times(kappa)
	ideal := ln.expm1()
	w := ideal.over(eff)
	dw := ln.exp().by(dln).minus(w.by(deff)).over(eff)
	o, do := w.log1p(), dw.over(jet{1 + w.v, w.x})
	if ideal.v < 0 { // a map that ends in the impossible
		o, do = ln, dln
	}
	O := b.slow(o, do, 2, false)
	S := b.slow(o.minus(ln), do.minus(dln), 2, true)
	turn, loss := b.sign*O.x, b.sign*S.x
	r, m, k := b.r, b.r*level(b.out, b.width), 0.0
	if b.choke {
		m = b.steps()
		turn = min(turn, 0)
		k = -turn * (0.4*b.gain*m/b.flow.v + 0.05*m/b.width)
	}
	omega = r*r*O.v + r*turn*m
	sigma := grow(r*r*S.v, r*loss*(b.choked*m+(1-b.choked)*level(m, b.width/4))) + k*m + b.loss*b.opened*b.opened
	return kappa * bent(omega/kappa), bent((omega - sigma) / kappa)
}

// bent keeps the logarithm of a pressure ratio above that of 0.2, from 0.6 on.
func bent(v float64) float64 {
	low, range_ := math.Log(0.6), math.Log(0.6/0.2)
	if v >= low {
		return v
	}
	return low - range_*(1-math.Exp((v-low)/range_))
}

// State looks up a compressor map as [Map.At] does, and continues beyond it as [Map.Beyond] does. It returns the flow
// and the first stream, in the map's units.
func (m *Map) State(alpha, nc, x float64, out []Value) (flow float64, s Stream, edge Edge) {
	edge = m.At(alpha, nc, x, out)
	pr, eff := m.Index("PR"), m.Index("eff")
	flow = out[m.flow].V
	streams := [1]Stream{{PR: out[pr].V, Eff: out[eff].V}}
	var stack [12]Corner
	corners := stack[:]
	if len(m.Tables) > len(corners) {
		corners = make([]Corner, len(m.Tables))
	}
	corners = corners[:len(m.Tables)]
	if b, ok := m.Beyond(alpha, nc, x, out, edge, corners); ok {
		streams[0].PRAt, streams[0].EffAt = corners[pr], corners[eff]
		b.At(&flow, corners[m.flow], streams[:])
	}
	return flow, streams[0], edge
}
