package cli

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Receipt is a receipt for programs, with the name of its run. Old and New are one value; for a command to several
// objects they are a value for each name.
type Receipt struct {
	event.Receipt
	Reason string `json:"reason"` // of the receipt, also present if empty
	Study  string `json:"study,omitempty"`
	Run    string `json:"run,omitempty"`
	Old    any    `json:"old"`
	New    any    `json:"new"`
	Branch string `json:"branch,omitempty"` // the run that the command created
	DryRun bool   `json:"dry_run,omitempty"`
}

func NewReceipt(study, run string, x event.Receipt) Receipt {
	s := Receipt{Receipt: x, Reason: x.Reason, Study: study, Run: run}
	switch len(x.Effects) {
	case 0:
	case 1:
		s.Old, s.New = x.Effects[0].Old, x.Effects[0].New
	default:
		before, after := map[string]steer.Value{}, map[string]steer.Value{}
		for _, d := range x.Effects {
			if _, first := before[d.Object]; !first {
				before[d.Object] = d.Old
			}
			after[d.Object] = d.New
		}
		s.Old, s.New = before, after
	}
	return s
}

// Text writes a receipt for people.
func (s Receipt) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s: %s", printable.Cell(cmp.Or(s.Run, s.Study)), s.Did(),
		strings.ReplaceAll(string(s.State), "_", " "))
	switch s.State {
	case event.Applied, event.RolledBack:
		fmt.Fprintf(&b, " at iteration %d", s.Iteration)
	}
	if s.File != "" {
		fmt.Fprintf(&b, ", %s", printable.Cell(s.File))
	}
	if s.Reason != "" {
		fmt.Fprintf(&b, ": %s", printable.Line(s.Reason, 400))
	}
	return b.String()
}

// Did returns the requested change as text, with its values.
func (s Receipt) Did() string {
	var b strings.Builder
	b.WriteString(string(s.Verb))
	if s.Name != "" {
		fmt.Fprintf(&b, " %s", printable.Cell(s.Name))
	}
	if s.Steps > 0 {
		fmt.Fprintf(&b, " %d", s.Steps)
	}
	for _, d := range s.Effects {
		fmt.Fprintf(&b, " %s", d.Object)
		if d.Old.Type != "" {
			fmt.Fprintf(&b, " %s ->", ValueText(d.Old))
		}
		if d.New.Type == "" && d.Argument.Type != "" { // a function without a result
			d.New = d.Argument
		}
		fmt.Fprintf(&b, " %s", ValueText(d.New))
	}
	return b.String()
}

// ValueText writes a value for people.
func ValueText(v steer.Value) string {
	switch v.Type {
	case "":
		return "-"
	case steer.Float:
		if math.Abs(v.Number) < 1e15 {
			return fmt.Sprintf("%.6g", v.Number)
		}
	}
	return printable.Line(v.String(), 60)
}
