// Package dossier gathers the known facts about a study, or about the files of any solvers, as one value that JSON can
// hold. It judges runs and draws no pictures: package page draws a dossier, and other programs that show a study read
// its JSON.
package dossier

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Dossier holds the known facts about a study, or about files.
type Dossier struct {
	Name   string    `json:"name"`   // of the folder
	Folder string    `json:"folder"` // absolute
	At     time.Time `json:"at"`     // when it was gathered

	Files    *Files             `json:"files,omitempty"`  // nil: it is of a study
	Study    view.Study         `json:"study"`            // of all events of its log
	Events   int                `json:"events"`           // of its log
	Busy     bool               `json:"busy"`             // a command writes its log now
	Results  *report.Kept       `json:"results"`          // nil: none were kept
	Charts   []report.KeptChart `json:"charts,omitempty"` // that the study has kept since, the last of each component
	Damage   Damage             `json:"damage"`
	Warnings []Warning          `json:"warnings"` // of the results and of the log
	Solvers  map[string]int     `json:"solvers"`  // with how many runs; an answer from the cache is no run
	Machines map[string]int     `json:"machines"` // that computed runs, with how many; "": of an earlier version

	Runs  []*Run `json:"runs"`  // the failed and the worst first
	Shown int    `json:"shown"` // how many of the runs have their curves

	Snapshot json.RawMessage `json:"snapshot,omitempty"` // the study's state as GET /api/snapshot has it
}

// Files lists the files that a dossier covers.
type Files struct {
	Count   int      `json:"count"`
	Formats []string `json:"formats"`
	Limit   float64  `json:"limit,omitempty"` // of iterations, or of time, as it was given; 0: none was
}

// Damage lists the unreadable parts of a study.
type Damage struct {
	Log     *event.DamagedError   `json:"log,omitempty"`
	Events  []*event.DamagedError `json:"events,omitempty"` // of runs
	Results string                `json:"results,omitempty"`
	Charts  []string              `json:"charts,omitempty"`
}

// Warning is the finding of a rule, or a warning of a host or of the executive.
type Warning struct {
	result.Warning
	At time.Time `json:"at,omitzero"` // time of its event; zero: it comes from the results
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
