package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/fault"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// Exit codes of the program.
const (
	OK           = 0   // all converged
	NotConverged = 1   // a case did not converge
	BadInput     = 2   // the input is wrong
	NoZoom       = 3   // a zoomed component could not be had within its policy
	Fault        = 70  // a fault of Peregrine's own or of the machine
	Interrupted  = 130 // interrupted; finished work is kept
)

// exitError is an error with its exit code. If err is nil, no message is printed. An error without an exit code is an
// error in the user's input.
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

// WithCode gives an error an exit code.
func WithCode(code int, err error) error { return &exitError{code, err} }

// ErrNotDone ends a command that could not do all of its work or found a fault, after its output has reported it.
var ErrNotDone = WithCode(NotConverged, nil)

// CodeOf returns the exit code that an error was given.
func CodeOf(err error) (code int, ok bool) {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code, true
	}
	return 0, false
}

// ExitCode returns the exit code of a command that ended with an error, and the text to print. The command's context
// decides whether it was interrupted: if only a part of it was cancelled, that part did not converge.
func ExitCode(ctx context.Context, err error) (code int, text string) {
	var e *exitError
	switch {
	case err == nil:
		return OK, ""
	case errors.As(err, &e):
		code = e.code
		if e.err != nil {
			text = e.err.Error()
		}
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return Interrupted, InterruptedText
	case errors.Is(err, context.Canceled), errors.As(err, new(*studylog.LostError)):
		code, text = NotConverged, err.Error()
	default:
		code, text = BadInput, err.Error()
	}
	if code != Interrupted && fault.Is(err) {
		code = Fault
	}
	return code, text
}

// AfterSignal corrects the exit code and the text of a command whose context was ended by a signal: the errors of its
// parts are consequences.
func AfterSignal(ctx context.Context, code int, text string) (int, string) {
	if ctx.Err() != nil && (code == BadInput || code == NoZoom) {
		return Interrupted, InterruptedText
	}
	return code, text
}

const InterruptedText = "interrupted; finished results are kept"

// Classify gives an error of a run its exit code, as [ExitCode] does.
func Classify(ctx context.Context, err error) error {
	_, coded := CodeOf(err)
	switch {
	case err == nil, coded:
		return err
	case errors.Is(err, context.Canceled) && ctx.Err() == nil:
		return WithCode(NotConverged, err)
	case errors.Is(err, context.Canceled):
		return WithCode(Interrupted, errors.New("interrupted; the runs that were finished are kept"))
	case errors.As(err, new(*executive.NoZoomError)):
		return WithCode(NoZoom, err)
	}
	return WithCode(BadInput, err)
}

// InternalFault gives an error the exit code of a fault.
func InternalFault(err error) error {
	if err == nil {
		return nil
	}
	return WithCode(Fault, err)
}
