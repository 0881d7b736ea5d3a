package zoom

// How good a map is where the engine works.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// ErrorAt estimates the relative error of a map's pressure ratio and efficiency
// at a point: the largest conservation error of the runs on the nearest speed
// line, and what interpolation is worth there. For that the run next to the point is
// left out and the line drawn without it. The change D at equal flow belongs to
// the wider gap H that this leaves; for the gap h about the point a cubic's error is
//
//	D (h/H)^3
//
// Where a run near the point failed the gap, and with it the estimate, is larger.
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
	e, err := lineError(line, at.X)
	if err != nil {
		return max(worst, coarseLineError)
	}
	return max(worst, e)
}

// lineError is the interpolation error of a line at the place x.
func lineError(line perfmap.Line, x float64) (float64, error) {
	if len(line.Points) < 4 {
		return 0, fmt.Errorf("%d points", len(line.Points))
	}
	full, err := perfmap.FromLines("full", []perfmap.Line{line}, perfmap.LineOptions{})
	if err != nil {
		return 0, err
	}
	place := full.X // of the points, from stall to choke
	drop, gap := 1, 0
	for i := 1; i < len(place)-1; i++ {
		if math.Abs(place[i]-x) < math.Abs(place[drop]-x) {
			drop = i
		}
		if place[i] <= x {
			gap = i
		}
	}
	without := perfmap.Line{Nc: line.Nc}
	for _, p := range line.Points {
		if p.Run != full.Origin.Points[drop].Run {
			without.Points = append(without.Points, p)
		}
	}
	coarse, err := perfmap.FromLines("without", []perfmap.Line{without}, perfmap.LineOptions{})
	if err != nil {
		return 0, err
	}
	// Between the point and the dropped run lies the widest part of the new gap.
	at := (place[drop-1] + place[drop+1]) / 2
	wc, _ := full.Value("Wc", perfmap.Point{Nc: line.Nc, X: at})
	other := atFlow(coarse, line.Nc, wc.V)
	worst := 0.0
	for _, name := range []string{"PR", "eff"} {
		v, _ := full.Value(name, perfmap.Point{Nc: line.Nc, X: at})
		w, _ := coarse.Value(name, perfmap.Point{Nc: line.Nc, X: other})
		worst = max(worst, math.Abs(w.V/v.V-1))
	}
	return worst * math.Pow((place[gap+1]-place[gap])/(place[drop+1]-place[drop-1]), 3), nil
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
