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
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Old returns the runs of a list of all runs that ended before a time. It leaves out runs for which keep is true, and
// runs whose checkpoints or solutions other runs need.
func Old(runs []record.Run, before time.Time, keep func(record.Run) bool) (old []record.Run) {
	needs := needed(runs)
	for _, r := range runs {
		if !r.MayRun() && !r.Ended.IsZero() && !r.Ended.After(before) && !keep(r) && !needs[r.Folder] {
			old = append(old, r)
		}
	}
	return old
}

// needed returns the folders of runs from which other runs begin: runs in progress, and runs that a living study is
// about to make.
func needed(runs []record.Run) map[string]bool {
	needs, studies, children := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		study := filepath.Dir(r.Folder)
		studies[study] = true
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
	for study := range studies {
		if studylog.Busy(study) {
			for _, run := range branch.Pending(study) {
				needs[filepath.Join(study, run)] = true
			}
		}
	}
	return needs
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
