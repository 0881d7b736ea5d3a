package watch

// Whether the process that writes a log still lives. A process that was killed leaves a log as one that hangs does; the
// log has broken off if it was open for writing earlier, and is not any more.

import (
	"os"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/process"
)

// mostScans is how often the writer of a log that grows is looked for: another machine may write it.
const mostScans = 3

// seeWriters looks for the writers of logs that grow, and of those that are silent against their rhythm.
func (f *follower) seeWriters() {
	due := slices.DeleteFunc(slices.Clone(f.runs), func(r *run) bool {
		sought := r.grows && !r.written && r.scans < mostScans
		return r.log() == nil || r.final || !sought && !(r.written && r.machine.Hung())
	})
	if len(due) == 0 {
		return
	}
	files := f.options.Written()
	for _, r := range due {
		r.scans++
		if info, err := os.Stat(r.log().path); err == nil { // a log may be rotated
			open := files[process.FileOf(info)]
			r.left = r.written && !open
			r.written = r.written || open
		}
	}
}
