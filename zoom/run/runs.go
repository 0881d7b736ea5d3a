package run

// Runs as their folders tell them, whoever started them and whether or not
// that process still lives: the base of listing, stopping and clearing away.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// Run is a run as its folder tells it.
type Run struct {
	Study, Name string
	Folder      string
	Solver      string      // name and version
	Started     time.Time   // zero: its solver never came up
	Running     bool        // its process lives
	Orphan      bool        // it lives, but the host that started it does not
	Class       event.Class // empty while it runs; event.Lost if it neither runs nor left a result
	Message     string
	Wall        time.Duration
	PID         int    // of the process that computes it, or did
	Machine     string // on which it does; empty: this one
	Err         error  // a file of the folder is damaged, or its process cannot be asked for

	process ProcessRecord
	hosted  bool // the host that started it lives, and may start more in the same study
}

// ListRuns reads the folders of all studies in work, in alphabetical order; launchers say
// which runs go on. A folder that does not exist has no runs.
func ListRuns(ctx context.Context, work string, launchers launch.Registry) ([]Run, error) {
	studies, err := os.ReadDir(work)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var runs []Run
	for _, s := range studies {
		if s.IsDir() && !strings.HasPrefix(s.Name(), ".") {
			more, err := listStudy(ctx, filepath.Join(work, s.Name()), launchers)
			if err != nil {
				return runs, err
			}
			runs = append(runs, more...)
		}
	}
	return runs, nil
}

func listStudy(ctx context.Context, folder string, launchers launch.Registry) ([]Run, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(path, plugin.EventsFile)); err == nil {
			runs = append(runs, ReadRun(ctx, path, launchers))
		}
	}
	return runs, nil
}

// ReadRun reads one run's folder.
func ReadRun(ctx context.Context, folder string, launchers launch.Registry) Run {
	r := Run{Study: filepath.Base(filepath.Dir(folder)), Name: filepath.Base(folder), Folder: folder}
	err := plugin.ReadFile(folder, plugin.ProcessFile, &r.process)
	if err == nil {
		r.Solver, r.Started, r.PID, r.Machine = r.process.Solver, r.process.Started, r.process.PID, r.process.Machine
		r.hosted = r.process.Host.Alive()
		r.Running, err = r.runs(ctx, launchers)
		r.Orphan = r.Running && !r.hosted
	}
	var end plugin.Ending
	switch endErr := plugin.ReadFile(folder, plugin.ResultFile, &end); {
	case endErr == nil:
		r.Class, r.Message, r.Wall = end.Class, end.Message, end.Wall
	case !errors.Is(endErr, fs.ErrNotExist):
		r.Class, r.Err = event.BadOutput, endErr
	case !r.Running:
		r.Class = event.Lost
	}
	if newer := event.CheckFormat(filepath.Join(folder, plugin.EventsFile)); r.Err == nil && newer != nil && !errors.Is(newer, fs.ErrNotExist) {
		r.Err = newer
	}
	if r.Err == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Err = err
	}
	return r
}

// runs reports whether the run's process lives. If that cannot be found out it is taken
// to live, so that nothing of it is cleared away.
func (r *Run) runs(ctx context.Context, launchers launch.Registry) (bool, error) {
	task, err := launchers.Recover(ctx, r.process.Launcher, r.process.Handle)
	switch {
	case err == nil:
		task.Release()
		return true, nil
	case errors.Is(err, launch.ErrGone):
		return false, nil
	}
	return true, fmt.Errorf("run %s: %w", r.Name, err)
}

// ErrNotRunning says that a run cannot be reached because it has ended.
var ErrNotRunning = errors.New("the run has ended")

// Attach reaches the solver of a run that another process started, to control it. Release
// the task when done; the run goes on.
func Attach(ctx context.Context, r Run, launchers launch.Registry) (*plugin.Client, launch.Task, error) {
	if !r.Running {
		return nil, nil, fmt.Errorf("run %s: %w", r.Name, ErrNotRunning)
	}
	task, err := launchers.Recover(ctx, r.process.Launcher, r.process.Handle)
	if errors.Is(err, launch.ErrGone) {
		err = ErrNotRunning
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", r.Name, err)
	}
	return plugin.NewClient(task.Conn()), task, nil
}

// Collect removes the folders of runs that ended before a time. Running ones stay. So does the
// folder of a study whose host has gone, without runs, if it has a log; without one nobody finds it, and
// it goes. It returns what it removed.
func Collect(ctx context.Context, work string, launchers launch.Registry, before time.Time) ([]Run, error) {
	runs, err := ListRuns(ctx, work, launchers)
	var removed []Run
	studies := map[string]int{}
	for _, r := range runs {
		study := filepath.Dir(r.Folder)
		studies[study]++
		info, serr := os.Stat(filepath.Join(r.Folder, plugin.EventsFile)) // last written at the run's end
		if r.Running || serr != nil || info.ModTime().After(before) {
			continue
		}
		if rerr := os.RemoveAll(r.Folder); rerr != nil {
			err = errors.Join(err, rerr)
			continue
		}
		removed = append(removed, r)
		if !r.hosted {
			studies[study]--
		}
	}
	for study, left := range studies {
		if _, lerr := os.Stat(filepath.Join(study, studylog.FileName)); left == 0 && errors.Is(lerr, fs.ErrNotExist) {
			err = errors.Join(err, os.RemoveAll(study))
		}
	}
	return removed, err
}
