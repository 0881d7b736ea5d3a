package history

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

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

// Batch holds the events of a poll of a file, and the position after them. A caller that stores the position together
// with the events, and passes the positions to Follow after a restart, loses no event and gets none twice.
//
// A batch may have no events: its position alone is then worth storing.
type Batch struct {
	Events []event.Event
	FilePosition
}

// maxFiles is the largest number of files that a pattern can open.
const maxFiles = 64

// Follow reads the files of a description as they appear and grow, and delivers their events, until ctx ends or finish
// is closed. On finish it reads the files to their ends, takes an unfinished last line as complete, and returns nil.
// Otherwise it returns the error of ctx or of deliver.
//
// A file that cannot be read for a time (permission, stale handle) is reported by a message event and retried.
//
// Files are polled at the description's interval, less often while they are at rest, and at once when wake, which may
// be nil, reports a change.
func Follow(ctx context.Context, spec FileSpec, from []FilePosition, finish <-chan struct{}, clk clock.Clock,
	wake *tail.Waker, deliver func(Batch) error) error {
	if err := spec.Check(); err != nil {
		return err
	}
	spec.Interval = cmp.Or(spec.Interval, DefaultInterval)
	f := &follower{spec: &spec, from: from, clock: clk, waker: wake, deliver: deliver, woken: make(chan struct{}, 1)}
	f.look.Interval = spec.Interval
	defer f.close()
	for {
		if err := f.poll(ctx, false); err != nil {
			return err
		}
		timer := clk.NewTimer(f.wait())
		select {
		case <-ctx.Done():
		case <-finish:
		case <-timer.C:
		case <-f.woken:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-finish:
			return f.poll(ctx, true)
		default:
		}
	}
}

type follower struct {
	spec            *FileSpec
	from            []FilePosition
	clock           clock.Clock
	waker           *tail.Waker
	woken           chan struct{} // a file has changed
	deliver         func(Batch) error
	look            tail.Pace   // for new files
	files           []*followed // sorted by path
	tooManyReported bool
}

type followed struct {
	name      string
	file      *tail.File
	parser    *Parser
	lastFault string // reported last
	pace      tail.Pace
	wake      *tail.Wake
	woken     atomic.Bool
	offset    int64         // of the last poll
	delivered tail.Position // with the last batch
}

func (f *follower) close() {
	for _, x := range f.files {
		x.wake.Stop()
		_ = x.file.Close() // read only: no data are lost
	}
}

// wait is the time until the next file is to be polled, or looked for.
func (f *follower) wait() time.Duration {
	now := f.clock.Now()
	wait := f.look.Wait(now, false)
	for _, x := range f.files {
		wait = min(wait, x.pace.Wait(now, x.wake.Works()))
	}
	return max(wait, 0)
}

// poll reads the files whose polls are due, changed files, and at last all.
func (f *follower) poll(ctx context.Context, last bool) error {
	now := f.clock.Now()
	if last || f.look.Wait(now, false) <= 0 {
		before := len(f.files)
		f.discover()
		f.look.Polled(now, len(f.files) > before)
	}
	for _, x := range f.files {
		if woken := x.woken.Swap(false); woken || last || x.pace.Wait(now, x.wake.Works()) <= 0 {
			if err := f.drain(ctx, x, now, last); err != nil {
				return err
			}
		}
	}
	return nil
}

// drain reads a file to its present end.
func (f *follower) drain(ctx context.Context, x *followed, now time.Time, last bool) error {
	poll := x.file.Poll
	if last {
		poll = x.file.Finish
	}
	changed := false
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var events []event.Event
		events, more = x.poll(poll)
		if last && !more {
			events = append(events, x.parser.Flush()...)
		}
		at := x.position()
		changed = changed || len(events) > 0 || at.At.Offset != x.offset
		x.offset = at.At.Offset
		if len(events) == 0 && !identified(x.delivered, at.At) {
			continue
		}
		x.delivered = at.At
		if err := f.deliver(Batch{events, at}); err != nil {
			return err
		}
	}
	x.pace.Polled(now, changed)
	return nil
}

// identified reports whether a position identifies the file better than the position before. It is then delivered even
// without events: a reader that continues from it finds a file that was renamed meanwhile.
func identified(before, at tail.Position) bool {
	return before.Inode != at.Inode || at.Offset == 0 && before.HeadLength != at.HeadLength
}

// poll reads a chunk of a file.
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
		at, known := slices.BinarySearchFunc(f.files, name,
			func(x *followed, s string) int { return strings.Compare(x.name, s) })
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
	path := filepath.Join(f.spec.Folder, name)
	x := &followed{
		name:      name,
		file:      tail.Open(path, from.At, tail.Options{Clock: f.clock}),
		parser:    NewParser(f.spec, name, from.State, f.clock.Now),
		pace:      tail.Pace{Interval: f.spec.Interval},
		delivered: from.At,
	}
	x.wake = f.waker.Ring(path, &x.woken, f.woken)
	return x
}

// tooMany reports once that a pattern matches more than maxFiles files.
func (f *follower) tooMany() {
	if f.tooManyReported {
		return
	}
	f.tooManyReported = true
	x := f.files[0]
	e := x.parser.Message(fmt.Sprintf("the pattern %q matches more than %d files; the others are not watched",
		f.spec.Pattern, maxFiles))
	_ = f.deliver(Batch{[]event.Event{e}, x.position()}) // an error returns with the next batch
}
