package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// How often files are read and folders are looked through.
const (
	pollTime = history.DefaultInterval
	lookTime = time.Second
)

// mostFiles bounds the files that are watched at once: each holds a descriptor.
const mostFiles = 4096

// Follow judges the files at paths, and those that come to be in the folders among them, while they are written. It calls say
// at each change of a run's state, for each of its files. It returns when every run whose files were named has said
// that it has ended, or when ctx ends: then with ctx's error. Folders are watched until ctx ends.
//
// Files are read at an interval, less often while they are at rest, and at once when Options.Waker is notified of a change.
func Follow(ctx context.Context, paths []string, o Options, say func(Line)) error {
	f := &follower{options: o, clock: clock.Or(o.Clock), woken: make(chan struct{}, 1), say: say, known: map[string]bool{}, seen: map[string]int64{}, ruling: o.ruling()}
	defer f.close()
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			f.folders = append(f.folders, path)
		case err == nil || errors.Is(err, fs.ErrNotExist):
			f.named = append(f.named, path)
		default:
			return err
		}
	}
	tick := f.clock.NewTicker(pollTime)
	defer tick.Stop()
	ticked := true
	for {
		if err := f.lookIfDue(ctx); err != nil {
			return err
		}
		if err := f.poll(ctx, ticked); err != nil {
			return err
		}
		if f.done() {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			ticked = true
		case <-f.woken:
			ticked = false
		}
	}
}

type follower struct {
	options Options
	clock   clock.Clock
	woken   chan struct{} // a file has changed
	say     func(Line)
	named   []string         // files
	folders []string         // looked through for files
	known   map[string]bool  // files that are open
	seen    map[string]int64 // files of no known kind: their size when they were looked at
	runs    []*run
	files   int
	looked  time.Time     // when the folders were looked through
	took    time.Duration // how long that took
	ruling  *ruling       // judges by rules; nil: none
	full    bool          // it was said that there are too many files
}

func (f *follower) close() {
	for _, r := range f.runs {
		for _, s := range r.sources {
			s.wake.Stop()
			_ = s.file.Close() // read only
		}
	}
}

// lookShare bounds the time for looking through large folders: a fiftieth of all.
const lookShare = 50

func (f *follower) lookIfDue(ctx context.Context) error {
	now := f.clock.Now()
	if since := now.Sub(f.looked); !f.looked.IsZero() && since >= 0 && since < max(lookTime, lookShare*f.took) {
		return nil
	}
	err := f.look(ctx)
	f.looked, f.took = now, clock.Since(f.clock, now)
	return err
}

// look opens the files that have come to be. The error is that of a named file that is none of a known kind.
func (f *follower) look(ctx context.Context) error {
	for _, path := range f.named {
		if err := f.add(path, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			var unknown *UnknownError
			if !errors.As(err, &unknown) || f.seen[path] > enough { // by its size before it was looked at: it may grow meanwhile
				return err
			}
		}
	}
	for _, folder := range f.folders {
		_ = walk(folder, func(path string) { // the folder may be gone for a while
			if ctx.Err() == nil {
				_ = f.add(path, false) // most files of a folder are no histories
			}
		})
	}
	return ctx.Err()
}

// enough is the size from which a file that is not recognized will not be: bytes.
const enough = 4096

// add opens a file that is not open yet.
func (f *follower) add(path string, named bool) error {
	if f.known[path] || f.seen[path] > enough {
		return nil
	}
	if f.files >= mostFiles {
		if !f.full {
			f.full = true
			f.options.warn(fmt.Sprintf("%s: %d files are watched; it and other files are not", path, mostFiles))
		}
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if was, looked := f.seen[path]; looked && was == info.Size() {
		return nil
	}
	s, err := open(path, named, f.options.Formats)
	if err != nil {
		f.seen[path] = info.Size()
		return err
	}
	delete(f.seen, path)
	f.runs = join(f.runs, s, f.options.Options)
	f.known[path] = true
	f.files++
	s.pace.Interval = pollTime
	s.warn = f.options.warn
	s.wake = f.options.Waker.Ring(path, &s.woken, f.woken)
	return nil
}

// poll reads the files whose time it is, and those that have changed. Time itself changes states, too, at each tick.
func (f *follower) poll(ctx context.Context, tick bool) error {
	now := f.clock.Now()
	if tick {
		f.ruling.tick(f.runs, now, f.say)
	}
	for _, r := range f.runs {
		events := r.fresh(f.clock.Now)
		if !tick && len(events) == 0 {
			continue
		}
		changed := false
		var found []rule.Finding
		for _, e := range events {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if f.options.Observe != nil {
				f.options.Observe(r.folder, e)
			}
			changed = r.machine.Event(e) || changed
			found = append(found, f.ruling.event(r.folder, e)...)
		}
		changed = r.machine.Tick(now) || changed
		said, ends := r.machine.Said(), r.machine.Ends()
		final := said && ends > r.ends // a run that goes on ends once more
		r.final, r.ends = said, ends
		j := r.machine.Judgement()
		if final {
			j = r.machine.Final(r.ending(f.options.Ending))
		}
		if f.options.Judge != nil && (changed || final || len(events) > 0 && !said) {
			f.options.Judge(r.folder, j, final)
		}
		if changed || final {
			found = append(found, f.ruling.state(r.folder, j, final, now)...)
		}
		r.find(found, now, f.say)
		if changed || final {
			r.report(j, now, final, f.say)
		}
	}
	return nil
}

// fresh returns the events that have come in the files of the run whose time it is, in the order of the iterations.
func (r *run) fresh(now func() time.Time) []event.Event {
	type placed struct {
		event.Event
		at float64
	}
	var list []placed
	for _, s := range r.sources {
		if at := now(); s.woken.Swap(false) || s.pace.Wait(at, s.wake.Works()) <= 0 {
			events := s.poll(now)
			s.pace.Polled(at, len(events) > 0)
			for _, e := range events {
				s.place(&e)
				list = append(list, placed{e, s.at})
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	if len(r.sources) > 1 {
		slices.SortStableFunc(list, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	}
	events := make([]event.Event, len(list))
	for i := range list {
		events[i] = list[i].Event
	}
	return events
}

// done reports whether all that was named has ended.
func (f *follower) done() bool {
	return len(f.folders) == 0 && f.files == len(f.named) && !slices.ContainsFunc(f.runs, func(r *run) bool { return !r.final })
}
