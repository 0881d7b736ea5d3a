// Package dossier gathers all that is known of a study, or of any solvers' files, as one value that JSON holds. It
// judges runs and draws nothing: package page draws a dossier, and a program that shows a study elsewhere reads its
// JSON.
package dossier

import (
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
)

// Dossier is what is known of a study, or of files.
type Dossier struct {
	Name   string    `json:"name"`   // of the folder
	Folder string    `json:"folder"` // absolute
	At     time.Time `json:"at"`     // when it was gathered

	Files    *Files         `json:"files,omitempty"` // nil: it is of a study
	Study    view.Study     `json:"study"`           // of all events of its log
	Events   int            `json:"events"`          // of its log
	Busy     bool           `json:"busy"`            // a command writes its log now
	Results  *report.Kept   `json:"results"`         // nil: none were kept
	Damage   Damage         `json:"damage"`
	Warnings []Warning      `json:"warnings"` // of the results and of the log
	Solvers  map[string]int `json:"solvers"`  // with how many runs; an answer from the cache is no run
	Machines map[string]int `json:"machines"` // that computed runs, with how many; "": an earlier version made the run

	Runs  []*Run `json:"runs"`  // the failed and the worst first
	Shown int    `json:"shown"` // how many of the runs have their curves
}

// Files are the files of which a dossier is.
type Files struct {
	Count   int      `json:"count"`
	Formats []string `json:"formats"`
	Limit   float64  `json:"limit,omitempty"` // of iterations, or of time, as it was given; 0: none was
}

// Damage is what of a study cannot be read.
type Damage struct {
	Log     *Lines  `json:"log,omitempty"`
	Events  []Lines `json:"events,omitempty"` // of runs
	Results string  `json:"results,omitempty"`
}

// Lines are lines of a log that hold no event, by their numbers from 1.
type Lines struct {
	Path  string `json:"path"`
	Lines []int  `json:"lines"`
}

// Warning is what a rule found, or of what a host or the executive warns.
type Warning struct {
	result.Warning
	At time.Time `json:"at,omitzero"` // of its event; zero: it is one of the results
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Below is a path as it is seen from a folder.
func Below(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
