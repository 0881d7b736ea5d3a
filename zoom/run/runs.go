package run

// Runs as their folders tell them, whoever started them and whether or not
// that process still lives: the base of listing, stopping and clearing away.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
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
	PID         int
	Socket      string
	Err         error // a file of the folder is damaged

	hosted bool // the host that started it lives, and may start more in the same study
}

// ListRuns reads the folders of all studies in work, in alphabetical order. A
// folder that does not exist has no runs.
func ListRuns(work string) ([]Run, error) {
	studies, err := os.ReadDir(work)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var runs []Run
	for _, s := range studies {
		if s.IsDir() {
			more, err := listStudy(filepath.Join(work, s.Name()))
			if err != nil {
				return runs, err
			}
			runs = append(runs, more...)
		}
	}
	return runs, nil
}

func listStudy(folder string) ([]Run, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	var runs []Run
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(path, plugin.EventsFile)); err == nil {
			runs = append(runs, ReadRun(path))
		}
	}
	return runs, nil
}

// ReadRun reads one run's folder.
func ReadRun(folder string) Run {
	r := Run{Study: filepath.Base(filepath.Dir(folder)), Name: filepath.Base(folder), Folder: folder}
	var process ProcessRecord
	err := plugin.ReadFile(folder, plugin.ProcessFile, &process)
	if err == nil {
		r.Solver, r.Started, r.PID, r.Socket = process.Solver, process.Started, process.PID, process.Socket
		r.Running = alive(process.PID, process.Mark)
		r.hosted = alive(process.Host, process.HostMark)
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
	if r.Err == nil && err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Err = err
	}
	return r
}

// ErrNotRunning tells that a run cannot be reached because it has ended.
var ErrNotRunning = errors.New("the run has ended")

// Attach reaches the plugin of a run that another process started, to
// control it. Close the client when done; the run goes on.
func Attach(r Run) (*plugin.Client, error) {
	if !r.Running || r.Socket == "" {
		return nil, fmt.Errorf("run %s: %w", r.Name, ErrNotRunning)
	}
	certs, err := certificate.Open(filepath.Join(filepath.Dir(r.Folder), CertificateDir))
	if err != nil {
		return nil, err
	}
	t, err := certs.Host()
	if err != nil {
		return nil, err
	}
	return plugin.Dial(r.Socket, t)
}

// Collect removes the folders of runs that ended before a time, and the folders of
// studies that have no run left and whose host has gone. Running ones stay. It returns what it removed.
func Collect(work string, before time.Time) ([]Run, error) {
	runs, err := ListRuns(work)
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
		if left == 0 {
			err = errors.Join(err, os.RemoveAll(study))
		}
	}
	return removed, err
}
