package main

// Exit codes of the program.

// Exit codes.
const (
	exitOK           = 0   // all converged
	exitNotConverged = 1   // a case did not converge
	exitBadInput     = 2   // the input is wrong
	exitNoZoom       = 3   // a zoomed component could not be had within its policy
	exitFault        = 70  // a fault of Peregrine's own
	exitInterrupted  = 130 // interrupted; what was finished is kept
)

// exitError is an error with its exit code. If Err is nil nothing more is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// badInput marks an error as one of the user's input.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitBadInput, err}
}
