package stallsearch

// The choice of the next setting: the expected number of runs is least.

import (
	"math"
	"slices"
)

// elsewhere is the probability of an end away from its prediction, doubt that of an end behind From.
const (
	elsewhere = 0.05
	doubt     = 0.05
)

// cumulated returns the probability that the end lies below x.
func (f foretold) cumulated(x float64) float64 {
	normal := func(sd float64) float64 { return math.Erfc((f.mean-x)/(sd*math.Sqrt2)) / 2 }
	return (1-elsewhere)*normal(f.deviation) + elsewhere*normal(5*f.deviation+0.1)
}

// cell is a piece of a line between two settings, with the probability that the end lies in it.
type cell struct {
	p, width float64
	outer    bool // it lies outside of where an end is sought
}

// pieces is the greatest number of cells of the likely part of a line.
const pieces = 120

// choose returns the setting of the next run of a line. It returns false if no setting is left.
func (s *Search) choose(i int) (float64, bool) {
	l, e := &s.lines[i], s.End(i)
	f, _ := s.foretell(i)
	lo, hi := e.Inside, e.Beyond
	openLow, openHigh := math.IsNaN(lo), math.IsNaN(hi)
	if openLow {
		lo = s.round(l.From - back*s.set.Reach)
	}
	if openHigh {
		hi = s.round(l.From + s.set.Reach)
	}
	tolerance := s.set.Tolerance - s.set.Step // rounding takes the rest
	x := settings(lo, hi, f, tolerance)
	cells := make([]cell, 0, len(x)+1)
	if openLow {
		cells = append(cells, cell{p: doubt * f.cumulated(lo), outer: true})
	}
	for k := range len(x) - 1 {
		c := cell{p: f.cumulated(x[k+1]) - f.cumulated(x[k]) + 1e-9, width: x[k+1] - x[k]}
		if openLow && x[k+1] <= l.From {
			c.p *= doubt
		}
		cells = append(cells, c)
	}
	if openHigh {
		cells = append(cells, cell{p: 1 - f.cumulated(hi) + 1e-9, outer: true})
	}
	first := 1 // cells[k] begins at x[k]
	if openLow {
		first = 0 // cells[k+1] does
	}
	allowed := func(k int) bool { // the boundary below cells[k]
		at := x[k-1+first]
		return !slices.ContainsFunc(l.probes, func(p answer) bool { return math.Abs(p.at-at) < s.set.Tolerance/8 })
	}
	k := split(cells, tolerance, allowed)
	if k < 0 {
		return 0, false
	}
	return s.round(x[k-1+first]), true
}

// settings returns the candidate settings between lo and hi: fine where the end is likely, coarse elsewhere.
func settings(lo, hi float64, f foretold, tolerance float64) []float64 {
	a, b := max(lo, f.mean-4*f.deviation), min(hi, f.mean+4*f.deviation)
	if a >= b {
		a, b = lo, hi
	}
	h := max(tolerance/4, (b-a)/pieces)
	var x []float64
	for at := a; at < b-h/2; at += h {
		x = append(x, at)
	}
	for at, step := a, h; ; step *= 1.5 {
		if at -= step; at < lo+step {
			break
		}
		x = append(x, at)
	}
	for at, step := b, h; at < hi-step; step *= 1.5 {
		x = append(x, at)
		at += step
	}
	if f.mean+4*f.deviation < hi && b < hi {
		x = append(x, b)
	}
	x = append(x, lo, hi)
	for _, at := range []float64{lo + tolerance, hi - tolerance} { // a run there may end the search
		if lo < at && at < hi {
			x = append(x, at)
		}
	}
	slices.Sort(x)
	return slices.CompactFunc(x, func(p, q float64) bool { return math.Abs(p-q) < tolerance/100 })
}

// split returns the cell at whose lower boundary a run is to be made, so that the expected number of runs is least;
// -1 if no boundary is allowed.
func split(cells []cell, tolerance float64, allowed func(int) bool) int {
	n := len(cells)
	sum := make([]float64, n+1)
	place := make([]float64, n+1)
	for k, c := range cells {
		sum[k+1], place[k+1] = sum[k]+c.p, place[k]+c.width
	}
	open := make([]bool, n) // boundaries
	for k := 1; k < n; k++ {
		open[k] = allowed(k)
	}
	cost := make([][]float64, n+1) // of cells i to j-1
	for i := range cost {
		cost[i] = make([]float64, n+1)
	}
	best := -1
	for size := 1; size <= n; size++ {
		for i := 0; i+size <= n; i++ {
			j := i + size
			p, width := sum[j]-sum[i], place[j]-place[i]
			inner := !cells[i].outer && !cells[j-1].outer
			if inner && width <= tolerance*(1+1e-9) || size == 1 && !inner {
				continue
			}
			least, at := math.Inf(1), -1
			for k := i + 1; k < j; k++ {
				if c := cost[i][k] + cost[k][j]; open[k] && c < least {
					least, at = c, k
				}
			}
			if at < 0 { // its boundaries alone are known
				least = p * max(0, math.Log2(width/tolerance))
			} else {
				least += p
			}
			if cost[i][j] = least; size == n {
				best = at
			}
		}
	}
	return best
}
