package perfmap

import (
	"math"
	"slices"
)

// limit bends a table's continuation beyond the edges of its map, so that a
// solver that strays keeps among values that a component can work with:
//
//	f(v) = v                                   v >= low
//	f(v) = floor + r exp((v - low)/r)          v <  low,  r = low - floor
//
// and likewise towards a ceiling. f is C1 and strictly rising: whatever could
// be inverted stays so. low is half way from the table's smallest value to the
// floor, so that no value inside the map is touched. Unbounded: low = -Inf.
type limit struct{ low, floor, high, ceiling float64 }

// lowestRatio is the pressure ratio that a continuation does not pass: a
// windmilling fan's is above it, and a scaled PR-1 stays clear of PR = 0.
const lowestRatio = 0.6

func limitOf(t Table) limit {
	l := limit{low: math.Inf(-1), high: math.Inf(1)}
	least, most := slices.Min(t.V), slices.Max(t.V)
	ratio, eff := isRatio(t.Name), isEfficiency(t.Name)
	if least > 0 && (ratio || eff || isFlow(t.Name)) {
		if ratio {
			l.floor = lowestRatio * min(1, least)
		}
		l.low = (least + l.floor) / 2
	}
	if eff && most < 1 {
		l.ceiling, l.high = 1, (1+most)/2
	}
	return l
}

// bend returns f(v) and its derivative.
func (l *limit) bend(v float64) (f, df float64) {
	switch {
	case v < l.low:
		r := l.low - l.floor
		df = math.Exp((v - l.low) / r)
		return l.floor + r*df, df
	case v > l.high:
		r := l.ceiling - l.high
		df = math.Exp((l.high - v) / r)
		return l.ceiling - r*df, df
	}
	return v, 1
}

// extend continues a table from the edge value v, its slopes and its cross
// slope there over the distances n and x beyond the bounds (0: inside).
func (l *limit) extend(v, fn, fx, cross, n, x float64) Value {
	f, df := l.bend(v + fn*n + fx*x + cross*n*x)
	return Value{V: f, DNc: df * (fn + cross*x), DX: df * (fx + cross*n)}
}
