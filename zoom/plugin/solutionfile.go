package plugin

// The solution file of a run: its name in the run folder, and its hash.

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// HasSolution reports whether the solver writes a solution, from which other runs can start.
func (d *Description) HasSolution() bool {
	return slices.ContainsFunc(d.Files, func(f history.File) bool { return f.Format == SolutionFormat })
}

// TakesRestart reports whether the solver can continue from a checkpoint like an uninterrupted run.
func (d *Description) TakesRestart() bool {
	return d.WholeState && slices.ContainsFunc(d.Inputs,
		func(q Quantity) bool { return q.Name == InRestart && q.Shape == FileName })
}

// SolutionFile returns the path of the only solution file in a run folder; false: the folder has none, or several.
func (d *Description) SolutionFile(folder string) (path string, ok bool) {
	for _, f := range d.Files {
		if f.Format != SolutionFormat {
			continue
		}
		if found, err := filepath.Glob(filepath.Join(folder, f.Pattern)); err == nil && len(found) == 1 {
			return found[0], true
		}
	}
	return "", false
}

// SolutionSum returns the hash of the solution in a run folder; empty: it has none.
func (d *Description) SolutionSum(folder string) string {
	path, ok := d.SolutionFile(folder)
	if !ok || folder == "" {
		return ""
	}
	f, err := intake.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// IsSolution reports whether a file of a run folder, by its path within, is a solution.
func (d *Description) IsSolution(name string) bool {
	return slices.ContainsFunc(d.Files, func(f history.File) bool {
		match, err := filepath.Match(f.Pattern, name)
		return f.Format == SolutionFormat && err == nil && match
	})
}
