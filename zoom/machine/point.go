package machine

// Where a component works, in the coordinates of its kind.

import "math"

// Target is an operating point in corrected quantities.
type Target struct {
	Nc    float64 // rpm
	Wc    float64 // kg/s
	PR    float64
	Alpha float64 // setting of the rows that turn, deg from how the geometry has them
}

// RunPoint is an operating point of a component, in the coordinates of its kind. Of a fan or compressor they are the
// corrected speed as a fraction of the design's, and
//
//	kappa = ln(Wc^2/PR),  Wc in kg/s
//
// A line of constant kappa is nearly a line of constant throttle: it meets every speed line once, also where the speed
// line is vertical or flat. Of a turbine kappa is the logarithm of its pressure ratio. Alpha is the setting of vanes
// and blades that turn, deg from the geometry's; 0 if none turns. Of kinds without blades the first two are the kind's
// coordinates; a missing coordinate is 0.
type RunPoint struct{ Nu, Kappa, Alpha float64 }

// Coordinates returns the coordinates of the point in a model of that dimension.
func (p RunPoint) Coordinates(dimension int) []float64 {
	return []float64{p.Nu, p.Kappa, p.Alpha}[:dimension]
}

// PointAt returns the point with these coordinates.
func PointAt(x []float64) RunPoint {
	var at [Coordinates]float64
	copy(at[:], x)
	return RunPoint{at[0], at[1], at[2]}
}

// Coordinates is the greatest number of them.
const Coordinates = 3

// Plus returns the point with an offset.
func (p RunPoint) Plus(d RunPoint) RunPoint {
	return RunPoint{p.Nu + d.Nu, p.Kappa + d.Kappa, p.Alpha + d.Alpha}
}

// Less returns the offset of the point from another.
func (p RunPoint) Less(q RunPoint) RunPoint {
	return RunPoint{p.Nu - q.Nu, p.Kappa - q.Kappa, p.Alpha - q.Alpha}
}

// Over returns the length of a distance, each coordinate over its unit in d.
func (p RunPoint) Over(d RunPoint) float64 {
	return math.Hypot(math.Hypot(p.Nu/d.Nu, p.Kappa/d.Kappa), p.Alpha/d.Alpha)
}

// Near reports whether a run at either of two points serves both, until more is known.
func (p RunPoint) Near(q RunPoint) bool {
	return math.Abs(p.Nu-q.Nu) < 0.01 && math.Abs(p.Kappa-q.Kappa) < 0.03 && math.Abs(p.Alpha-q.Alpha) < 1
}
