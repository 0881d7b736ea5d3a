package document

// Warnings with the lines they came from and their rules.

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/executive/report/dossier"
)

// severities are the severities of rules, the worst first.
var severities = []string{"error", "warning"}

// aboutWarning names the case, the component and the run of a warning.
func aboutWarning(w dossier.Warning) string {
	return strings.Join(slices.DeleteFunc([]string{w.Case, w.Component, w.Run},
		func(name string) bool { return name == "" }), ", ")
}

// whenWarning is the time of a warning: of its event, or in a transient.
func whenWarning(w dossier.Warning) string {
	if at, err := time.Parse(time.RFC3339, w.Time); err == nil {
		w.At = at
	}
	if w.At.IsZero() {
		return w.Time
	}
	return date(w.At)
}

// warnings shows errors before warnings, and bounds them.
func (p *Page) warnings(list []dossier.Warning) {
	rank := func(w dossier.Warning) int {
		if at := slices.Index(severities, w.Severity); at >= 0 {
			return at
		}
		return len(severities)
	}
	p.Warnings = slices.SortedStableFunc(slices.Values(list),
		func(a, b dossier.Warning) int { return cmp.Compare(rank(a), rank(b)) })
	const most = 400
	if n := len(p.Warnings); n > most {
		p.Warnings = p.Warnings[:most]
		p.problem("%d of %d warnings are shown.", most, n)
	}
}
