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
