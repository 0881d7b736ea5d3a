package record

// Making run folders. Package plugin defines their files, because a plugin that has lost its host writes them too.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// AttemptMark separates the name of a job and the number of a repeated attempt in the name
// of a run.
const AttemptMark = "~"

// LocalSlot is the name of this machine among the machines of runs.
const LocalSlot = hosts.Local

// Fence records in the folders of a job's earlier attempts that they were given up, if they have no result and this
// process does not make them now (living). A process that was taken for dead and comes back finds the record, and
// writes no result. Fence returns the fate of the preceding attempt, if no host has recorded its end.
func Fence(study, job, run string, now time.Time, living func(run string) bool) (left string, err error) {
	for n := 1; n < MostAttempts; n++ {
		name := AttemptName(job, n)
		if name == run {
			return left, nil
		}
		folder := filepath.Join(study, name)
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || living(name) {
			continue // it was removed, is a link, or is under way
		}
		result := plugin.Result{Class: event.Lost, Message: "given up for " + run}
		first, err := plugin.WriteFirstResult(folder,
			plugin.NewEnding(result, now, now, event.Host, plugin.Description{}))
		if err != nil {
			return "", err
		}
		left = leftBy(folder, first || !plugin.HasResult(folder))
	}
	return left, nil
}

// leftBy describes the fate of an attempt whose host ended before it; empty: its host has recorded its end. nameless
// means that it has no result.
func leftBy(folder string, nameless bool) string {
	var end plugin.Ending
	_ = plugin.ReadFile(folder, plugin.ResultFile, &end) // the file exists
	if !nameless && end.WrittenBy == event.Host {
		return ""
	}
	name := filepath.Base(folder)
	record, err := Brief(folder)
	if err != nil {
		return name + " had not begun when the process ended that was to make it: it is made anew"
	}
	what := "nothing was heard of it since"
	if !nameless {
		what = fmt.Sprintf("it ended by itself: %s (%s)", end.Class, end.Message)
	}
	return fmt.Sprintf("%s was lost on %s with process %d, which made it: %s", name,
		cmp.Or(record.Process.Machine, LocalSlot), record.Process.Host.PID, what)
}

// MostAttempts is how many attempts at a job a study may have.
const MostAttempts = 10000

// AttemptName returns the name of the run that is a job's n-th attempt.
func AttemptName(job string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%s%d", job, AttemptMark, n)
	}
	return job
}

// NewRunFolder makes the folder of a job's first or next attempt, and returns the run's
// name. Folders of earlier attempts stay, as evidence.
func NewRunFolder(study, job string) (run, folder string, err error) {
	for n := 1; n < MostAttempts; n++ {
		run = AttemptName(job, n)
		folder = filepath.Join(study, run)
		err = private.Make(folder)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return run, folder, err
		}
	}
	return "", "", fmt.Errorf("run %s in %s: ten thousand attempts; remove some with `runs gc`", job, study)
}
