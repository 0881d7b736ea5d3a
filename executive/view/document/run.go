package document

// A run in the table of the page.

import (
	"cmp"
	"fmt"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
	"github.com/peregrine-sim/peregrine/executive/view"
)

// Run is the row of a solver run.
type Run struct {
	Name   string
	Anchor string
	State  Badge  // as `peregrine watch` judges it
	Why    string // in a line
	Ended  Badge  // end reported by its host; only in a study
	At     string
	Wall   string

	Shown bool // with its curves
	Open  bool
}

// Runs is the table of runs and the runs that are shown with curves.
type Runs struct {
	Rows    []*Run
	Count   []Fact // by state
	Note    string // names the runs that have curves
	HasHost bool   // a host has reported their ends
	HasWall bool
	Table   string // the heading of the first column
	Judged  string // basis of the judgement
}

// stateOf returns the state of the run by its files. The end of a speed line counts as an answer, whatever the files
// show.
func stateOf(s *dossier.Run) Badge {
	return badge(cmp.Or(s.Judgement.State, "no files"), s.LineEnd())
}

// endOf returns the end of the run as its host reported it.
func endOf(s *dossier.Run) Badge { return badge(s.Class, s.LineEnd()) }

// failed reports whether the run has ended without a usable answer.
func failed(s *dossier.Run) bool {
	return s.Judgement.State.Final() && !s.Judgement.Usable && s.LineEnd() == ""
}

// row is the run in the table.
func row(s *dossier.Run, i int) *Run {
	r := &Run{Name: s.Name, Anchor: fmt.Sprintf("run-%d", i+1), State: stateOf(s), Why: cmp.Or(s.Message, s.Problem)}
	if len(s.Judgement.Reasons) > 0 && r.Why == "" {
		r.Why = clipped(s.Judgement.Reasons[0], 600)
	}
	if s.Judgement.Iteration != 0 {
		r.At = count(s.Judgement.Iteration)
	}
	switch {
	case s.Class != "":
		r.Ended = endOf(s)
	case s.Phase == view.Running:
		r.Ended = badge(view.Running, "")
	}
	if s.Cached {
		r.Ended.Text += ", from the cache"
	}
	switch {
	case s.Outrun != "":
		r.Ended.Text += ", as " + s.Outrun + " has ended first"
	case s.Follows:
		r.Ended.Text += ", another attempt follows"
	}
	if s.Wall > 0 {
		r.Wall = span(s.Wall)
	}
	return r
}
