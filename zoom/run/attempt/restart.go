package attempt

// Restarts from checkpoints. A run that was interrupted by a crash, a kill or the death of its host leaves a
// checkpoint. A later run of the same request, in this study or another, starts from it if the solver has the input
// "restart" and declares that a checkpoint holds its whole state. Otherwise the run begins anew: an answer may not
// depend on an interruption. It also begins anew where the monitor may end a run because of earlier iterations. A run
// with more orders continues likewise from the solution of a run with fewer orders, which has ended.

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// ResumedRequest returns a request with the checkpoint of the run in a folder as restart, if the solver supports
// restarts and the folder has a checkpoint.
func ResumedRequest(r plugin.Request, folder string, d plugin.Description) plugin.Request {
	if path, ok := checkpoint(folder, d); ok {
		return branch.WithRestart(r, path)
	}
	return r
}

// checkpoint returns the path of the checkpoint in a run folder, if the folder has one and the solver can start from
// it.
func checkpoint(folder string, d plugin.Description) (path string, ok bool) {
	if !d.TakesRestart() {
		return "", false
	}
	return d.SolutionFile(folder)
}

// interruptedClasses are the classes of runs that might have converged without the interruption.
var interruptedClasses = []event.Class{event.Killed, event.Lost, event.Crashed, event.Hung}

// resumeEarlier returns the request with a restart from the checkpoint of an interrupted run with the same key, if any.
// Each checkpoint is used once: if that fails, the next attempt starts from the beginning.
func (a *attempt) resumeEarlier(ctx context.Context, r plugin.Request, d plugin.Description) plugin.Request {
	if len(a.task.GoOnActs) > 0 {
		a.record.Key = "" // of the request alone
		if r.Texts[plugin.InRestart] != "" {
			a.goneOn = a.task.GoOnActs // as its earlier attempt, whose checkpoint this is
		}
	}
	if a.Anew || r.Texts[plugin.InRestart] != "" || !d.TakesRestart() {
		return r
	}
	if key := a.record.Key; key != "" {
		folder := a.takeInterrupted(ctx, key)
		if path, ok := checkpoint(folder, d); ok && folder != "" && madeBy(folder, r) && !record.Touched(folder) {
			a.stream.fromHost(event.Message, "starts from "+path, nil)
			return branch.WithRestart(r, path)
		}
	}
	if a.task.GoOn != "" && madeBy(filepath.Dir(a.task.GoOn), r, run.Orders) {
		a.goneOn = a.task.GoOnActs
		a.stream.fromHost(event.Message, "continues from "+a.task.GoOn, nil)
		return branch.WithRestart(r, a.task.GoOn)
	}
	return r
}

// madeBy reports whether the run in a folder had the values of a request, except the named ones. A second attempt may
// have had others, such as half the CFL number, under the same key. Paths of neighbours' solutions are not compared.
func madeBy(folder string, r plugin.Request, but ...string) bool {
	was, err := record.Read(folder)
	if err != nil {
		return false
	}
	now := r
	now.Numbers, now.Texts = maps.Clone(r.Numbers), maps.Clone(r.Texts)
	for _, name := range but {
		delete(was.Numbers, name)
		delete(now.Numbers, name)
	}
	for _, name := range []string{plugin.InRestart, plugin.InNeighbour} {
		delete(was.Texts, name)
		delete(now.Texts, name)
	}
	return maps.Equal(was.Numbers, now.Numbers) && maps.EqualFunc(was.Arrays, now.Arrays, slices.Equal[[]float64]) &&
		maps.Equal(was.Texts, now.Texts)
}
