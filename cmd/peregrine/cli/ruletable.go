package cli

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// RuleTable lists rules.
func RuleTable(list []rule.Listed) string {
	t := table.New("l", "rule", "severity", "judges", "condition")
	for _, l := range list {
		severity := l.Severity
		switch {
		case l.Action != "" && l.Act:
			severity += ", " + l.Action
		case l.Action != "":
			severity += ", would " + l.Action
		}
		condition := strings.Join(l.When, " or ")
		switch {
		case len(l.When) == 0:
			condition = "switched off"
		case l.Off:
			condition = "off by default: " + condition
		}
		if l.Hold > 1 {
			condition += fmt.Sprintf(", %d iterations in a row", l.Hold)
		}
		if l.For > 0 {
			condition += fmt.Sprintf(", for %g s", l.For)
		}
		if len(l.Each) > 0 {
			condition = "each " + strings.Join(l.Each, ", ") + ": " + condition
		}
		if len(l.Assert) > 0 {
			condition += "; asserts " + strings.Join(l.Assert, ", ")
		}
		t.Row(l.Name, severity, l.Judges, printable.Line(condition, 2000))
	}
	return t.String()
}
