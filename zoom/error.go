package zoom

// The error estimate of a map at the engine's operating point.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// LineCauses are the parts of the error of a map's speed line.
type LineCauses struct {
	Interpolation float64
	Convergence   float64 // the largest that a run of the line states of itself
	Balance       float64 // the largest imbalance of mass and energy of a run
}

// Largest is the error of the line.
func (c LineCauses) Largest() float64 { return max(c.Interpolation, c.Convergence, c.Balance) }

// CausesAt estimates the relative errors of pressure ratio and efficiency at a point, on the nearest speed line. To estimate the
// interpolation's, the run next to the point is omitted and the line is made without it. This changes the value by D in the
// widened gap H; a cubic's error in the original gap h about the point is then
//
//	D (h/H)^3
//
// Where a run near the point failed, the gap is wider and the estimate larger. Where many
// failed, it does not hold; see ErrorHolds. Both need a Build.
func (b *Builder) CausesAt(at perfmap.Point) (c LineCauses) {
	s := b.mappedLine(at.Nc)
	line := perfmap.Line{Nc: b.grid.speedOf(s)}
	for _, k := range b.planned[s] {
		o := b.outcomes[gridPoint{s, k}]
		if p, err := b.Machine.point(&o); err == nil {
			line.Points = append(line.Points, p)
			c.Balance = max(c.Balance, p.Error)
			c.Convergence = max(c.Convergence, o.Result.Numbers[OutWError], o.Result.Numbers[OutPRError], o.Result.Numbers[OutEffError])
		}
	}
	var err error
	if c.Interpolation, err = lineError(line, at.X); err != nil {
		c.Interpolation = coarseLineError
	}
	return c
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
