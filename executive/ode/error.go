// The errors of an integration, one type for each reason, so that a caller can distinguish bad
// input from a difficult problem. All but the first have the time of the failure, s.

package ode

import (
	"context"
	"errors"
	"fmt"
)

// InputError reports an invalid problem, setting or call.
type InputError struct{ Message string }

func (e *InputError) Error() string { return "ode: " + e.Message }

// EvalError means that the equations cannot be evaluated at T, for any step size.
type EvalError struct {
	Method string
	T      float64 // s
	Err    error
}

func (e *EvalError) Error() string {
	return fmt.Sprintf("%s: the equations cannot be evaluated at t = %.9g s: %v", e.Method, e.T, e.Err)
}

func (e *EvalError) Unwrap() error { return e.Err }

// StepSizeError means that the step from T would have to be smaller than the resolution of T or
// MinStep.
type StepSizeError struct {
	Method string
	T, H   float64 // s
	Excess float64 // the error at the last step tried, in tolerances
	Worst  int     // the unknown with the largest share in it, -1 if none
	Cause  error   // ErrNewton, ErrPrecision or nil: the error estimate
}

func (e *StepSizeError) Error() string {
	switch {
	case errors.Is(e.Cause, ErrPrecision):
		return fmt.Sprintf("%s: at t = %.9g s the tolerance is below the rounding error of y[%d]; raise RTol or ATol",
			e.Method, e.T, e.Worst)
	case e.Cause != nil:
		return fmt.Sprintf("%s: at t = %.9g s a step of %.3g s still fails: %v; is the problem well posed there?",
			e.Method, e.T, e.H, e.Cause)
	}
	return fmt.Sprintf("%s: at t = %.9g s a step of %.3g s still misses the tolerance, %.3g times, most in y[%d]; is "+
		"the solution singular or f discontinuous there? raise the tolerance or place an event",
		e.Method, e.T, e.H, e.Excess, e.Worst)
}

func (e *StepSizeError) Unwrap() error { return e.Cause }

// StepsError means that MaxSteps steps were tried since the last start.
type StepsError struct {
	Method  string
	T, H    float64 // time reached, and the next step, s
	Tried   int
	Towards float64 // the limit, s
}

func (e *StepsError) Error() string {
	return fmt.Sprintf("%s: %d steps were tried and t is %.9g s, short of %.9g s, with a step of %.3g s; raise "+
		"MaxSteps or the tolerance, or use a method for stiff problems",
		e.Method, e.Tried, e.T, e.Towards, e.H)
}

// SingularError means that the linear system of an implicit step is singular.
type SingularError struct {
	Method string
	T, H   float64 // s
}

func (e *SingularError) Error() string {
	return fmt.Sprintf("%s: at t = %.9g s the matrix of a step of %.3g s is singular", e.Method, e.T, e.H)
}

// Causes of a StepSizeError.
var (
	ErrNewton    = errors.New("the Newton iteration does not converge")
	ErrPrecision = errors.New("the tolerance is below rounding error")
)

// fatal reports whether an error does not depend on the step: the error of a context.
func fatal(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
