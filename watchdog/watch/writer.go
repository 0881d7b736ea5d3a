package watch

// Whether the process that writes a log still lives. A process that was killed leaves a log as one that hangs does. The
// log has broken off if the process that held it open while it grew has ended, or the one that it names. A solver that
// opens its log for each line and does not name its process, or a copy of a log of another machine, shows nothing: such
// a log is hung. A log whose writer has ended is not waited for: a minute, or fifty times the pace of a slow solver, is
// for those that may go on.

import (
	"os"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/fileformat"
)

// A log's writer is looked for at the first leastSights looks, at as many at which the log has grown, and every
// sparseLooks later: another machine may write it, or another process go on with it.
const leastSights, sparseLooks = 3, 60

// quietLooks is how many looks at a log without a writer show that no other process goes on with it.
const quietLooks = 3

// see notes which processes hold the log open while it grows.
func (w *writer) see(holders []process.ID) {
	same := slices.DeleteFunc(slices.Clone(w.processes),
		func(id process.ID) bool { return !slices.Contains(holders, id) })
	if len(same) == 0 {
		same, w.sights = holders, 0
	}
	if w.processes = same; len(same) > 0 {
		w.sights++
	}
}

// ended reports whether the processes that held the log open have ended or, where they are unknown, the one that the
// log names.
func (w *writer) ended(o fileformat.Origin) bool {
	if w.sights >= leastSights {
		return !slices.ContainsFunc(w.processes, process.ID.Alive)
	}
	here, err := os.Hostname()
	return err == nil && o.Host == here && o.PID > 0 && !process.Identify(o.PID).Alive()
}

// seeWriters looks for the writers of logs that grow, and of those that are silent against their rhythm.
func (f *follower) seeWriters() {
	now := f.clock.Now()
	grows := func(r *run) bool {
		w := &r.writer
		if !r.grows {
			return f.looks < r.begun+leastSights
		}
		return r.read >= f.looks-1 && (w.scans < leastSights || f.looks >= w.look+sparseLooks)
	}
	silent := func(r *run) bool { return r.machine.Late(now) && r.writer.ended(r.log().origin) }
	due := slices.DeleteFunc(slices.Clone(f.runs), func(r *run) bool {
		return r.log() == nil || r.final || !grows(r) && !silent(r)
	})
	if len(due) == 0 {
		return
	}
	files := f.options.Written()
	for _, r := range due {
		info, err := os.Stat(r.log().path)
		if err != nil { // it may be rotated
			continue
		}
		holders, w := files[process.FileOf(info)], &r.writer
		if silent(r) {
			if w.quiet++; info.Size() != w.size {
				w.size, w.quiet = info.Size(), 0
			}
			w.left = len(holders) == 0 && w.quiet >= quietLooks
		} else if w.look = f.looks; r.grows {
			w.scans++
		}
		if len(holders) > 0 || !silent(r) {
			w.see(holders)
		}
	}
}
