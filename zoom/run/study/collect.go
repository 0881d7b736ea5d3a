package study

// Removal of the folders of runs that ended long ago. Folders needed by runs in progress, or about to start, are kept.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// recent is how long a study under way reads the folder of a run after its end: its files are judged, and other runs
// start from its solution.
const recent = time.Hour

// Old returns the runs of a list of all runs that ended before a time, in a study under way recent before it. It
// leaves out runs for which keep is true, runs whose checkpoints or solutions other runs need, and runs of a study that
// goes on without a result: such a run is about to have a process.
func Old(runs []record.Run, before time.Time, keep func(record.Run) bool) (old []record.Run) {
	needs, busy := needed(runs)
	for _, r := range runs {
		before := before
		if busy[filepath.Dir(r.Folder)] {
			if r.Class == event.Lost {
				continue
			}
			before = before.Add(-recent)
		}
		if !r.MayRun() && !r.Ended.IsZero() && !r.Ended.After(before) && !keep(r) && !needs[r.Folder] {
			old = append(old, r)
		}
	}
	return old
}

// needed returns the folders of runs from which other runs begin: runs in progress, and runs that a living study is
// about to make; and the folders of the studies that live.
func needed(runs []record.Run) (needs, busy map[string]bool) {
	needs, busy = map[string]bool{}, map[string]bool{}
	children := map[string]bool{}
	for _, r := range runs {
		study := filepath.Dir(r.Folder)
		busy[study] = false
		if r.Parent != "" {
			children[filepath.Join(study, r.Parent)] = true
		}
		for _, path := range r.From {
			if path != "" && r.MayRun() {
				needs[filepath.Dir(path)] = true
			}
		}
	}
	for _, r := range runs {
		if _, err := os.Stat(filepath.Join(r.Folder, branch.RewindFile)); err == nil && r.Hosted &&
			!children[r.Folder] {
			needs[r.Folder] = true // its next attempt is about to begin
		}
	}
	for study := range busy {
		if busy[study] = studylog.Busy(study); busy[study] {
			for _, run := range branch.Pending(study) {
				needs[filepath.Join(study, run)] = true
			}
		}
	}
	return needs, busy
}

// Collect removes the folders of [Old] runs, and the folders of studies without runs and without a log whose host has
// ended. A study's log stays until the study is collected, as do the maps that it names. It returns the removed runs.
func Collect(ctx context.Context, work string, launchers launch.Registry, before time.Time,
	keep func(record.Run) bool) ([]record.Run, error) {
	runs, err := record.ListRuns(ctx, work, launchers)
	var removed []record.Run
	studies, thinned := map[string]int{}, map[string]bool{}
	for _, r := range runs {
		studies[filepath.Dir(r.Folder)]++
	}
	for _, r := range Old(runs, before, keep) {
		if rerr := removeRun(r.Folder); rerr != nil {
			err = errors.Join(err, rerr)
			continue
		}
		removed = append(removed, r)
		thinned[filepath.Dir(r.Folder)] = true
		if !r.Hosted {
			studies[filepath.Dir(r.Folder)]--
		}
	}
	for study := range thinned {
		_, terr := studylog.Idle(study, func() error { return record.RemoveTexts(study, before) })
		err = errors.Join(err, terr)
	}
	for study, left := range studies {
		if _, lerr := os.Stat(filepath.Join(study, studylog.FileName)); left == 0 && errors.Is(lerr, fs.ErrNotExist) {
			_, _, rerr := Remove(study)
			err = errors.Join(err, rerr)
		}
	}
	return removed, err
}

// removeRun removes the folder of a run.
func removeRun(folder string) error {
	t, err := private.OpenOwn(filepath.Dir(folder))
	if err != nil {
		return err
	}
	return errors.Join(t.RemoveAll(folder), t.Close())
}
