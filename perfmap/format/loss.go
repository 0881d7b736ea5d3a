package format

import (
	"strings"

	"github.com/peregrine-sim/peregrine/perfmap"
)

// losses are parts of a map that a format does not hold.
type losses []string

func (l *losses) add(lost bool, part string) {
	if lost {
		*l = append(*l, part)
	}
}

// originLoss describes the loss in formats that cannot hold a map's origin.
func originLoss(m *perfmap.Map) []string {
	if m.Origin == nil {
		return nil
	}
	return []string{"the map's origin (" + strings.TrimSpace(m.Origin.Method+" "+m.Origin.Source) + ")"}
}

// oneComment keeps text on its line.
func oneComment(s string) string { return strings.Join(strings.Fields(s), " ") }

// continuations names the continuations that are not the default, as in "Nc: linear".
func continuations(e perfmap.Extrap, sep string) (parts []string) {
	for _, a := range []struct {
		axis string
		how  perfmap.Continuation
	}{{"alpha", e.Alpha}, {"Nc", e.Nc}, {"X", e.X}} {
		if a.how != "" {
			parts = append(parts, a.axis+sep+string(a.how))
		}
	}
	return parts
}
