package control

// Block computes one signal from others. The caller keeps its states and inputs.
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
	// Hold advances the states by h, s, with constant inputs.
	Hold(z, u []float64, h float64)
	// Rest sets the states so that the output is y. If the inputs determine the output, it sets the states at which the
	// block is at rest.
	Rest(z, u []float64, y float64)
}

// Acceptor is a block that may limit its input, such as an actuator at its stop. A controller ahead of it should know
// the value that the block used.
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
	// Timed reports whether the block has the time, s, as an additional last input.
	Timed() bool
}

// Inverter is a block whose input may differ from its output at rest. For other blocks at rest each input equals the
// output.
type Inverter interface {
	// Invert returns the input k at which the block gives y at rest. The other inputs are in u; Invert may change
	// input k of u. The result is NaN if any input, or no input, gives y. Free reports whether an integral precedes
	// that input, so that the input can take any value.
	Invert(k int, z, u []float64, y float64, free bool) float64
}

// Integrator is a block with an integral. At rest the integral may have any value: it produces the signals that the
// engine needs. The block has one more input than its entry names, the last: the value used in place of its signal.
type Integrator interface {
	// Wait sets the integral to its stationary value while the last input is used in place of its signal. The block is
	// sampled with a period, s, or continuous if the period is 0. Wait returns false, and sets no state, if the
	// integral is free to move or has no input that moves it.
	Wait(z, u []float64, period float64) bool
}

// stateless holds the common methods of blocks without memory.
type stateless struct{}

func (stateless) States() int                    { return 0 }
func (stateless) Direct() bool                   { return true }
func (stateless) Rates(_, _, _ []float64)        {}
func (stateless) Hold(_, _ []float64, _ float64) {}
func (stateless) Rest(_, _ []float64, _ float64) {}
