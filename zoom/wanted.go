package zoom

// Where a component works, and the run that is wanted to find that.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Point is where a component works, in the coordinates of its kind. Of a fan or compressor they are the corrected speed
// as a fraction of the design's, and
//
//	kappa = ln(Wc^2/PR),  Wc in kg/s
//
// A line of constant kappa is nearly one of constant throttle: it meets every speed line once, also where
// that is vertical or flat. Of other kinds they are the first and the second coordinate; one that a kind does not have
// is 0.
type Point struct{ Nu, Kappa float64 }

// coordinates are those of a model of so many.
func (p Point) coordinates(dimension int) []float64 { return []float64{p.Nu, p.Kappa}[:dimension] }

// pointAt is the point of coordinates.
func pointAt(x []float64) Point {
	var at [2]float64
	copy(at[:], x)
	return Point{at[0], at[1]}
}

// priorsAt makes what is thought of outputs about a point, over what they bend.
func priorsAt(at Point, lengths []float64) func(value float64, slope []float64, spread float64, slopes []float64, amplitude float64) surrogate.Prior {
	return func(value float64, slope []float64, spread float64, slopes []float64, amplitude float64) surrogate.Prior {
		return surrogate.Prior{
			Origin: []float64{at.Nu, at.Kappa}, Value: value, Slope: slope,
			ValueSpread: spread, SlopeSpread: slopes, Amplitude: amplitude, Lengths: lengths,
		}
	}
}

// Near reports whether a run at one of two points serves the other, too, until more is known.
func (p Point) Near(q Point) bool {
	return math.Abs(p.Nu-q.Nu) < 0.01 && math.Abs(p.Kappa-q.Kappa) < 0.03
}

// Run requests are rounded to these steps, so that a study that is made anew asks for the same ones whatever the
// machine's last bits.
const (
	nuStep       = 1e-5
	throttleStep = 1e-4 // of ln K
)

// Wanted is a run, as it is requested.
type Wanted struct {
	Name   string
	Inputs map[string]float64 // in which runs differ
	Further
}

// Further is what a run takes from others, which are named as their runs are.
type Further struct {
	Orders float64 // of magnitude by which its residual falls; 0: those of the machine's settings
	From   string  // the neighbour whose flow is its first guess; empty: it has none
	After  string  // the run of fewer orders from whose end it goes on; empty: it begins anew
}

// Recalled is an answer of an earlier study that this one has taken.
type Recalled struct {
	run.Earlier
	Counts bool // it is part of the model; otherwise one that is started from it
}

// run is the name of the run.
func (w *Wanted) run() string {
	if w.Orders == 0 {
		return w.Name
	}
	return fmt.Sprintf("%s-o%g", w.Name, w.Orders)
}
