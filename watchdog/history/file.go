// Package history reads the files in which solvers report their progress, and converts their lines to events.
//
// A File, which comes with the solver's description, describes how a file is read: columns under a header, JSON lines,
// or regular expressions for logs for human readers. A FileSpec adds the file's location. A file's content is never an
// error here: its program may crash while it writes a line. Lines that cannot be read are counted and reported from
// time to time. A Summary keeps the data of a run's pictures: curves, profiles and messages.
package history

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Format is how the lines of a file are read.
type Format string

const (
	// Columns: numbers separated by white space, commas or semicolons. A header names
	// them; it is a line, as a comment or not, that has File.Key among its
	// names, and as many names as the lines that follow have numbers:
	//
	//	# iteration residual W_in W_out PR eff
	//	1 1.000e+00 67.1 66.0 1.21 0.55
	//
	// A column name[3] is element 3, from 0, of the array name.
	Columns Format = "columns"

	// JSON: an object a line. Numbers are values, arrays of numbers arrays,
	// members of objects get dotted names, and the texts of "kind" and "text"
	// are the event's. Bare NaN and Infinity, as Python writes them, are accepted.
	JSON Format = "json"

	// Regexp: Patterns; lines that match none are skipped.
	Regexp Format = "regexp"
)

// File describes a file that a solver writes: its name, and how its lines are read. Its fields that begin with a
// format's name are used with that format alone.
type File struct {
	// glob, relative to the run folder; it must not match the names of rotated files
	Pattern string `json:"path"`
	// any other than Columns, JSON and Regexp, such as "plot3d", is not watched
	Format Format `json:"format"`
	// Columns: the column whose name marks a header line; default "iteration"
	Key     string   `json:"key,omitempty"`
	Keys    []string `json:"keys,omitempty"`  // Columns: instead of Key: a header has any of them
	Columns []string `json:"names,omitempty"` // Columns: names by position, of a file without header
	// Columns: between bars, as in | 1 | -3.2 |; other lines are skipped
	Boxed bool `json:"boxed,omitempty"`
	// Columns: lines that are no rows are no fault, as in a solver's log
	Prose bool `json:"prose,omitempty"`
	// Columns: names in the header that stand over several columns
	Widths map[string]int `json:"widths,omitempty"`
	// Columns: where the header has the key alone, the others are value_0, value_1 ...
	Unnamed bool     `json:"unnamed,omitempty"`
	Drop    []string `json:"drop,omitempty"`  // Columns: these are not used; a star is any text
	Log10   []string `json:"log10,omitempty"` // Columns: these are logarithms to base 10; a star is any text
	Units   bool     `json:"units,omitempty"` // Columns: names end in their SI units, as in W_in[kg/s]
	// Columns: columns with customary names of residuals get the names residual_X
	Guess bool `json:"guess,omitempty"`
	// tried in order; the first match counts. Columns: of lines that are none of the table
	Patterns []Pattern `json:"patterns,omitempty"`
	// precedes the names of values other than iteration and time, where several files have the same names
	Prefix string `json:"prefix,omitempty"`
	// from the file's names to Peregrine's, such as "MFR_in": "W_in"
	Rename map[string]string  `json:"rename,omitempty"`
	Scale  map[string]float64 `json:"scale,omitempty"` // factor to SI, by Peregrine's name
	Doc    string             `json:"doc,omitempty"`   // for people
}

// Pattern recognizes a line, by a template or a regular expression (RE2) whose named groups are values:
//
//	^Time = (?P<iteration>\d+)
//	Solving for (?P<key>\w+), Initial residual = (?P<residual>\S+),
//
// A line template is simpler, and fast:
//
//	Time = {iteration}
//	{*}:  Solving for {key}, Initial residual = {residual},
//
// {*} is any text, {end} the end of the line, {{ a brace. A number may be a vector (1 2 3), which makes the values
// name_x, name_y and name_z. The text of a group called key is appended to the names of the others, here residual_Ux.
// Components of equations (residual, final, inner) have no underscore before x. The text of a group called section
// precedes the keys of the lines that follow, to the end of the iteration or the next section: residual_air.Ux. The
// text of a group called text becomes the event's. A group called array is a list of numbers, the array that key names.
type Pattern struct {
	Line   string     `json:"line,omitempty"` // instead of Regexp: a line template
	Regexp string     `json:"regexp,omitempty"`
	Begins bool       `json:"begins,omitempty"` // the line begins an iteration, whose values may be on several lines
	Ends   bool       `json:"ends,omitempty"`   // the line completes such an iteration, which is handed over at once
	Kind   event.Kind `json:"kind,omitempty"`   // of the event; default event.Iteration
	Status string     `json:"status,omitempty"` // of an event of kind status: converged, ended, failed or non_finite
	Next   bool       `json:"next,omitempty"`   // the next line with a letter continues its text, in a second event
}

// MaxWidth is the largest of File.Widths.
const MaxWidth = 100

const defaultKey = "iteration"

// Watched reports whether a watchdog can read the file's format.
func (f *File) Watched() bool {
	return slices.Contains([]Format{Columns, JSON, Regexp}, f.Format)
}

// faults returns why the file cannot be read as described.
func (f *File) faults() (list []string) {
	fault := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case f.Pattern == "":
		fault("no path")
	case !filepath.IsLocal(f.Pattern):
		fault("the path must be relative and stay inside the run folder")
	}
	if _, err := filepath.Match(f.Pattern, ""); err != nil {
		fault("bad pattern: %v", err)
	}
	for name, width := range f.Widths {
		if width < 1 || width > MaxWidth {
			fault("the name %q has %d columns below it, want 1 to %d", name, width, MaxWidth)
		}
	}
	switch {
	case !f.Watched():
		fault("format %q is none of %q, %q, %q", f.Format, Columns, JSON, Regexp)
	case f.Format == Regexp:
		list = append(list, checkPatterns(f.Patterns)...)
	case len(f.Patterns) > 0 && f.Format == Columns:
		list = append(list, checkPatterns(f.Patterns)...)
	case len(f.Patterns) > 0:
		fault("patterns belong to formats %q and %q, not %q", Regexp, Columns, f.Format)
	}
	return list
}

func checkPatterns(patterns []Pattern) (reasons []string) {
	if len(patterns) == 0 {
		return []string{"format regexp needs patterns"}
	}
	for _, p := range patterns {
		reasons = append(reasons, p.Faults()...)
	}
	return reasons
}

// Faults returns why lines cannot be read by the pattern.
func (p Pattern) Faults() (reasons []string) {
	kinds := []event.Kind{"", event.Iteration, event.Message, event.Profile, event.Result, event.Warning, event.Status}
	names, err := p.names()
	switch {
	case err != nil:
		reasons = append(reasons, err.Error())
	case !slices.Contains(kinds, p.Kind):
		reasons = append(reasons, fmt.Sprintf("pattern %q: a line cannot be of kind %q", p.Regexp, p.Kind))
	case p.kind() == event.Iteration && !p.Begins && strings.Join(names, "") == "":
		reasons = append(reasons,
			fmt.Sprintf("pattern %q has no named group, as in (?P<residual>\\S+) or, in a line, {residual}",
				p.Line+p.Regexp))
	case p.Status != "" && p.Kind != event.Status:
		reasons = append(reasons, fmt.Sprintf("pattern %q has the status %q, but kind %q", p.Line+p.Regexp, p.Status,
			p.kind()))
	case slices.Contains(names, "array") && !slices.Contains(names, "key"):
		reasons = append(reasons, fmt.Sprintf("pattern %q has an array and no key, which names it", p.Regexp))
	}
	return reasons
}

// names returns the names of the groups.
func (p Pattern) names() ([]string, error) {
	switch {
	case p.Line != "" && p.Regexp != "":
		return nil, fmt.Errorf("pattern %q: a line and a regexp as well; one is enough", p.Line)
	case p.Line != "":
		t, err := parseTemplate(p.Line)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", p.Line, err)
		}
		return t.names, nil
	}
	re, err := regexp.Compile(p.Regexp)
	if err != nil {
		return nil, err
	}
	return re.SubexpNames(), nil
}

func (p Pattern) kind() event.Kind {
	if p.Kind == "" {
		return event.Iteration
	}
	return p.Kind
}

// Wants says which lines the file is expected to have.
func (f *File) Wants() string {
	switch {
	case f.Format == JSON:
		return "an object a line"
	case f.Format == Regexp:
		return fmt.Sprintf("lines such as %q", f.Patterns[0].Line+f.Patterns[0].Regexp)
	case len(f.Columns) > 0:
		return fmt.Sprintf("lines of %d numbers: %s", len(f.Columns), strings.Join(f.Columns, ", "))
	}
	keys := f.Keys
	if len(keys) == 0 {
		keys = []string{cmp.Or(f.Key, defaultKey)}
	}
	return fmt.Sprintf("a header with a name of %q and, below it, a number for each name", keys)
}
