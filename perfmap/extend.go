package perfmap

import "math"

// limit is how far a table may go beyond the edge of its map: what keeps a
// straying solver among values that a component can still work with.
type limit struct {
	ratio, floor, ceiling bool
}

func limitOf(table string) limit {
	return limit{ratio: isRatio(table), floor: isRatio(table) || isEfficiency(table) || isFlow(table), ceiling: isEfficiency(table)}
}

// lowestRatio is the pressure ratio that a continuation does not pass: a
// windmilling fan's is above it, and a scaled PR-1 stays clear of PR = 0.
const lowestRatio = 0.6

// extend continues a table beyond its bounds from the value v at the edge, its
// slopes and cross slope there, over the distances n and x (0: inside).
func (l limit) extend(v, fn, fx, cross, n, x float64) Value {
	d := fn*n + fx*x + cross*n*x
	f, dv, dd := l.bend(v, d)

	// Inside the bounds of an axis the edge value itself moves along it;
	// beyond them only the continuation does.
	out := Value{V: f}
	if n == 0 {
		out.DNc = dv*fn + dd*cross*x
	} else {
		out.DNc = dd * (fn + cross*x)
	}
	if x == 0 {
		out.DX = dv*fx + dd*cross*n
	} else {
		out.DX = dd * (fx + cross*n)
	}
	return out
}

// bend returns v + d, bent towards the limit beyond half the way to it, and
// its partial derivatives by v and d.
func (l limit) bend(v, d float64) (f, dv, dd float64) {
	switch {
	case d < 0 && l.floor && v > 0:
		floor, slope := 0.0, 0.0
		if l.ratio {
			floor = lowestRatio
			if v < 1 {
				floor, slope = lowestRatio*v, lowestRatio
			}
		}
		return approach(v, d, floor, slope)
	case d > 0 && l.ceiling && v < 1:
		f, dv, dd = approach(-v, -d, -1, 0)
		return -f, dv, dd
	}
	return v + d, 1, 1
}

// approach returns v + d for d down to half the room r = v - floor, and
// floor + r/2 exp(1 + 2d/r) beyond; slope is d floor/d v.
func approach(v, d, floor, slope float64) (f, dv, dd float64) {
	r := v - floor
	if d >= -r/2 {
		return v + d, 1, 1
	}
	e := math.Exp(1 + 2*d/r)
	return floor + r/2*e, slope + (1-slope)*e*(0.5-d/r), e
}
