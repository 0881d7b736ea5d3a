// The one interface of all methods, and the list of them.

package ode

// Stepper integrates one problem by one method, step by step.
type Stepper interface {
	// Name is the method's, as New takes it.
	Name() string
	// T is the time reached, s, and Y the unknowns there, N values, not to be changed.
	T() float64
	Y() []float64
	// Last is the interval of the last step, s, over which At interpolates.
	Last() (from, to float64)
	// Step advances by one step, which ends at limit at the latest and then exactly
	// there. The equations are not evaluated beyond limit, so an input may jump there:
	// call Restart when it did. After an error the state is that of the last step.
	Step(limit float64) error
	// At sets y to the dense output at t, which lies in the interval of the last step.
	At(t float64, y []float64)
	// Restart forgets the history, because the equations changed at T. The one-step
	// methods keep their step; adams and gear begin again at order 1 and take some five
	// steps to recover, so where every period ends in a restart the others are cheaper.
	Restart() error
	// Reset puts the integration at another state and forgets the history. Algebraic
	// unknowns are guesses, which it makes consistent.
	Reset(t float64, y []float64) error
	// Stats counts the work since the start.
	Stats() Stats
	// Save returns the whole state, and Restore takes it up: what follows is identical
	// to the last bit. Problem and settings must be those of the saved one.
	Save() Checkpoint
	Restore(Checkpoint) error
}

// Stats count work.
type Stats struct {
	Steps          int // accepted steps
	Rejected       int // steps whose error was too large
	Failed         int // steps that the equations or Newton's iteration broke off
	Evaluations    int // of the equations, those for Jacobians included
	Jacobians      int
	Factorizations int
}

// Checkpoint is a saved state. It marshals to JSON and back without loss.
type Checkpoint struct {
	Method string    `json:"method"`
	N      int       `json:"n"`
	Reals  []float64 `json:"reals"`
	Ints   []int     `json:"ints"`
}
