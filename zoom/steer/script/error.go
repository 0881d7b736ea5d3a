package script

// Errors of scripts, with their places.

import (
	"errors"

	"go.starlark.net/starlark"
)

// FailedError reports a script that has called fail.
type FailedError struct{ Text string }

func (e *FailedError) Error() string { return "fail: " + e.Text }

// Error is an error of a script with its places: FILE:LINE:COLUMN, the innermost first.
type Error struct {
	Places []string
	Err    error
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	text := e.Err.Error()
	if len(e.Places) > 0 {
		text = e.Places[0] + ": " + text
	}
	for _, p := range e.Places[min(1, len(e.Places)):] {
		text += "\n  called at " + p
	}
	return text
}

// mostPlaces is how many calls are named in an error.
const mostPlaces = 10

// placesOf returns where in the script an error came up.
func placesOf(err error) (places []string) {
	var e *starlark.EvalError
	if !errors.As(err, &e) {
		return nil
	}
	for i := len(e.CallStack) - 1; i >= 0 && len(places) < mostPlaces; i-- {
		if f := e.CallStack[i]; f.Pos.Filename() != "<builtin>" {
			places = append(places, f.Pos.String())
		}
	}
	return places
}
