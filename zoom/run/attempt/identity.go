package attempt

// The identity of a solver in cache keys: a changed program must not find the answers of the earlier one.

import (
	"errors"
	"fmt"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/host/launch"
)

// Identity returns the properties that distinguish a program from others: the variables added to its environment,
// Program.Version and Program.Code. Without a Code it contains instead the hashes of the program and of every file
// among its arguments (scripts), and all other arguments.
func Identity(p launch.Program) (any, error) {
	id := map[string]any{"env": slices.Sorted(slices.Values(p.Environment)), "identity": p.Version}
	if p.Code != "" {
		id["code"] = p.Code
		return id, nil
	}
	var err error
	id["command"], err = launch.Contents(p.Command)
	if err != nil {
		return nil, &launch.ProgramError{Command: p.Command, Err: err}
	}
	return id, nil
}

// Unchanged returns a function that returns an error if the program is no longer the one of the moment of the call.
func Unchanged(p launch.Program) func() error {
	switch {
	case p.Changed != nil:
		return p.Changed
	case p.Code != "":
		return func() error { return nil }
	}
	before, lost := launch.Contents(p.Command)
	return func() error {
		now, err := launch.Contents(p.Command)
		if err = errors.Join(lost, err); err == nil && !slices.Equal(before, now) {
			err = fmt.Errorf("%s has changed", p.Command)
		}
		return err
	}
}
