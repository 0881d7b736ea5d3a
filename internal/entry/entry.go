// Package entry finds a value in the text of a program's input file, so that it can be read and changed in place. The
// rest of the file is unchanged, with all comments and spaces.
//
//	OpenFOAM     a dictionary: relaxationFactors.fields.p
//	Assignments  lines of NAME = VALUE or NAME: VALUE, as of SU2, of namelists with one name a line, and of ini files (section.NAME)
//	Whole        a file that is the value
package entry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Format is how a file is written.
type Format string

// The formats.
const (
	OpenFOAM    Format = "openfoam"
	Assignments Format = "assignments"
	Whole       Format = "whole"
)

// Formats are all.
var Formats = []Format{OpenFOAM, Assignments, Whole}

// Span is the place of a value in a text: text[Begin:End].
type Span struct{ Begin, End int }

// NotFoundError reports a name that a file has not.
type NotFoundError struct {
	Name    string
	Nearest string // a similar name in the file; empty: none
}

func (e *NotFoundError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("it has no entry %s", e.Name)
	}
	return fmt.Sprintf("it has no entry %s; did you mean %s?", e.Name, e.Nearest)
}

// named is an entry with the place of its value.
type named struct {
	name string
	Span
}

// Find returns the place of the value of a name. The last counts, as programs read it. The error is a [*NotFoundError].
func Find(f Format, text, name string) (Span, error) {
	var all []named
	switch f {
	case OpenFOAM:
		all = dictionary(text)
	case Assignments:
		all = assignments(text)
	case Whole:
		return trimmed(text, Span{0, len(text)}), nil
	}
	for _, n := range slices.Backward(all) {
		if n.name == name {
			return n.Span, nil
		}
	}
	names := func(yield func(string) bool) {
		for _, n := range all {
			if !yield(n.name) {
				return
			}
		}
	}
	return Span{}, &NotFoundError{name, spell.Nearest(name, names)}
}

// Replace returns a text with other values at some places.
func Replace(text string, values map[Span]string) string {
	places := slices.SortedFunc(maps.Keys(values), func(a, b Span) int { return b.Begin - a.Begin }) // from behind
	for _, s := range places {
		text = text[:s.Begin] + values[s] + text[s.End:]
	}
	return text
}

// Fits returns the reason why a file of the format cannot contain a value; empty: it can. The value would end early, or
// begin another entry.
func Fits(f Format, value string) string {
	forbidden := map[Format]string{OpenFOAM: ";{}\"#$/ \t", Assignments: "%#!;,", Whole: ""}[f] + "\r\n\x00"
	if i := strings.IndexAny(value, forbidden); i >= 0 || value == "" {
		return fmt.Sprintf("%q is not allowed: want a word without any of %q", value, forbidden)
	}
	return ""
}

// trimmed returns a span without the spaces around it.
func trimmed(text string, s Span) Span {
	part := text[s.Begin:s.End]
	s.Begin += len(part) - len(strings.TrimLeft(part, blank))
	s.End = s.Begin + len(strings.Trim(part, blank))
	return s
}

const blank = " \t\r\n"

// Lines of NAME = VALUE.

var (
	assignment = regex.Lazy(`^[ \t]*([^\s=:%#!;\[&][^=:%#!;]*?)[ \t]*[=:]`)
	heading    = regex.Lazy(`^[ \t]*\[([^\]]+)\][ \t]*$`)
)

// assignments returns the assignments of a text, as section.name below a line [section].
func assignments(text string) (all []named) {
	section := ""
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		if m := heading().FindStringSubmatch(line); m != nil {
			section = m[1] + "."
		} else if m := assignment().FindStringSubmatchIndex(line); m != nil {
			value := line[m[1]:]
			if i := strings.IndexAny(value, "%#!;"); i >= 0 { // the rest is a comment
				value = value[:i]
			}
			s := trimmed(text, Span{at + m[1], at + m[1] + len(value)})
			if s.End > s.Begin && text[s.End-1] == ',' { // of a namelist
				s = trimmed(text, Span{s.Begin, s.End - 1})
			}
			all = append(all, named{section + line[m[2]:m[3]], s})
		}
		at += len(line) + 1
	}
	return all
}
