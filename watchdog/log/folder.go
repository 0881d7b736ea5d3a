package log

// The folders of studies: making, listing and reading them.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/fault"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

var studyName = regex.Lazy(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)

// CheckName returns an error if no study can have that name.
func CheckName(name string) error {
	if !studyName().MatchString(name) || len(name) > 100 {
		return fmt.Errorf("study %q: a name names a folder: letters, digits and _ . + - , at most 100, and no dot at "+
			"its beginning", name)
	}
	return nil
}

var notInName = regex.Lazy(`[^A-Za-z0-9_+]+`)

// Make makes the folder of a new study of an engine, WORK/ENGINE-DATE-NUMBER. Processes that call it at the same time
// get different folders. A folder that cannot be made is a fault of the machine.
func Make(work, engine string, now time.Time) (folder string, err error) {
	if err := private.MakeAll(work); err != nil {
		return "", fault.Machine(fmt.Errorf("study: %w", err))
	}
	base := strings.Trim(notInName().ReplaceAllString(strings.ToLower(engine), "-"), "-")
	base = strings.TrimLeft(base[:min(len(base), 60)]+now.Format("-20060102-"), "-")
	for n := 1; n < 100000; n++ {
		folder = filepath.Join(work, base+fmt.Sprint(n))
		if err = private.Make(folder); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", fault.Machine(fmt.Errorf("study: %w", err))
	}
	return folder, nil
}

// Named returns the folder of the study of that name, and makes it if it does not exist.
func Named(work, name string) (folder string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if err := private.MakeAll(work); err != nil {
		return "", fault.Machine(fmt.Errorf("study: %w", err))
	}
	folder = filepath.Join(work, name)
	if err := private.MakeOwn(folder); errors.Is(err, fs.ErrExist) { // a file has that name
		return "", fmt.Errorf("study: %w", err)
	} else if err != nil {
		return "", fault.Machine(fmt.Errorf("study: %w", err))
	}
	return folder, nil
}

// List returns the names of the studies in WORK that have a log, in alphabetical order.
func List(work string) ([]string, error) {
	entries, err := os.ReadDir(work)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("studies: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if _, err := os.Stat(filepath.Join(work, e.Name(), FileName)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Read returns the events of a study's log, as event.Read does.
func Read(folder string) ([]event.Event, error) {
	return event.Read(filepath.Join(folder, FileName))
}

// ReadAll returns the events of a study and of its current runs, sorted by time. Damaged
// lines of a run's log are left out.
func ReadAll(folder string) ([]event.Event, error) {
	events, err := Read(folder)
	running := map[string]bool{}
	for _, e := range events {
		switch {
		case e.Kind == event.Started && e.Source == event.Host:
			running[e.Run] = true
		case e.Kind == event.Ended && e.Source == event.Host:
			delete(running, e.Run)
		}
	}
	for run := range running {
		more, _ := event.Read(filepath.Join(folder, run, event.LogName))
		for _, e := range more {
			if e.Source != event.Host {
				events = append(events, e)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b event.Event) int {
		if c := a.Time.Compare(b.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Run, b.Run)
	})
	return events, err
}
