// The common parts of the explicit Runge-Kutta methods: the slopes at both ends of a step, and cubic dense output. The
// last slope of a step is the first of the next.

package ode

type explicit struct {
	oneStep
	f0, f1    []float64 // y' at the start and the end of the step being tried
	haveSlope bool      // f0 is y' at (t, y)
	// the last step, for dense output
	yOld, fOld []float64
	scratch    []float64
}

func (x *explicit) init(name string, power int, p Problem, s Settings, t float64, y []float64) error {
	if err := x.oneStep.init(name, power, p, s, t, y); err != nil {
		return err
	}
	for _, v := range []*[]float64{&x.f0, &x.f1, &x.yOld, &x.fOld, &x.scratch} {
		*v = make([]float64, x.n)
	}
	copy(x.yOld, y)
	return nil
}

func (x *explicit) open() error {
	if x.haveSlope {
		return nil
	}
	if err := x.slope(x.t, x.y, x.f0); err != nil {
		return err
	}
	x.haveSlope = true
	return nil
}

func (x *explicit) first(limit float64) float64 {
	return x.guess(int(x.power)-1, x.f0, x.ynew, x.scratch, x.slope, limit)
}

func (x *explicit) accept(h float64) {
	x.hLast = h
	copy(x.yOld, x.y)
	x.fOld, x.f0, x.f1 = x.f0, x.f1, x.fOld
}

// At implements Stepper.
func (x *explicit) At(t float64, y []float64) {
	if t == x.t || x.hLast == 0 {
		copy(y, x.y)
		return
	}
	hermite((t-x.tPrev)/x.hLast, x.hLast, x.yOld, x.fOld, x.y, x.f0, y)
}

// Restart implements Stepper. It keeps the step; the error test corrects it if necessary.
func (x *explicit) Restart() error {
	x.haveSlope, x.tried, x.errOld = false, 0, 1e-4
	return nil
}

// Reset implements Stepper.
func (x *explicit) Reset(t float64, y []float64) error {
	if err := x.place(t, y); err != nil {
		return err
	}
	return x.Restart()
}

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
