package perfmap

import "github.com/peregrine-sim/peregrine/internal/numeric"

// StallMargins returns the stall margins, in percent, of a point of a compressor map, from unscaled map values:
//
//	SMN = 100 ((Wc/Wc_stall)/(PR/PR_stall) - 1)   stall at the same Nc
//	SMW = 100 (PR_stall - PR)/PR                  stall at the same Wc
//
// The point and its stall point at the same speed come from [Map.State], also outside of the map, so that a point on
// the stall line has zero margin at any speed. A compressor with falling pressure is farther from stall than a
// compressor with rising pressure, and has margins as well.
//
// ok is false if the map has no stall line, or if it has no stall point at that flow within the map's speeds and half
// their span beyond. The latter happens far from stall at high speed; then only SMN is known. An unknown margin is NaN.
// Both are NaN at standstill, where a stalled compressor has no flow.
func (m *Map) StallMargins(alpha, nc, x float64) (smn, smw float64, ok bool) {
	if !m.HasStall() || m.Kind != Compressor {
		return nan, nan, false
	}
	var stack [12]Value
	out := stack[:]
	if len(m.Tables) > len(out) {
		out = make([]Value, len(m.Tables))
	}
	wc, at, _ := m.State(alpha, nc, x, out)
	wcStall, stall, _ := m.State(alpha, nc, m.StallX(nc), out)
	if wcStall <= 0 {
		return nan, nan, false
	}
	smn = 100 * (wc/wcStall/(at.PR/stall.PR) - 1)

	n, ok := m.stallSpeed(alpha, wc, out)
	if !ok {
		return smn, nan, false
	}
	_, pr := m.stallPoint(alpha, n, out)
	return smn, 100 * (pr - at.PR) / at.PR, true
}

// HasStall reports whether the map has a stall line.
func (m *Map) HasStall() bool { return m.Stall != nil || m.StallLine != nil }

// StallX returns X on the stall line at a speed: the only value of the map, or the linear interpolation between its
// speed lines (outside, the value of the nearest line). It is NaN without a stall line.
func (m *Map) StallX(nc float64) float64 {
	switch {
	case m.Stall != nil:
		return *m.Stall
	case m.StallLine == nil:
		return nan
	case len(m.Nc) == 1:
		return m.StallLine[0]
	}
	nc = numeric.Clamp(nc, m.Nc)
	i := numeric.Locate(m.Nc, nc)
	t := (nc - m.Nc[i]) / (m.Nc[i+1] - m.Nc[i])
	return m.StallLine[i]*(1-t) + m.StallLine[i+1]*t
}

// stallSpeed returns the speed whose stall point has the flow wc. The flow
// rises with speed along the stall line; bisection needs no more than that.
func (m *Map) stallSpeed(alpha, wc float64, out []Value) (float64, bool) {
	span := numeric.Last(m.Nc) - m.Nc[0]
	if len(m.Nc) == 1 {
		span = m.Nc[0]
	}
	lo, hi := max(m.Nc[0]-span/2, 0), numeric.Last(m.Nc)+span/2
	flow := func(nc float64) float64 {
		wc, _ := m.stallPoint(alpha, nc, out)
		return wc
	}
	if flow(lo) > wc || flow(hi) < wc {
		return 0, false
	}
	for range 60 {
		mid := (lo + hi) / 2
		if flow(mid) < wc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2, true
}

// stallPoint returns flow and pressure ratio on the stall line at a speed. Above the map's highest speed the line
// continues linearly, as in [Map.At].
func (m *Map) stallPoint(alpha, nc float64, out []Value) (wc, pr float64) {
	x := m.StallX(nc)
	if nc > numeric.Last(m.Nc) {
		m.At(alpha, nc, x, out)
		return out[m.flow].V, out[m.Index("PR")].V
	}
	wc, s, _ := m.State(alpha, nc, x, out)
	return wc, s.PR
}
