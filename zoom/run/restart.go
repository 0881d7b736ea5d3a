package run

// Runs that go on where others were cut off: by a crash, a kill, a dead host. A solver
// that takes the input "restart" is told of the checkpoint that an earlier run of the
// same request left, in this study or in one before.

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// resumed is the request of an outcome, told to go on from the checkpoint that its run
// left, if the solver can and there is one.
func resumed(o Outcome, d plugin.Description) plugin.Request {
	if path, ok := checkpoint(o.Folder, d); ok {
		return restarting(o.Job.Request, path)
	}
	return o.Job.Request
}

// restarting is a request with a checkpoint to go on from.
func restarting(r plugin.Request, path string) plugin.Request {
	texts := map[string]string{plugin.InRestart: path}
	for name, text := range r.Texts {
		if name != plugin.InRestart {
			texts[name] = text
		}
	}
	r.Texts = texts
	return r
}

// takesRestart reports whether a solver can go on from a checkpoint.
func takesRestart(d plugin.Description) bool {
	return slices.ContainsFunc(d.Inputs, func(q plugin.Quantity) bool { return q.Name == plugin.InRestart && q.Shape == plugin.FileName })
}

// checkpoint finds what a run of a solver that can go on left in its folder.
func checkpoint(folder string, d plugin.Description) (path string, ok bool) {
	if !takesRestart(d) {
		return "", false
	}
	for _, f := range d.Files {
		if f.Format != plugin.SolutionFormat {
			continue
		}
		if found, err := filepath.Glob(filepath.Join(folder, f.Pattern)); err == nil && len(found) == 1 {
			return found[0], true
		}
	}
	return "", false
}

// cutOff are the classes of runs that would have come to an answer.
var cutOff = []event.Class{event.Killed, event.Lost, event.Crashed, event.Hung}

// takeUp lets a request of a first attempt go on from what a run of an earlier study
// with the same key left, if there is one. Each is tried once: if going on fails, the
// next attempt begins anew.
func (a *attempt) takeUp(ctx context.Context, r plugin.Request, d plugin.Description) plugin.Request {
	if a.key == "" || r.Texts[plugin.InRestart] != "" || !takesRestart(d) {
		return r
	}
	folder := a.pool.leftBy(ctx, a.key)
	if path, ok := checkpoint(folder, d); ok && folder != "" {
		a.stream.host(event.Message, "goes on from "+path, nil)
		return restarting(r, path)
	}
	return r
}

// leftBy returns, once, the folder of the latest run of a key that was cut off.
func (p *Pool) leftBy(ctx context.Context, key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left == nil {
		p.left = map[string]string{}
		runs, err := ListRuns(ctx, filepath.Dir(p.Host.Folder()), p.Host.launchers)
		if err != nil { // what cannot be listed cannot be taken up
			return ""
		}
		slices.SortStableFunc(runs, func(a, b Run) int { return a.Started.Compare(b.Started) })
		for _, r := range runs { // the latest wins
			var k keyRecord
			if r.Running || plugin.ReadFile(r.Folder, plugin.KeyFile, &k) != nil {
				continue
			}
			delete(p.left, k.Key) // whatever became of it, it began with what was there
			if slices.Contains(cutOff, r.Class) {
				p.left[k.Key] = r.Folder
			}
		}
	}
	folder := p.left[key]
	delete(p.left, key)
	return folder
}
