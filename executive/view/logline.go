package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// LogLine writes an event of a study's log in one line. It is empty for progress events.
func LogLine(e event.Event) string {
	switch e.Kind {
	case event.Progress:
		return ""
	case event.StudyBegun:
		return strings.TrimSpace(e.Name + ": " + e.Text)
	case event.StudyEnded:
		return join(string(e.Class), e.Text)
	case event.Planned:
		return e.Name
	case event.BlockState, event.NodeCame, event.NodeLost, event.Accounted:
		return join(e.Name, e.Text)
	case event.Ended, event.Harvested:
		return e.Run + ": " + e.Outcome() + remark(e)
	case event.Finding:
		return join(e.Severity+" "+e.Name, join(about(e), e.Text))
	}
	return join(join(about(e), e.Name), strings.TrimSpace(string(e.Class)+" "+values(e)+e.Text))
}

// about names the run, case and component of an event.
func about(e event.Event) string {
	var parts []string
	for _, s := range []string{e.Run, e.Case, e.Component} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

func values(e event.Event) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		fmt.Fprintf(&b, "%s %.3g ", name, e.Values[name])
	}
	return b.String()
}
