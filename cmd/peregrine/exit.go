package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/fault"
)

// Exit codes of the program.
const (
	exitOK           = 0   // all converged
	exitNotConverged = 1   // a case did not converge
	exitBadInput     = 2   // the input is wrong
	exitNoZoom       = 3   // a zoomed component could not be had within its policy
	exitFault        = 70  // a fault of Peregrine's own or of the machine
	exitInterrupted  = 130 // interrupted; what was finished is kept
)

// exitError is an error with its exit code. If err is nil nothing more is printed.
// An error without an exit code is one of the user's input.
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

// withCode gives an error an exit code.
func withCode(code int, err error) error { return &exitError{code, err} }

// errNotDone ends a command that was not done everywhere or found something wrong, after its output has said so.
var errNotDone = withCode(exitNotConverged, nil)

// codeOf returns the exit code that an error was given.
func codeOf(err error) (code int, ok bool) {
	var e *exitError
	if errors.As(err, &e) {
		return e.code, true
	}
	return 0, false
}

// exitCodeOf returns the exit code of a command that ended with an error, and the text to print.
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
	default:
		code, text = exitBadInput, err.Error()
	}
	if code != exitInterrupted && fault.Is(err) {
		code = exitFault
	}
	return code, text
}

// afterSignal corrects the exit code and the text of a command whose context a signal ended: the errors
// with which its parts broke off are consequences.
func afterSignal(ctx context.Context, code int, text string) (int, string) {
	if ctx.Err() != nil && (code == exitBadInput || code == exitNoZoom) {
		return exitInterrupted, interruptedText
	}
	return code, text
}

const interruptedText = "interrupted; what was finished is kept"

// classify gives an error of a run its exit code.
func classify(err error) error {
	_, coded := codeOf(err)
	switch {
	case err == nil, coded:
		return err
	case errors.Is(err, context.Canceled):
		return withCode(exitInterrupted, errors.New("interrupted; the runs that were finished are kept"))
	case errors.As(err, new(*executive.NoZoomError)):
		return withCode(exitNoZoom, err)
	}
	return withCode(exitBadInput, err)
}

// internalFault gives an error the exit code of a fault.
func internalFault(err error) error {
	if err == nil {
		return nil
	}
	return withCode(exitFault, err)
}
