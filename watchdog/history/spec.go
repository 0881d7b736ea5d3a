// Package history reads the files in which solvers tell how they get on, and
// makes events of their lines.
//
// A file is described by data, a FileSpec, that comes with the solver: columns
// under a header, JSON lines, or regular expressions for logs that were written
// for people. Nothing that a file holds is an error here; it belongs to a
// program that may crash in mid-line. What cannot be read is counted and told
// once in a while.
package history

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Format is how the lines of a file are read.
type Format string

const (
	// Columns: numbers separated by white space or commas. A header names
	// them; it is a line, as a comment or not, that has FileSpec.Key among its
	// words, and as many words as the lines that follow have numbers:
	//
	//	# iteration residual W_in W_out PR eff
	//	1 1.000e+00 67.1 66.0 1.21 0.55
	//
	// A column name[3] is element 3, from 0, of the array name.
	Columns Format = "columns"

	// JSON: an object a line. Numbers are values, arrays of numbers arrays,
	// members of objects get dotted names, and the texts of "kind" and "text"
	// are the event's. Bare NaN and Infinity, as Python writes them, are taken.
	JSON Format = "json"

	// Regexp: Patterns; lines that match none are passed over.
	Regexp Format = "regexp"
)

// FileSpec says which files a run writes and how to read them.
type FileSpec struct {
	Study    string             `json:"study,omitempty"`
	Run      string             `json:"run,omitempty"`
	Folder   string             `json:"folder,omitempty"`   // run folder, absolute
	Path     string             `json:"path"`               // glob, relative to Folder; it must not match what files are renamed to
	Format   Format             `json:"format"`             //
	Key      string             `json:"key,omitempty"`      // Columns: the name that tells a header; default "iteration"
	Names    []string           `json:"names,omitempty"`    // Columns: column names of a file without header
	Patterns []Pattern          `json:"patterns,omitempty"` // Regexp: tried in order, the first match counts
	Rename   map[string]string  `json:"rename,omitempty"`   // the file's names to Peregrine's, as "MFR_in": "W_in"
	Scale    map[string]float64 `json:"scale,omitempty"`    // factor that brings a value to SI, by Peregrine's name
	Interval time.Duration      `json:"interval,omitempty"` // between polls; default 100 ms
}

// Pattern is a regular expression (RE2) whose named groups are values:
//
//	^Time = (?P<iteration>\d+)
//	Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+),
//
// The text of a group called key is appended to the names of the others, here
// residual_Ux. The text of a group called text becomes the event's.
type Pattern struct {
	Regexp string     `json:"regexp"`
	Begins bool       `json:"begins,omitempty"` // the line opens an iteration, whose values may come on several lines
	Kind   event.Kind `json:"kind,omitempty"`   // default: iteration
}

// DefaultInterval is the time between polls: short against an iteration of
// any flow solver, long against the microseconds that a poll costs.
const DefaultInterval = 100 * time.Millisecond

const defaultKey = "iteration"

// A SpecError is a FileSpec that cannot work.
type SpecError struct{ Path, Reason string }

func (e *SpecError) Error() string {
	return fmt.Sprintf("description of the file %q: %s", e.Path, e.Reason)
}

// Check returns every fault of the description, as *SpecErrors, joined.
func (s *FileSpec) Check() error {
	var errs []error
	fault := func(format string, args ...any) {
		errs = append(errs, &SpecError{s.Path, fmt.Sprintf(format, args...)})
	}
	switch {
	case s.Path == "":
		fault("no path")
	case !filepath.IsLocal(s.Path):
		fault("the path must be relative and stay inside the run folder")
	}
	if _, err := filepath.Match(s.Path, ""); err != nil {
		fault("bad pattern: %v", err)
	}
	if s.Folder != "" && !filepath.IsAbs(s.Folder) {
		fault("run folder %q is not absolute", s.Folder)
	}
	if s.Interval < 0 {
		fault("interval %v is negative", s.Interval)
	}
	switch s.Format {
	case Columns, JSON:
		if len(s.Patterns) > 0 {
			fault("patterns belong to format %q, not %q", Regexp, s.Format)
		}
	case Regexp:
		for _, reason := range checkPatterns(s.Patterns) {
			fault("%s", reason)
		}
	default:
		fault("format %q is none of %q, %q, %q", s.Format, Columns, JSON, Regexp)
	}
	return errors.Join(errs...)
}

func checkPatterns(patterns []Pattern) (reasons []string) {
	if len(patterns) == 0 {
		return []string{"format regexp needs patterns"}
	}
	kinds := []event.Kind{"", event.Iteration, event.Message, event.Profile, event.Result, event.Warning}
	for _, p := range patterns {
		re, err := regexp.Compile(p.Regexp)
		switch {
		case err != nil:
			reasons = append(reasons, err.Error())
		case !slices.Contains(kinds, p.Kind):
			reasons = append(reasons, fmt.Sprintf("pattern %q: a line cannot be of kind %q", p.Regexp, p.Kind))
		case p.kind() == event.Iteration && strings.Join(re.SubexpNames(), "") == "":
			reasons = append(reasons, fmt.Sprintf("pattern %q has no named group, as in (?P<residual>\\S+)", p.Regexp))
		}
	}
	return reasons
}

func (p Pattern) kind() event.Kind {
	if p.Kind == "" {
		return event.Iteration
	}
	return p.Kind
}
