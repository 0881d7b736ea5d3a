package record

// Runs as recorded in their folders, from any process, alive or not. Listing, stopping and removing runs use this.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Run is the state of a run as recorded in its folder.
type Run struct {
	Study, Name string
	Folder      string
	Solver      string    // name and version
	Started     time.Time // zero: its solver did not start
	Running     bool      // its process lives, and it has no result yet
	Orphan      bool      // it runs, or may run, but the host that started its process does not
	// the state of its process cannot be determined now, and it has no result; Err has the reason
	Unknown bool
	Class   event.Class // empty while it runs or may run; event.Lost if it neither runs nor left a result
	Message string
	Wall    time.Duration
	Ended   time.Time // as its result says; without a readable result when its events were last written
	PID     int       // of its process
	Machine string    // of its process; empty: this machine
	Err     error     // a file of the folder is damaged, or the state of its process is unknown

	Block  string        // of nodes with its process; empty: none
	Waited time.Duration // for a node
	Cores  int           // held of the node; 0: not counted

	Hosted bool // the host that started it lives and may start more runs in the study

	Process ProcessRecord
	Key     string   // of the cache; empty: none
	From    []string // files of other runs from which it began
	Parent  string   // run at whose checkpoint it began; empty: none
}

// ListRuns reads the folders of all studies in work, in alphabetical order. The launchers determine which runs are in
// progress. If work does not exist, the list is empty.
func ListRuns(ctx context.Context, work string, launchers launch.Registry) ([]Run, error) {
	folders, err := Folders(work)
	return convert.All(folders, func(path string) Run { return ReadRun(ctx, path, launchers) }), err
}

// Folders lists the run folders of all studies in work, in alphabetical order.
func Folders(work string) (folders []string, err error) {
	studies, err := os.ReadDir(work)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	for _, s := range studies {
		if !s.IsDir() || strings.HasPrefix(s.Name(), ".") {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(work, s.Name()))
		if err != nil {
			return folders, fmt.Errorf("runs: %w", err)
		}
		for _, e := range entries {
			path := filepath.Join(work, s.Name(), e.Name())
			if !e.IsDir() { // a link leads to no run of this study
				continue
			}
			if _, err := os.Stat(filepath.Join(path, plugin.EventsFile)); err == nil {
				folders = append(folders, path)
			}
		}
	}
	return folders, nil
}

// AnyRunning reports whether a run of a study is or may be in progress. It stops at the first such run: a study may
// have thousands of runs. A run with a result has ended, though its process may wait for a killed host a while longer.
// A run with a damaged record may be in progress.
func AnyRunning(ctx context.Context, folder string, launchers launch.Registry) (bool, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, fmt.Errorf("runs: %w", err)
	}
	for _, e := range entries {
		r := Run{Name: e.Name()}
		path := filepath.Join(folder, r.Name)
		if !e.IsDir() || plugin.HasResult(path) {
			continue
		}
		record, err := Brief(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		running := false
		if r.Process = record.Process; err == nil {
			running, err = r.alive(ctx, launchers)
		}
		if running || err != nil {
			return true, nil
		}
	}
	return false, nil
}

// ReadRun reads the folder of one run.
func ReadRun(ctx context.Context, folder string, launchers launch.Registry) Run {
	r, _, _, _ := ReadEnding(ctx, folder, launchers)
	return r
}

// ReadEnding is ReadRun with the content of the run's result, zero if it has none, and its record, or why that was not
// read.
func ReadEnding(ctx context.Context, folder string, launchers launch.Registry) (Run, plugin.Ending, Record, error) {
	record, end, recordErr, endErr := readAll(folder)
	err := recordErr
	if err == nil {
		recordErr = record.complete(folder) // with its other parts, it can be used
	}
	r := Run{Study: filepath.Base(filepath.Dir(folder)), Name: filepath.Base(folder), Folder: folder}
	if err == nil {
		r.Process, r.Key = record.Process, record.Key
		r.Solver, r.Started, r.PID, r.Machine = r.Process.Solver, r.Process.Started, r.Process.PID, r.Process.Machine
		r.Block, r.Waited, r.Cores = r.Process.Block, r.Process.Waited, r.Process.Cores
		r.Hosted = r.Process.Host.Alive()
		r.From = []string{record.Record.Texts[plugin.InRestart], record.Record.Texts[plugin.InNeighbour]}
		if record.Parent != nil {
			r.Parent = record.Parent.Run
		}
	}
	switch {
	case endErr == nil: // the process of an ended run may be making another run
	case err == nil:
		r.Running, err = r.alive(ctx, launchers)
		r.Unknown = err != nil
		r.Orphan = r.MayRun() && !r.Hosted
	case !errors.Is(err, fs.ErrNotExist): // its process is not known
		r.Unknown = studylog.Busy(filepath.Dir(folder))
	}
	switch {
	case endErr == nil:
		r.Class, r.Message, r.Wall = end.Class, end.Message, end.Wall
	case !errors.Is(endErr, fs.ErrNotExist):
		r.Class, r.Err = event.BadOutput, endErr
	case !r.MayRun():
		r.Class = event.Lost
	}
	if r.Ended = end.Ended; r.Ended.IsZero() && !r.MayRun() {
		if info, err := os.Stat(filepath.Join(folder, plugin.EventsFile)); err == nil {
			r.Ended = info.ModTime()
		}
	}
	if newer := event.CheckFormat(filepath.Join(folder, plugin.EventsFile)); r.Err == nil && newer != nil &&
		!errors.Is(newer, fs.ErrNotExist) {
		r.Err = newer
	}
	for _, err := range []error{err, recordErr} {
		if r.Err == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.Err = err
		}
	}
	return r, end, record.Record, recordErr
}

// MayRun reports whether the run is or may be in progress. Then its folder, its checkpoint and its keys belong to it.
func (r *Run) MayRun() bool { return r.Running || r.Unknown }

// alive reports whether the run's process lives. With an error the state is unknown: the process may live.
func (r *Run) alive(ctx context.Context, launchers launch.Registry) (bool, error) {
	task, err := launchers.Attach(ctx, r.Process.Launcher, r.Process.Handle)
	switch {
	case err == nil:
		task.Release()
		return true, nil
	case errors.Is(err, launch.ErrGone):
		return false, nil
	}
	return false, fmt.Errorf("run %s: %w", r.Name, err)
}

// ErrNotRunning reports a command to a run that has ended.
var ErrNotRunning = errors.New("the run has ended")

// Attach connects to the solver of a run that another process started, to control it. Releasing the task afterwards
// does not end the run.
func Attach(ctx context.Context, r Run, launchers launch.Registry) (*plugin.Client, launch.Task, error) {
	if !r.MayRun() {
		return nil, nil, fmt.Errorf("run %s: %w", r.Name, ErrNotRunning)
	}
	task, err := launchers.Attach(ctx, r.Process.Launcher, r.Process.Handle)
	if errors.Is(err, launch.ErrGone) {
		err = ErrNotRunning
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", r.Name, err)
	}
	return plugin.NewClient(task.Conn()), task, nil
}
