package control

// Block makes one signal of others. Its states and inputs are kept by whoever uses it.
type Block interface {
	// Declare names the kind and lists its inputs and parameters. It is called once, before
	// any other method.
	Declare(d *Declaration)
	// States is the number of states.
	States() int
	// Direct reports whether the output follows the inputs at the same instant.
	Direct() bool
	// Output is the signal at states z and inputs u.
	Output(z, u []float64) float64
	// Rates sets dz/dt, 1/s.
	Rates(z, u, dz []float64)
	// Hold moves the states by h, s, in which the inputs stay as they are.
	Hold(z, u []float64, h float64)
	// Rest sets the states to those at which the output is y; where the inputs decide
	// that, to those at which the block is at rest.
	Rest(z, u []float64, y float64)
}

// Acceptor is a block that need not use its input as it comes, so that a controller
// ahead of it should know what it did use: an actuator at its stop.
type Acceptor interface {
	// Accepts is the input that would have the same effect.
	Accepts(z, u []float64) float64
}

// Selector is a block that may pass on one of its inputs.
type Selector interface {
	// Selects reports whether it does, whatever the inputs are.
	Selects() bool
}

// Timed is a block that may depend on the time.
type Timed interface {
	// Timed reports whether the block has the time, s, as one input more than its entry names, the last.
	Timed() bool
}

// Inverter is a block whose input need not be what its output is at rest. Of other blocks at rest
// each input equals the output.
type Inverter interface {
	// Invert is the input k at which the block gives y at rest, the others being those of u, whose
	// input k it may change; not a number if any input does, or none. Free is whether an integral
	// stands behind that input, so that it can be what it has to be.
	Invert(k int, z, u []float64, y float64, free bool) float64
}

// Integrator is a block with an integral, which at rest can be anything: it is what brings the
// signals about that the engine needs. It has one input more than its entry names, the last: what
// is used in the place of its signal.
type Integrator interface {
	// Wait sets the integral to where it stands still while something else is used, which is the
	// last input; sampled with a period, s, or continuously if that is 0. It reports false, and
	// sets nothing, where nothing keeps the integral from moving, or nothing moves it.
	Wait(z, u []float64, period float64) bool
}

// stateless is what blocks without memory share.
type stateless struct{}

func (stateless) States() int                    { return 0 }
func (stateless) Direct() bool                   { return true }
func (stateless) Rates(_, _, _ []float64)        {}
func (stateless) Hold(_, _ []float64, _ float64) {}
func (stateless) Rest(_, _ []float64, _ float64) {}
