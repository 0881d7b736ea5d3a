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

// stateless is what blocks without memory share.
type stateless struct{}

func (stateless) States() int                    { return 0 }
func (stateless) Direct() bool                   { return true }
func (stateless) Rates(_, _, _ []float64)        {}
func (stateless) Hold(_, _ []float64, _ float64) {}
func (stateless) Rest(_, _ []float64, _ float64) {}
