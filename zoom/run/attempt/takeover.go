package attempt

// Runs that an earlier host of the study has left. Their solvers continue for a while without a host. The next host
// attaches to them instead of making the runs again.

import (
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Orphan returns the latest attempt at a task that has a record, but no result, if its host has left it; nil: none was
// left. A run that was steered is not taken over: the commands are in the memory of its host.
func (r *Runner) Orphan(t Task) *Orphan {
	if t.CacheKey == "" || t.Start != nil || t.Branch != nil {
		return nil
	}
	folder := ""
	var rec record.Record
	for n := 1; n < record.MostAttempts; n++ {
		next := filepath.Join(r.Host.Folder(), record.AttemptName(t.Name, n))
		if info, err := os.Lstat(next); err != nil || !info.IsDir() {
			break
		}
		if plugin.HasResult(next) {
			continue
		}
		if found, err := record.Brief(next); err == nil {
			folder, rec = next, found
		}
	}
	if p := rec.Process; folder == "" || rec.Key != t.CacheKey || p.Launcher != r.Host.Launcher.Name() ||
		p.Host.Alive() || record.Touched(folder) {
		return nil
	}
	return &Orphan{Record: rec, Folder: folder}
}
