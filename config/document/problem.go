package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/printable"
)

// Problem is an error in an engine file or a --set.
type Problem struct {
	File    string // path as given, or "--set"
	Pos     Pos    // zero for a --set and for a file as a whole
	Path    string // where in the engine, such as "components.burner.dPqP"; list entries count from 1
	Text    string // the faulty text as written; empty if a text is missing
	Message string // the error, and the expected text
	Source  string // the line of the file

	// Cause is the error behind the message; nil: none. It is an error outside the file, such as a full disk.
	Cause error `json:"-"`
}

// Error returns the problem on one line: file:line:column: path: "text": message.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Pos != (Pos{}) {
		b.WriteString(":" + p.Pos.String())
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(printable.Cell(p.Path) + ": ")
	}
	if p.Text != "" {
		fmt.Fprintf(&b, "%q: ", shorten(p.Text))
	}
	b.WriteString(p.Message)
	return b.String()
}

// Excerpt returns the line of the file with a caret under the place. It returns "" for a missing line and for a line
// too long to be useful.
func (p *Problem) Excerpt() string {
	const widest = 160
	if strings.TrimSpace(p.Source) == "" || utf8.RuneCountInString(p.Source) > widest {
		return ""
	}
	// A caret lines up below only if invisible characters take one column.
	line := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, p.Source)
	return "    " + line + "\n    " + strings.Repeat(" ", max(p.Pos.Column-1, 0)) + "^"
}

// shorten keeps a message readable when a whole block was the offending text.
func shorten(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + " ..."
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// Errors lists all problems of an engine file, in the order of the file, then of the --set options. It is never empty.
type Errors struct{ Problems []*Problem }

// mostPrinted is the largest number of printed problems; a file with more problems has a common cause.
const mostPrinted = 50

// Error returns the problems, each on its line with an excerpt of the file below.
func (e *Errors) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i == mostPrinted {
			fmt.Fprintf(&b, "... and %d more", len(e.Problems)-i)
			break
		}
		b.WriteString(p.Error() + "\n")
		if x := p.Excerpt(); x != "" {
			b.WriteString(x + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Unwrap returns the individual problems.
func (e *Errors) Unwrap() []error {
	return convert.All(e.Problems, func(p *Problem) error { return p })
}

// sort puts the problems in the order of the file; those without a place in it come last.
func (e *Errors) sort() {
	slices.SortStableFunc(e.Problems, func(a, b *Problem) int {
		if (a.Pos == Pos{}) != (b.Pos == Pos{}) {
			if (a.Pos == Pos{}) {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// Pos is a place in the engine file, from 1. The zero Pos is no place.
type Pos struct{ Line, Column int }

func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}
