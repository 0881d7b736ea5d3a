package run

// Making run folders. Package plugin defines their files, because a plugin that has lost its host writes them too.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	private "github.com/peregrine-sim/peregrine/internal/folder"
)

// AttemptMark separates the name of a job and the number of a repeated attempt in the name
// of a run.
const AttemptMark = "~"

// newRunFolder makes the folder of a job's first or next attempt, and returns the run's
// name. Folders of earlier attempts stay, as evidence.
func newRunFolder(study, job string) (run, folder string, err error) {
	for n := 1; n < 10000; n++ {
		run = job
		if n > 1 {
			run = fmt.Sprintf("%s%s%d", job, AttemptMark, n)
		}
		folder = filepath.Join(study, run)
		err = private.Make(folder)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return run, folder, err
		}
	}
	return "", "", fmt.Errorf("run %s in %s: ten thousand attempts; remove some with `runs gc`", job, study)
}
