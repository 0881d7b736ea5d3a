package executive

import (
	"slices"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// interruptions warns of the cases that an interrupted run did not finish. It marks converged cases that were not
// zoomed any more.
func interruptions(names []string, cases []*result.Result, zooms bool) []result.Warning {
	var out []result.Warning
	warn := func(name, message string) {
		out = append(out, result.Warning{Severity: rule.Warning, Rule: "interrupted", Case: name, Message: message,
			Evidence: []string{}})
	}
	for _, name := range names {
		i := slices.IndexFunc(cases, func(r *result.Result) bool { return r.Name == name })
		switch {
		case i < 0:
			warn(name, "the run was interrupted before the case was solved")
		case cases[i].Interrupted():
			cases[i].Cut = true
			warn(name, "the transient was interrupted")
		case zooms && cases[i].Zoom == nil:
			cases[i].Cut = true
			warn(name, "the run was interrupted before the case was zoomed; its results are those without zoom")
		}
	}
	return out
}
