package zoom

// How good a map is where the engine works.

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// ErrorAt estimates the relative error of a map's pressure ratio and efficiency
// at a point: the largest conservation error of the runs on the nearest speed
// line, and what interpolation is worth there. For that the run next to the
// point is left out, the line is drawn without it, and the change at equal flow
// is divided by 2^3 - 1, as halving the spacing does to a cubic's error
// (Richardson). Where a run failed the spacing, and with it the estimate, is larger.
func (b *Builder) ErrorAt(m *perfmap.Map, at perfmap.Point) float64 {
	s := b.nearestLine(at.Nc / b.grid.nc / SpeedStep)
	line := perfmap.Line{Nc: b.grid.speedOf(s)}
	worst := 0.0
	for _, k := range b.plan[s] {
		o := b.outcomes[gridPoint{s, k}]
		if p, err := b.Machine.point(&o); err == nil {
			line.Points = append(line.Points, p)
			worst = max(worst, p.Error)
		}
	}
	if len(line.Points) < 4 {
		return max(worst, coarseLineError)
	}
	slices.SortFunc(line.Points, func(p, q perfmap.LinePoint) int { // stall first
		return int(math.Copysign(1, p.Values["Wc"]-q.Values["Wc"]))
	})
	full, err := perfmap.FromLines(m.Name, []perfmap.Line{line}, perfmap.LineOptions{})
	if err != nil {
		return max(worst, coarseLineError)
	}
	here, _ := full.Value("Wc", perfmap.Point{Nc: line.Nc, X: at.X})
	drop := 1
	for i := 1; i < len(line.Points)-1; i++ {
		if math.Abs(line.Points[i].Values["Wc"]-here.V) < math.Abs(line.Points[drop].Values["Wc"]-here.V) {
			drop = i
		}
	}
	without, err := perfmap.FromLines(m.Name, []perfmap.Line{{Nc: line.Nc, Points: slices.Delete(slices.Clone(line.Points), drop, drop+1)}}, perfmap.LineOptions{})
	if err != nil {
		return max(worst, coarseLineError)
	}
	x := atFlow(without, line.Nc, here.V)
	for _, name := range []string{"PR", "eff"} {
		a, _ := full.Value(name, perfmap.Point{Nc: line.Nc, X: at.X})
		c, _ := without.Value(name, perfmap.Point{Nc: line.Nc, X: x})
		worst = max(worst, math.Abs(c.V/a.V-1)/7)
	}
	return worst
}

// coarseLineError stands for the interpolation error of a line that has too few
// points to estimate it.
const coarseLineError = 0.02

// atFlow finds the third coordinate at which a line has a flow, or the nearest end.
func atFlow(m *perfmap.Map, nc, wc float64) float64 {
	lo, hi := m.X[0], m.X[len(m.X)-1] // Wc rises with X
	value := func(x float64) float64 {
		v, _ := m.Value("Wc", perfmap.Point{Alpha: m.Alpha[0], Nc: nc, X: x})
		return v.V
	}
	switch {
	case value(lo) >= wc:
		return lo
	case value(hi) <= wc:
		return hi
	}
	for range 100 {
		if mid := (lo + hi) / 2; value(mid) < wc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
