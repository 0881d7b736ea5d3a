package zoom

// The error estimate of a map at the engine's operating point.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// ErrorAt estimates the relative error of a map's pressure ratio and efficiency at a point.
// It is the larger of two errors: the largest conservation error of the runs on the nearest
// speed line, and the interpolation error there. To estimate the latter, the run next to the
// point is omitted and the line is made without it. This changes the value by D in the
// widened gap H; a cubic's error in the original gap h about the point is then
//
//	D (h/H)^3
//
// Where a run near the point failed, the gap is wider and the estimate larger. Where many
// failed, it does not hold; see ErrorHolds. Both need a Build.
func (b *Builder) ErrorAt(m *perfmap.Map, at perfmap.Point) float64 {
	s := b.mappedLine(at.Nc)
	line := perfmap.Line{Nc: b.grid.speedOf(s)}
	largest := 0.0
	for _, k := range b.planned[s] {
		o := b.outcomes[gridPoint{s, k}]
		if p, err := b.Machine.point(&o); err == nil {
			line.Points = append(line.Points, p)
			largest = max(largest, p.Error)
		}
	}
	e, err := lineError(line, at.X)
	if err != nil {
		return max(largest, coarseLineError)
	}
	return max(largest, e)
}

// lineError estimates the interpolation error of a line at the coordinate x; see ErrorAt.
func lineError(line perfmap.Line, x float64) (float64, error) {
	if len(line.Points) < 4 {
		return 0, fmt.Errorf("%d points", len(line.Points))
	}
	full, err := perfmap.FromLines("full", []perfmap.Line{line}, perfmap.LineOptions{})
	if err != nil {
		return 0, err
	}
	place := full.X // of the points, from stall to choke
	omitted, gap := 1, 0
	for i := 1; i < len(place)-1; i++ {
		if math.Abs(place[i]-x) < math.Abs(place[omitted]-x) {
			omitted = i
		}
		if place[i] <= x {
			gap = i
		}
	}
	without := perfmap.Line{Nc: line.Nc}
	for _, p := range line.Points {
		if p.Run != full.Origin.Points[omitted].Run {
			without.Points = append(without.Points, p)
		}
	}
	coarse, err := perfmap.FromLines("without", []perfmap.Line{without}, perfmap.LineOptions{})
	if err != nil {
		return 0, err
	}
	// The middle of the widened gap, where the two lines differ most.
	at := (place[omitted-1] + place[omitted+1]) / 2
	wc, _ := full.Value("Wc", perfmap.Point{Nc: line.Nc, X: at})
	other := atFlow(coarse, line.Nc, wc.V)
	largest := 0.0
	for _, name := range []string{"PR", "eff"} {
		v, _ := full.Value(name, perfmap.Point{Nc: line.Nc, X: at})
		w, _ := coarse.Value(name, perfmap.Point{Nc: line.Nc, X: other})
		largest = max(largest, math.Abs(w.V/v.V-1))
	}
	return largest * math.Pow((place[gap+1]-place[gap])/(place[omitted+1]-place[omitted-1]), 3), nil
}

// coarseLineError is the assumed interpolation error of a line with too few points for an
// estimate.
const coarseLineError = 0.02

// atFlow returns the third coordinate at which a line has the corrected flow wc, or the
// nearest end of the line.
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
