package mesh

import "math"

// Vec is a Cartesian vector.
type Vec [3]float64

func (a Vec) Add(b Vec) Vec           { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vec) Sub(b Vec) Vec           { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a Vec) Times(s float64) Vec     { return Vec{a[0] * s, a[1] * s, a[2] * s} }
func (a Vec) Dot(b Vec) float64       { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a Vec) Norm() float64           { return math.Sqrt(a.Dot(a)) }
func (a Vec) Turned(c, s float64) Vec { return Vec{c*a[0] - s*a[1], s*a[0] + c*a[1], a[2]} }
func (a Vec) Cross(b Vec) Vec {
	return Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}
