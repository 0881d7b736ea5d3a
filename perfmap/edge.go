package perfmap

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Edge is the set of a map's bounds that a lookup passed. Zero: none.
type Edge uint8

const (
	NcLow Edge = 1 << iota
	NcHigh
	XLow
	XHigh
	AlphaLow
	AlphaHigh
)

// String names the bounds that were passed, for people: "Nc below, X above".
func (e Edge) String() string {
	names := []string{"Nc below", "Nc above", "X below", "X above", "alpha below", "alpha above"}
	var parts []string
	for i, n := range names {
		if e&(1<<i) != 0 {
			parts = append(parts, n)
		}
	}
	if parts == nil {
		return "inside"
	}
	return strings.Join(parts, ", ")
}

// Describe returns a text on the bounds that a lookup at p passed, such as "Nc 1.23 is beyond the map (0.3 to 1.1)".
// Empty if none.
func (m *Map) Describe(e Edge, p Point) string {
	var parts []string
	say := func(bits Edge, name string, v float64, axis []float64) {
		if e&bits != 0 {
			parts = append(parts, fmt.Sprintf("%s %.4g is beyond the map (%.4g to %.4g)", name, v, axis[0],
				numeric.Last(axis)))
		}
	}
	say(NcLow|NcHigh, "Nc", p.Nc, m.Nc)
	say(XLow|XHigh, m.XName, p.X, m.X)
	say(AlphaLow|AlphaHigh, "alpha", p.Alpha, m.Alpha)
	return strings.Join(parts, ", ")
}

// edge returns the bounds that a point has passed. A map with one alpha plane holds for every alpha. A map of one speed
// line holds within [LineTolerance] of its speed.
func (m *Map) edge(alpha, nc, x float64) Edge {
	lo, hi := m.Nc[0], numeric.Last(m.Nc)
	if len(m.Nc) == 1 {
		lo, hi = lo*(1-LineTolerance), hi*(1+LineTolerance)
	}
	e := beyond(nc, lo, hi, NcLow, NcHigh) | beyond(x, m.X[0], numeric.Last(m.X), XLow, XHigh)
	if len(m.Alpha) > 1 {
		e |= beyond(alpha, m.Alpha[0], numeric.Last(m.Alpha), AlphaLow, AlphaHigh)
	}
	return e
}

// roundOff is the relative tolerance of a bound: files and keys hold nine digits.
const roundOff = 1e-8

// beyond returns the bound of a range that v passes, or 0.
func beyond(v, lo, hi float64, below, above Edge) Edge {
	switch {
	case v < lo-roundOff*math.Abs(lo):
		return below
	case v > hi+roundOff*math.Abs(hi):
		return above
	}
	return 0
}

// LineTolerance is the largest relative difference in speed from a map of one speed line without an edge in the result
// of a lookup.
const LineTolerance = 0.02
