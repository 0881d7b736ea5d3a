package zoomsolve

// Warnings of gaps in a zoomed map. The engine converges on a map with gaps as well as on a complete map, so only a
// warning shows them.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/zoom"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
)

// warning returns a warning of the zoomed component.
func (z *componentZoom) warning(name, message string, evidence ...string) result.Warning {
	return result.Warning{
		Severity: rule.Warning, Rule: name, Component: z.cfg.Component, Message: message,
		Evidence: append([]string{}, evidence...),
	}
}

// warnings warns of missing runs, lost speed lines, and of a map that is scaled by runs far
// from the design point.
func (z *componentZoom) warnings() []result.Warning {
	out := append(z.missingWarnings(z.total.Missing, z.total.Dropped), z.cutWarnings(z.total.Cut)...)
	if a := z.total.Anchor; z.charted && z.scaled() && a.Far() {
		out = append(out, z.warning("zoom_scaled_far", fmt.Sprintf(
			"its map is scaled to the design by a point at %.1f %% of the design's corrected speed and %.1f %% of "+
				"its corrected flow, as no run nearer gave an answer",
			100*a.Speed, 100*a.Flow)))
	}
	return slices.Concat(out, z.steeredWarnings(), z.branchWarnings(), z.unlikeWarnings(z.total.Unlike),
		z.changedWarnings())
}

// steeredWarnings warns of runs that were changed while they ran: they do not answer the original request.
func (z *componentZoom) steeredWarnings() (out []result.Warning) {
	for _, o := range z.total.Outcomes {
		if len(o.Steered) == 0 {
			continue
		}
		w := z.warning("zoom_steered",
			fmt.Sprintf("run %s was changed while it ran, first at iteration %d; its answer counts for its point",
				o.Run, o.Steered[0].Iteration))
		for _, a := range o.Steered {
			if a.Verb == branch.Verb {
				w.Evidence = append(w.Evidence, fmt.Sprintf("iteration %d: a branch from checkpoint %s, by %s",
					a.Iteration, a.Name, a.By))
			}
			for _, d := range a.Effects {
				w.Evidence = append(w.Evidence, fmt.Sprintf("iteration %d: %s %s from %v to %v, by %s", a.Iteration,
					a.Verb, d.Object, d.Old, d.New, a.By))
			}
		}
		w.Run = o.Run
		out = append(out, w)
	}
	return out
}

// changedWarnings warns of answers that may be of another program than the solver of the other runs.
func (z *componentZoom) changedWarnings() []result.Warning {
	var names, evidence []string
	for _, o := range z.total.Outcomes {
		if o.OK() && o.Changed != nil {
			names, evidence = append(names, o.Run), append(evidence, fmt.Sprintf("%s: %v", o.Run, o.Changed))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []result.Warning{z.warning("zoom_solver_changed", fmt.Sprintf("its solver was changed or written while %d "+
		"of its runs went on, whose answers may be of another program; run the study again: %s", len(names),
		someOf(names)), evidence...)}
}

// unlikeWarnings warns of runs that were made twice and gave different answers.
func (z *componentZoom) unlikeWarnings(unlike []run.Unlike) (out []result.Warning) {
	for _, u := range unlike {
		w := z.warning("zoom_not_repeatable",
			"its solver answers the same request differently, so that the results depend on chance", u.What)
		w.Run = u.Run
		out = append(out, w)
	}
	return out
}

// warningsIn warns of gaps in a transient's copy of base that base itself does not have.
func (z *componentZoom) warningsIn(name string, base *componentZoom) []result.Warning {
	a, b := &z.total, &base.total
	out := slices.Concat(z.missingWarnings(without(a.Missing, b.Missing), without(a.Dropped, b.Dropped)),
		z.cutWarnings(without(a.Cut, b.Cut)), z.unlikeWarnings(without(a.Unlike, b.Unlike)))
	for i := range out {
		out[i].Case = name
	}
	return out
}

// without returns the elements of a list that are not in another.
func without[T comparable](list, other []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool { return slices.Contains(other, x) })
}

// cutWarnings warns of good runs that the map leaves out, as their lines cross others.
func (z *componentZoom) cutWarnings(cut []perfmap.CutPoint) []result.Warning {
	if len(cut) == 0 {
		return nil
	}
	var names, evidence []string
	for _, c := range cut {
		names, evidence = append(names, c.Run), append(evidence, c.String())
	}
	return []result.Warning{z.warning("zoom_lines_cross",
		"speed lines cross where its map leaves out good runs: "+someOf(names), evidence...)}
}

// namedRuns is the number of runs that a message names; the evidence has all.
const namedRuns = 3

// someOf lists a limited number of names, and the count of the others.
func someOf(names []string) string {
	if n := len(names) - namedRuns; n > 0 {
		names = append(slices.Clone(names[:namedRuns]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

func (z *componentZoom) missingWarnings(missing []zoom.Missing, lost []zoom.LostLine) (out []result.Warning) {
	if n := len(missing); n > 1 && n == z.total.Planned && zoom.OneCause(missing) { // its lines are lost with them
		return []result.Warning{z.warning("zoom_runs_failed",
			fmt.Sprintf("the %d runs of its map all failed by one cause", n), missing[0].String())}
	}
	if len(missing) > 0 {
		var names, evidence []string
		for _, m := range missing {
			names, evidence = append(names, m.Name), append(evidence, m.String())
		}
		out = append(out, z.warning("zoom_runs_failed",
			fmt.Sprintf("%d of %d runs of its map gave no answer: %s", len(missing), z.total.Planned, someOf(names)),
			evidence...))
	}
	for _, l := range lost {
		out = append(out, z.warning("zoom_line_lost", "its map lacks a "+l.String()))
	}
	return out
}

// estimateWarning warns of an error estimate that does not hold at a result.
func (z *componentZoom) estimateWarning(r *result.Result) []result.Warning {
	at := r.Zoom[z.cfg.Component]
	if at.Short {
		w := z.warning("zoom_error_large", fmt.Sprintf("estimated error %.2g %%: %s", 100*at.Error, at.Message))
		w.Case = r.Name
		if at.Next != nil {
			w.Evidence = append(w.Evidence, "run to add: "+at.Next.String())
		}
		return []result.Warning{w}
	}
	if at.ErrorHolds {
		return nil
	}
	w := z.warning("zoom_estimate_void", fmt.Sprintf(
		"the estimated error of its map, %.2g %%, does not hold: more than a third of the runs are missing, in the "+
			"map or on the speed line nearest to the operating point",
		100*at.Error), fmt.Sprintf("%d of %d runs of the map are missing", len(z.total.Missing), z.total.Planned))
	w.Case = r.Name
	return []result.Warning{w}
}
