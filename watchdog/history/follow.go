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

// FilePosition is how far one file was read and understood.
type FilePosition struct {
	File  string        `json:"file"` // relative to the run folder
	At    tail.Position `json:"at"`
	State State         `json:"state"`
}

// Batch is what one poll of one file brought, and the position behind it. Who
// keeps the position of each batch together with its events, and hands the
// positions to Follow after a restart, loses no event and gets none twice.
type Batch struct {
	Events []event.Event
	FilePosition
}

// maxFiles bounds what a pattern such as * can open.
const maxFiles = 64

// Follow reads the files of a description as they appear and grow, and hands
// over what they tell, until ctx ends or finish is closed. On finish it reads to
// the end of the files, takes what is there as complete and returns nil.
// Otherwise it returns the error of ctx or of hand.
//
// A file that cannot be read for a while (permission, stale handle) is told by
// a message event and tried again.
func Follow(ctx context.Context, spec FileSpec, from []FilePosition, finish <-chan struct{}, at clock.Clock, hand func(Batch) error) error {
	if err := spec.Check(); err != nil {
		return err
	}
	f := &follower{spec: &spec, from: from, clock: at, hand: hand}
	defer f.close()
	interval := spec.Interval
	if interval == 0 {
		interval = DefaultInterval
	}
	tick := at.NewTicker(interval)
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
	spec  *FileSpec
	from  []FilePosition
	clock clock.Clock
	hand  func(Batch) error
	files []*followed // sorted by path
	full  bool
}

type followed struct {
	name   string
	file   *tail.File
	parser *Parser
	fault  string // what was told last
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
			if err := f.hand(Batch{events, x.position()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// poll reads one chunk of a file.
func (x *followed) poll(poll func() ([]tail.Line, bool, error)) (events []event.Event, more bool) {
	lines, more, err := poll()
	for _, l := range lines {
		events = append(events, x.parser.Parse(l)...)
	}
	fault := ""
	if err != nil {
		fault, more = err.Error(), false
	}
	if fault != x.fault && fault != "" {
		events = append(events, x.parser.Message("cannot be read now: "+fault))
	}
	x.fault = fault
	return events, more
}

func (x *followed) position() FilePosition {
	return FilePosition{File: x.name, At: x.file.Position(), State: x.parser.State()}
}

// discover opens files that match and are not followed yet.
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

// names returns the files to follow. Those with a position are among them even
// if their path is gone, and so is a path that is no pattern, so that reading
// begins with no line missed when the file appears.
func (f *follower) names() []string {
	var names []string
	for _, p := range f.from {
		names = append(names, p.File)
	}
	if !strings.ContainsAny(f.spec.Path, `*?[\`) {
		return append(names, f.spec.Path)
	}
	found, _ := filepath.Glob(filepath.Join(escape(f.spec.Folder), f.spec.Path)) // the pattern passed Check
	for _, path := range found {
		if name, err := filepath.Rel(f.spec.Folder, path); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// escape takes the meaning from characters of a folder that Glob would read as a pattern.
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
		file:   tail.Open(filepath.Join(f.spec.Folder, name), from.At),
		parser: NewParser(f.spec, name, from.State, f.clock.Now),
	}
}

// tooMany tells once that a pattern matches more files than are watched.
func (f *follower) tooMany() {
	if f.full {
		return
	}
	f.full = true
	x := f.files[0]
	e := x.parser.Message(fmt.Sprintf("the pattern %q matches more than %d files; the others are not watched", f.spec.Path, maxFiles))
	_ = f.hand(Batch{[]event.Event{e}, x.position()}) // its error comes again with the next batch
}
