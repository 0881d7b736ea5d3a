package record

// The runs of a study in progress, by their names.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// Matches reports whether a name matches a run: a pattern such as fan-*, or the name of the run or of its job.
func Matches(pattern, name string) bool {
	if ok, err := path.Match(pattern, name); ok || err != nil {
		return ok
	}
	ok, _ := path.Match(pattern, JobOf(name))
	return ok
}

// JobOf returns the name of the job at which a run is an attempt.
func JobOf(name string) string {
	job, _, _ := strings.Cut(name, AttemptMark)
	return job
}

// Names lists the runs of a study's folder, whether or not they have begun or ended.
func Names(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("runs: %w", err)
	}
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(folder, e.Name(), plugin.EventsFile)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// atOnce is how many runs are queried at a time whether they are in progress.
const atOnce = 16

// Active lists the runs of a study's folder that match a pattern and are or may be in progress, by name. If the pattern
// is the whole name of such a run, the list has only that run, without other attempts at its job.
func Active(ctx context.Context, folder string, launchers launch.Registry, pattern string) ([]Run, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	found := make([]Run, len(entries))
	var asking sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for i, e := range entries {
		at := filepath.Join(folder, e.Name())
		if !e.IsDir() || !Matches(pattern, e.Name()) || ended(at) {
			continue
		}
		room <- struct{}{}
		asking.Go(func() {
			found[i] = ReadRun(ctx, at, launchers)
			<-room
		})
	}
	asking.Wait()
	found = slices.DeleteFunc(found, func(r Run) bool { return !r.MayRun() })
	if i := slices.IndexFunc(found, func(r Run) bool { return r.Name == pattern }); i >= 0 {
		return found[i : i+1], nil
	}
	return found, nil
}

// ended reports whether the run in a folder has left a result, or has not begun.
func ended(folder string) bool {
	_, begun := os.Stat(filepath.Join(folder, plugin.RequestFile))
	return begun != nil || plugin.HasResult(folder)
}
