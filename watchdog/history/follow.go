package history

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// FilePosition is how far a file was read, with the state of its parser.
type FilePosition struct {
	File  string        `json:"file"` // relative to the run folder
	At    tail.Position `json:"at"`
	State State         `json:"state"`
}

// Batch holds the events of one poll of one file, and the position behind them. A caller that
// stores the position together with the events, and passes the positions to Follow after a
// restart, loses no event and gets none twice.
type Batch struct {
	Events []event.Event
	FilePosition
}

// maxFiles is the largest number of files that one pattern can open.
const maxFiles = 64

// Follow reads the files of a description as they appear and grow, and delivers their events,
// until ctx ends or finish is closed. On finish it reads the files to their ends, takes an
// unfinished last line as complete, and returns nil. Otherwise it returns the error of ctx
// or of deliver.
//
// A file that cannot be read for a time (permission, stale handle) is reported by a message
// event and retried.
func Follow(ctx context.Context, spec FileSpec, from []FilePosition, finish <-chan struct{}, clk clock.Clock, deliver func(Batch) error) error {
	if err := spec.Check(); err != nil {
		return err
	}
	f := &follower{spec: &spec, from: from, clock: clk, deliver: deliver}
	defer f.close()
	interval := spec.Interval
	if interval == 0 {
		interval = DefaultInterval
	}
	tick := clk.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := f.poll(ctx, false); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-finish:
			return f.poll(ctx, true)
		case <-tick.C:
		}
	}
}

type follower struct {
	spec            *FileSpec
	from            []FilePosition
	clock           clock.Clock
	deliver         func(Batch) error
	files           []*followed // sorted by path
	tooManyReported bool
}

type followed struct {
	name      string
	file      *tail.File
	parser    *Parser
	lastFault string // reported last
}

func (f *follower) close() {
	for _, x := range f.files {
		_ = x.file.Close() // read only: nothing can be lost
	}
}

func (f *follower) poll(ctx context.Context, last bool) error {
	f.discover()
	for _, x := range f.files {
		poll := x.file.Poll
		if last {
			poll = x.file.Finish
		}
		for more := true; more; {
			if err := ctx.Err(); err != nil {
				return err
			}
			var events []event.Event
			events, more = x.poll(poll)
			if last && !more {
				events = append(events, x.parser.Flush()...)
			}
			if len(events) == 0 {
				continue
			}
			if err := f.deliver(Batch{events, x.position()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// poll reads one chunk of a file.
func (x *followed) poll(poll func(func(tail.Line)) (bool, error)) (events []event.Event, more bool) {
	more, err := poll(func(l tail.Line) { events = append(events, x.parser.Parse(l)...) })
	fault := ""
	if err != nil {
		fault, more = err.Error(), false
	}
	if fault != x.lastFault && fault != "" {
		events = append(events, x.parser.Message("cannot be read now: "+fault))
	}
	x.lastFault = fault
	return events, more
}

func (x *followed) position() FilePosition {
	return FilePosition{File: x.name, At: x.file.Position(), State: x.parser.State()}
}

// discover opens the files that match the pattern and are not followed yet.
func (f *follower) discover() {
	for _, name := range f.names() {
		at, known := slices.BinarySearchFunc(f.files, name, func(x *followed, s string) int { return strings.Compare(x.name, s) })
		if known {
			continue
		}
		if len(f.files) >= maxFiles {
			f.tooMany()
			return
		}
		f.files = slices.Insert(f.files, at, f.open(name))
	}
}

// names returns the files to follow: files with a position even if they have been removed,
// and a path without wildcards even before the file exists.
func (f *follower) names() []string {
	var names []string
	for _, p := range f.from {
		names = append(names, p.File)
	}
	if !strings.ContainsAny(f.spec.Pattern, `*?[\`) {
		return append(names, f.spec.Pattern)
	}
	found, _ := filepath.Glob(filepath.Join(escape(f.spec.Folder), f.spec.Pattern)) // the pattern passed Check
	for _, path := range found {
		if name, err := filepath.Rel(f.spec.Folder, path); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// escape escapes the characters of a folder that Glob would take as a pattern.
func escape(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

func (f *follower) open(name string) *followed {
	var from FilePosition
	for _, p := range f.from {
		if p.File == name {
			from = p
		}
	}
	return &followed{
		name:   name,
		file:   tail.Open(filepath.Join(f.spec.Folder, name), from.At, tail.Options{Clock: f.clock}),
		parser: NewParser(f.spec, name, from.State, f.clock.Now),
	}
}

// tooMany reports once that a pattern matches more than maxFiles files.
func (f *follower) tooMany() {
	if f.tooManyReported {
		return
	}
	f.tooManyReported = true
	x := f.files[0]
	e := x.parser.Message(fmt.Sprintf("the pattern %q matches more than %d files; the others are not watched", f.spec.Pattern, maxFiles))
	_ = f.deliver(Batch{[]event.Event{e}, x.position()}) // an error returns with the next batch
}
