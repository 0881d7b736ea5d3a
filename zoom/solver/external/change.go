package external

// A change of a file that a program reads again: the new text, the notice to the program, and the old text in case the
// program rejects the change.

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/entry"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// change is a written change of a file.
type change struct {
	file   *steered
	before string
	texts  map[*lever]string // that were written

	done chan struct{} // closed once the result is known
	at   int64         // iteration of the result
	err  error
}

func unconfirmed(format string, args ...any) error {
	return &steer.UnconfirmedError{Reason: fmt.Sprintf(format, args...)}
}

// read returns the text of a steered file.
func (f *steered) read(folder *runFolder) (string, error) {
	data, err := folder.read(f.name)
	return string(data), err
}

// with returns a text with other values of some objects.
func (f *steered) with(text string, values map[*lever]string) (string, error) {
	places := map[entry.Span]string{}
	for l, value := range values {
		s, err := l.span(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", f.name, err)
		}
		places[s] = value
	}
	return entry.Replace(text, places), nil
}

// write gives the file another text, and a date that the program notices.
func (f *steered) write(folder *runFolder, text string) error {
	info, err := folder.root.Lstat(f.name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", f.name)
	}
	to := f.name + ".next"
	if f.inPlace {
		to = f.name
	}
	if err := folder.root.WriteFile(to, []byte(text), info.Mode().Perm()); err != nil {
		if !f.inPlace {
			_ = folder.root.Remove(to) // the file may be missing
		}
		return err
	}
	if err := dated(folder, to, info.ModTime().Add(f.later)); err != nil {
		return err
	}
	if f.inPlace {
		return nil
	}
	return folder.root.Rename(to, f.name)
}

// dated gives a file a date after a time, if it has none.
func dated(folder *runFolder, name string, than time.Time) error {
	info, err := folder.root.Stat(name)
	if err != nil || info.ModTime().After(than) {
		return err
	}
	at := than.Add(time.Millisecond)
	return folder.root.Chtimes(name, at, at)
}

// touched gives a file the present date, or a date after the time than if that is later.
func touched(folder *runFolder, name string, than time.Time) error {
	now := clock.Real.Now()
	if err := folder.root.Chtimes(name, now, now); err != nil {
		return err
	}
	return dated(folder, name, than)
}

// tell has the program read the file.
func (f *steered) tell(folder *runFolder, program *process.Running) error {
	if f.signal != "" {
		if err := program.Signal(f.signal); err != nil {
			return fmt.Errorf("%s: %w", f.signal, err)
		}
	}
	if f.touch == "" {
		return nil
	}
	info, err := folder.root.Stat(f.touch)
	if errors.Is(err, os.ErrNotExist) {
		return folder.write(f.touch, nil, 0o644)
	}
	if err != nil {
		return err
	}
	return touched(folder, f.touch, info.ModTime())
}

// back writes the old text again.
func (c *change) back(folder *runFolder, program *process.Running) error {
	if err := c.file.write(folder, c.before); err != nil {
		return err
	}
	if program == nil {
		return nil
	}
	return c.file.tell(folder, program)
}

// requestReread gives the file a new date and has the program read it once more.
func (c *change) requestReread(folder *runFolder, program *process.Running) error {
	info, err := folder.root.Stat(c.file.name)
	if err != nil {
		return err
	}
	if err := touched(folder, c.file.name, info.ModTime().Add(c.file.later)); err != nil {
		return err
	}
	return c.file.tell(folder, program)
}

// verdict returns the meaning of a line for a change, and false if it has none: nil, the program has read the change;
// an error, the program rejects it.
func (c *change) verdict(s *source, line string) (error, bool) {
	in := func(m *mark) bool { return m != nil && (m.file == s.name || m.file == "" && s.log) }
	switch {
	case in(c.file.reject) && c.file.reject.shows(line, c.texts):
		return fmt.Errorf("the program rejects it: %s", strings.TrimSpace(line)), true
	case in(c.file.confirm) && c.file.confirm.shows(line, c.texts):
		return nil, true
	}
	return nil, false
}
