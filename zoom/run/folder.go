package run

// Making run folders. Package plugin defines their files, because a plugin that has lost its host writes them too.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// AttemptMark separates the name of a job and the number of a repeated attempt in the name
// of a run.
const AttemptMark = "~"

// fence writes into the folders of a job's earlier attempts that they were given up, where they say nothing of their end: a process that
// comes back after it was taken for dead finds that, and writes no result.
func fence(study, job, run string, now time.Time) error {
	for n := 1; n < mostAttempts; n++ {
		name := attemptName(job, n)
		if name == run {
			return nil
		}
		folder := filepath.Join(study, name)
		if _, err := os.Stat(folder); err != nil {
			continue // it was removed
		}
		result := plugin.Result{Class: event.Lost, Message: "given up for " + run}
		if _, err := plugin.WriteFirstResult(folder, plugin.NewEnding(result, now, now, event.Host, plugin.Description{})); err != nil {
			return err
		}
	}
	return nil
}

// mostAttempts is how many attempts at a job a study may have.
const mostAttempts = 10000

// attemptName is the name of the run that is a job's n-th attempt.
func attemptName(job string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s%s%d", job, AttemptMark, n)
	}
	return job
}

// newRunFolder makes the folder of a job's first or next attempt, and returns the run's
// name. Folders of earlier attempts stay, as evidence.
func newRunFolder(study, job string) (run, folder string, err error) {
	for n := 1; n < mostAttempts; n++ {
		run = attemptName(job, n)
		folder = filepath.Join(study, run)
		err = private.Make(folder)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return run, folder, err
		}
	}
	return "", "", fmt.Errorf("run %s in %s: ten thousand attempts; remove some with `runs gc`", job, study)
}
