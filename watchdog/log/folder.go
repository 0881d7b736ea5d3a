package log

// Studies as their folders show them.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

var studyName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)

// CheckName reports a name that no study can have.
func CheckName(name string) error {
	if !studyName.MatchString(name) || len(name) > 100 {
		return fmt.Errorf("study %q: a name names a folder: letters, digits and _ . + - , at most 100, and no dot at its beginning", name)
	}
	return nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_+]+`)

// Make makes the folder of a new study of an engine, WORK/ENGINE-DATE-NUMBER. Several
// processes that do so at a time get different ones.
func Make(work, engine string, now time.Time) (folder string, err error) {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", fmt.Errorf("study: %w", err)
	}
	base := strings.Trim(unfit.ReplaceAllString(strings.ToLower(engine), "-"), "-")
	base = strings.TrimLeft(base[:min(len(base), 60)]+now.Format("-20060102-"), "-")
	for n := 1; n < 100000; n++ {
		folder = filepath.Join(work, base+fmt.Sprint(n))
		if err = os.Mkdir(folder, 0o755); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("study: %w", err)
	}
	return folder, nil
}

// Named returns the folder of the study of that name, which it makes if need be.
func Named(work, name string) (folder string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	folder = filepath.Join(work, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("study: %w", err)
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

// ReadAll returns the events of a study and those of its runs that go on, by time. What is
// damaged in a run's log is left out.
func ReadAll(folder string) ([]event.Event, error) {
	events, err := Read(folder)
	going := map[string]bool{}
	for _, e := range events {
		switch {
		case e.Kind == event.Started && e.Source == event.Host:
			going[e.Run] = true
		case e.Kind == event.Ended && e.Source == event.Host:
			delete(going, e.Run)
		}
	}
	for run := range going {
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
