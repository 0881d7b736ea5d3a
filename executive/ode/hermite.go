// Cubic Hermite interpolation of y and y' at both ends of a step is the dense output of the
// methods of order 4 and less; it has their order.

package ode

// hermite sets y at t0 + theta h:
//
//	y = (1-theta) y0 + theta y1 + theta (theta-1) [ (1-2 theta)(y1-y0) + (theta-1) h f0 + theta h f1 ]
//
// (Hairer I, eq. II.6.7). Its error is O(h^4).
func hermite(theta, h float64, y0, f0, y1, f1, y []float64) {
	a, b := theta*(theta-1), 1-2*theta
	for i := range y {
		y[i] = (1-theta)*y0[i] + theta*y1[i] + a*(b*(y1[i]-y0[i])+(theta-1)*h*f0[i]+theta*h*f1[i])
	}
}
