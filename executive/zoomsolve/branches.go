package zoomsolve

// Branches of a zoom's runs are evidence. Reports list them beside their parents. A map uses a branch only if its point
// has no other answer.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// branchResults converts branches to the form of a result.
func branchResults(list []pool.Branched) (out []result.Branch) {
	for _, b := range list {
		out = append(out, result.Branch{
			Run: b.Name(), Parent: b.Parent, Checkpoint: b.Checkpoint, Iteration: b.Iteration,
			Class: string(b.Outcome.Class), StandsIn: b.StandsIn, Numbers: b.Outcome.Result.Numbers,
		})
	}
	return out
}

// branchWarnings warns of branches, with their answers beside the answers of their points.
func (z *componentZoom) branchWarnings() (out []result.Warning) {
	for _, b := range z.branched() {
		text := fmt.Sprintf("run %s, a branch of %s from its checkpoint %s at iteration %d, ended %s", b.Name(),
			b.Parent, b.Checkpoint, b.Iteration, b.Outcome.Class)
		switch {
		case b.StandsIn:
			text += "; its answer counts for its point, which has no other"
		case b.Outcome.Err != nil:
			text += ": " + b.Outcome.Err.Error()
		}
		w := z.warning("zoom_branch", text)
		w.Run = b.Name()
		if b.Point != nil && !b.StandsIn {
			w.Evidence = append(w.Evidence, beside(&b.Outcome, b.Point)...)
		}
		out = append(out, w)
	}
	return out
}

// beside lists the numbers of a branch beside its point's.
func beside(branch, point *run.Outcome) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(branch.Result.Numbers)) {
		if x, there := point.Result.Numbers[name]; there {
			lines = append(lines, fmt.Sprintf("%s: %.6g beside %.6g of %s", name, branch.Result.Numbers[name], x,
				point.Run))
		}
	}
	return lines
}
