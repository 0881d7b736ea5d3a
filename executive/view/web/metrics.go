package web

// Numbers of the study for a site's own monitoring.

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// metrics writes the numbers of the study in the text format of OpenMetrics 1.0
// (https://prometheus.io/docs/specs/om/open_metrics_spec/).
func (f *Feed) metrics(w http.ResponseWriter, _ *http.Request) {
	n := f.state.count()
	var b bytes.Buffer
	family := func(name, unit, help string) {
		fmt.Fprintf(&b, "# TYPE %s gauge\n", name)
		if unit != "" {
			fmt.Fprintf(&b, "# UNIT %s %s\n", name, unit)
		}
		fmt.Fprintf(&b, "# HELP %s %s\n", name, help)
	}
	family("peregrine_runs", "", "Runs of the study by state.")
	for _, state := range slices.Sorted(maps.Keys(n.runs)) {
		fmt.Fprintf(&b, "peregrine_runs{study=%s,state=%s} %d\n", label(f.state.study), label(state), n.runs[state])
	}
	family("peregrine_iterations", "", "Iterations made by the present attempts of the runs.")
	fmt.Fprintf(&b, "peregrine_iterations{study=%s} %g\n", label(f.state.study), n.iterations)
	family("peregrine_worst_residual", "", "Greatest residual of the runs that are under way.")
	if n.worst > 0 {
		fmt.Fprintf(&b, "peregrine_worst_residual{study=%s} %g\n", label(f.state.study), n.worst)
	}
	family("peregrine_warnings", "", "Warnings of the study by severity.")
	for _, severity := range slices.Sorted(maps.Keys(n.warnings)) {
		fmt.Fprintf(&b, "peregrine_warnings{study=%s,severity=%s} %d\n", label(f.state.study), label(severity),
			n.warnings[severity])
	}
	family("peregrine_wall_seconds", "seconds", "Wall time of the runs that have ended.")
	fmt.Fprintf(&b, "peregrine_wall_seconds{study=%s} %g\n", label(f.state.study), n.wall)
	b.WriteString("# EOF\n")
	w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client has left
}

// label quotes the value of a label.
func label(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}
