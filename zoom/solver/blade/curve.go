package blade

import (
	"fmt"
	"sort"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Curve is a smooth function through given points that never overshoots them: piecewise cubics with the
// weighted-harmonic slopes of Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984, pp. 300-304). Outside its points
// it is constant. Walls r(z) and the spanwise laws of a blade are Curves.
type Curve struct {
	x, y, slope []float64
}

// NewCurve returns the curve through the points (x[k], y[k]). It fails if x has fewer than two values or does not
// increase, or if a number is not finite.
func NewCurve(x, y []float64) (*Curve, error) {
	if len(x) != len(y) {
		return nil, fmt.Errorf("%d abscissas but %d ordinates", len(x), len(y))
	}
	if len(x) < 2 {
		return nil, fmt.Errorf("%d points; a curve needs at least 2", len(x))
	}
	for k := range x {
		if !numeric.Finite(x[k]) || !numeric.Finite(y[k]) {
			return nil, fmt.Errorf("point %d (%g, %g) is not finite", k+1, x[k], y[k])
		}
		if k > 0 && x[k] <= x[k-1] {
			return nil, fmt.Errorf("point %d: %g does not lie beyond %g of the point before", k+1, x[k], x[k-1])
		}
	}
	c := &Curve{x: append([]float64(nil), x...), y: append([]float64(nil), y...)}
	c.slope = monotoneSlopes(c.x, c.y)
	return c, nil
}

// monotoneSlopes returns the end-point-preserving slopes of Fritsch and Butland.
func monotoneSlopes(x, y []float64) []float64 {
	n := len(x)
	d := make([]float64, n)
	secant := func(k int) float64 { return (y[k+1] - y[k]) / (x[k+1] - x[k]) }
	d[0], d[n-1] = secant(0), secant(n-2)
	for k := 1; k < n-1; k++ {
		a, b := secant(k-1), secant(k)
		if a*b <= 0 {
			continue
		}
		h0, h1 := x[k]-x[k-1], x[k+1]-x[k]
		alpha := (h0 + 2*h1) / (3 * (h0 + h1))
		d[k] = a * b / (alpha*b + (1-alpha)*a)
	}
	return d
}

// At returns the ordinate at x.
func (c *Curve) At(x float64) float64 {
	n := len(c.x)
	if x <= c.x[0] {
		return c.y[0]
	}
	if x >= c.x[n-1] {
		return c.y[n-1]
	}
	k := sort.SearchFloat64s(c.x, x) - 1
	h := c.x[k+1] - c.x[k]
	t := (x - c.x[k]) / h
	u := 1 - t
	return u*u*(1+2*t)*c.y[k] + t*t*(3-2*t)*c.y[k+1] + h*t*u*(u*c.slope[k]-t*c.slope[k+1])
}

// Range returns the first and last abscissa.
func (c *Curve) Range() (first, last float64) { return c.x[0], c.x[len(c.x)-1] }

// Points returns copies of the points that the curve was made from.
func (c *Curve) Points() (x, y []float64) {
	return append([]float64(nil), c.x...), append([]float64(nil), c.y...)
}
