package zoom

// Where a component works, and the run that is wanted to find that.

import (
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/surrogate"
)

// Point is where a component works, in the coordinates of its kind. Of a fan or compressor they are the corrected speed
// as a fraction of the design's, and
//
//	kappa = ln(Wc^2/PR),  Wc in kg/s
//
// A line of constant kappa is nearly one of constant throttle: it meets every speed line once, also where
// that is vertical or flat. Of a turbine kappa is the logarithm of its pressure ratio. Alpha is the setting of vanes
// and blades that turn, deg from how the geometry has them; 0 where none does. Of kinds without blades the first two
// are the kind's coordinates; one that a kind does not have is 0.
type Point struct{ Nu, Kappa, Alpha float64 }

// coordinates are those of a model of so many.
func (p Point) coordinates(dimension int) []float64 {
	return []float64{p.Nu, p.Kappa, p.Alpha}[:dimension]
}

// pointAt is the point of coordinates.
func pointAt(x []float64) Point {
	var at [coordinates]float64
	copy(at[:], x)
	return Point{at[0], at[1], at[2]}
}

// coordinates is the greatest number of them.
const coordinates = 3

// plus is the point that is off by so much.
func (p Point) plus(d Point) Point { return Point{p.Nu + d.Nu, p.Kappa + d.Kappa, p.Alpha + d.Alpha} }

// less is by how much the point is off another one.
func (p Point) less(q Point) Point { return Point{p.Nu - q.Nu, p.Kappa - q.Kappa, p.Alpha - q.Alpha} }

// over is the length of a distance, each coordinate over what is counted as 1.
func (p Point) over(d Point) float64 {
	return math.Hypot(math.Hypot(p.Nu/d.Nu, p.Kappa/d.Kappa), p.Alpha/d.Alpha)
}

// turns is what is thought of a kind's outputs over the setting of vanes or blades before there are runs: by how much
// each may go with it, by deg, and over how many deg they bend.
type turns struct {
	slopes []float64
	length float64
}

// priorsAt makes what is thought of outputs, by their numbers, about a point, over the lengths over which they bend.
func (m *Machine) priorsAt(at Point, lengths []float64, by turns) func(k int, value float64, slope []float64,
	spread float64, slopes []float64, amplitude float64) surrogate.Prior {
	return func(k int, value float64, slope []float64, spread float64, slopes []float64,
		amplitude float64) surrogate.Prior {
		p := surrogate.Prior{Origin: m.bladed(at), Value: value, Slope: slope, ValueSpread: spread,
			SlopeSpread: slopes, Amplitude: amplitude, Lengths: lengths}
		if m.Settable {
			p.Lengths = append(slices.Clone(lengths), by.length)
			p.Slope, p.SlopeSpread = append(slices.Clone(slope), 0), append(slices.Clone(slopes), by.slopes[k])
		}
		return p
	}
}

// Near reports whether a run at one of two points serves the other, too, until more is known.
func (p Point) Near(q Point) bool {
	return math.Abs(p.Nu-q.Nu) < 0.01 && math.Abs(p.Kappa-q.Kappa) < 0.03 && math.Abs(p.Alpha-q.Alpha) < 1
}

// Run requests are rounded to these steps, so that a study that is made anew asks for the same ones whatever the
// machine's last bits.
const (
	nuStep       = 1e-5
	throttleStep = 1e-4 // of ln K
	settingStep  = 1e-3 // deg
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
