// The common interface of all methods, and their list.

package ode

// Stepper integrates a problem by one method, step by step.
type Stepper interface {
	// Name is the name of the method, as in New.
	Name() string
	// T is the time reached, s. Y has the N unknowns at T; the caller must not change them.
	T() float64
	Y() []float64
	// Last returns the interval of the last step, s, the range of At.
	Last() (from, to float64)
	// Step advances by one step, at most to limit; a step that reaches it ends exactly there. The equations are not
	// evaluated beyond limit, so that an input may jump there: call Restart after the jump. After an error the state is
	// that of the last step.
	Step(limit float64) error
	// At sets y to the dense output at t, in the interval of the last step.
	At(t float64, y []float64)
	// Restart drops the history, because the equations changed at T. The one-step methods
	// keep their step. Adams and gear restart at order 1 and need about five steps to
	// recover, so that with many restarts the one-step methods are cheaper.
	Restart() error
	// Reset sets another state and drops the history.
	Reset(t float64, y []float64) error
	// Stats counts the work since the start.
	Stats() Stats
	// Save returns the whole state; Restore sets it. The restored integration is identical to the last bit. Problem and
	// settings must equal the saved integration's.
	Save() Checkpoint
	Restore(Checkpoint) error
}

// Stats count work.
type Stats struct {
	Steps          int // accepted steps
	Rejected       int // steps whose error was too large
	Failed         int // steps with a failure of the equations or Newton's iteration
	Evaluations    int // of the equations, including evaluations for Jacobians
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
