package march

import (
	"encoding/gob"
	"fmt"
	"io"
)

// A saved solution is gob after a line of text with the solver's name and the format's number, so that an error can
// name a file of another kind or version, or a damaged file.
func mark(solver string, version int) string {
	return fmt.Sprintf("peregrine %s solution %d\n", solver, version)
}

// Save writes a solver's solution.
func Save(w io.Writer, solver string, version int, solution any) error {
	if _, err := io.WriteString(w, mark(solver, version)); err != nil {
		return err
	}
	return gob.NewEncoder(w).Encode(solution)
}

// Load reads the solution that Save wrote.
func Load[S any](r io.Reader, solver string, version int) (*S, error) {
	want := mark(solver, version)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != want {
		return nil, fmt.Errorf("%s: not a solution of this version (starts with %q)", solver, got)
	}
	solution := new(S)
	if err := gob.NewDecoder(r).Decode(solution); err != nil {
		return nil, fmt.Errorf("%s: damaged solution: %w", solver, err)
	}
	return solution, nil
}
