package main

// Exit codes of the program.

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/fault"
)

// Exit codes.
const (
	exitOK           = 0   // all converged
	exitNotConverged = 1   // a case did not converge
	exitBadInput     = 2   // the input is wrong
	exitNoZoom       = 3   // a zoomed component could not be had within its policy
	exitFault        = 70  // a fault of Peregrine's own or of the machine
	exitInterrupted  = 130 // interrupted; what was finished is kept
)

// exitError is an error with its exit code. If Err is nil nothing more is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

// exitCodeOf returns the exit code of a command that ended with an error, and what to say.
func exitCodeOf(err error) (code int, text string) {
	var e *exitError
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &e):
		code = e.code
		if e.err != nil {
			text = e.err.Error()
		}
	case errors.Is(err, context.Canceled):
		return exitInterrupted, interruptedText
	default: // what cobra itself finds is wrong usage
		code, text = exitBadInput, err.Error()
	}
	if code != exitInterrupted && fault.Is(err) { // whatever a verb took it for
		code = exitFault
	}
	return code, text
}

// afterSignal is the exit code of a command, and what it says, once a signal may have ended ctx: whatever a verb
// takes the error for with which a part of it broke off, the user interrupted it.
func afterSignal(ctx context.Context, code int, text string) (int, string) {
	if ctx.Err() != nil && (code == exitBadInput || code == exitNoZoom) {
		return exitInterrupted, interruptedText
	}
	return code, text
}

const interruptedText = "interrupted; what was finished is kept"

// badInput marks an error as one of the user's input.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitBadInput, err}
}
