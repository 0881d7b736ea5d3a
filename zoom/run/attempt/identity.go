package attempt

// The identity of a solver in cache keys: a changed program must not find the answers of the earlier one.

import (
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
