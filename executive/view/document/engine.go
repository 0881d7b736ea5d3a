package document

// The engine's part of a page: its drawing, and the tables of its cases.

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Engine is the results of all cases.
type Engine struct {
	Note  string
	Parts []report.Part // of all cases side by side
	Cases []Case
}

// Case is a case with its tables.
type Case struct {
	Name    string
	Anchor  string
	State   Badge
	Message string
	Drawn   bool
	report.CaseTables
}

// mostDrawn is how many cases are drawn; the others have their tables.
const mostDrawn = 6

// newEngine shows the kept results of a study.
func newEngine(k *report.Kept, sys unit.System) *Engine {
	e := &Engine{}
	if k.Results == nil || len(k.Results.Cases) == 0 {
		return e
	}
	all, of := k.Tables(sys)
	e.Parts = all
	for i, c := range k.Results.Cases {
		e.Cases = append(e.Cases, Case{Name: c.Name, Anchor: fmt.Sprintf("case-%d", i+1), State: stateOfCase(c),
			Message: messageOfCase(c), Drawn: i < mostDrawn, CaseTables: of[i]})
	}
	if n := len(e.Cases); n > mostDrawn {
		e.Note = fmt.Sprintf("The first %d of %d cases are drawn; the tables are of all.", mostDrawn, n)
	}
	return e
}

func stateOfCase(c *result.Result) Badge {
	switch {
	case c.Ended != nil:
		return badge("ended_early", "")
	case c.Cut:
		return badge("interrupted", "")
	case !c.Converged:
		return Badge{"not converged", bad}
	case len(c.Limited) > 0:
		return badge("limited", "")
	case c.History != nil:
		return Badge{"transient", good}
	}
	return badge("converged", "")
}

func messageOfCase(c *result.Result) string {
	var parts []string
	if c.Message != "" {
		parts = append(parts, c.Message)
	}
	if len(c.Limited) > 0 {
		parts = append(parts, "limited by "+strings.Join(c.Limited, " and "))
	}
	return strings.Join(append(parts, c.Missed...), "; ")
}
