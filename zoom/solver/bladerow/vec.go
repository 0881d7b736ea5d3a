package bladerow

import "math"

// vec is a Cartesian vector.
type vec [3]float64

func (a vec) add(b vec) vec           { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec           { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) times(s float64) vec     { return vec{a[0] * s, a[1] * s, a[2] * s} }
func (a vec) dot(b vec) float64       { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) norm() float64           { return math.Sqrt(a.dot(a)) }
func (a vec) turned(c, s float64) vec { return vec{c*a[0] - s*a[1], s*a[0] + c*a[1], a[2]} }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
