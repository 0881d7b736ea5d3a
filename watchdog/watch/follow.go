package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
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

// Follow judges the files at paths, and the files that appear in the folders among them, while they are written. It
// calls say at each change of a run's state, for each of its files. It returns when every run of a named file has
// reported its end, or when ctx ends: then with ctx's error. Folders are watched until ctx ends or, with Options.Leave,
// until a run was found, all have ended, and two looks found no other file.
//
// Files are read at an interval, less often while they are at rest, and at once when Options.Waker reports a change.
func Follow(ctx context.Context, paths []string, o Options, say func(Line)) error {
	f := &follower{options: o, clock: clock.Or(o.Clock), bell: newBell(), say: say, known: map[string]bool{},
		seen: map[string]sighting{}, ruling: o.ruling()}
	defer f.close()
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			f.folders = append(f.folders, &folder{path: path})
		case err == nil || errors.Is(err, fs.ErrNotExist):
			f.named = append(f.named, path)
		default:
			return err
		}
	}
	tick := f.clock.NewTicker(pollTime)
	defer tick.Stop()
	for ticked := true; ; {
		if err := f.lookIfDue(ctx); err != nil {
			return err
		}
		runs := f.bell.rung()
		if ticked {
			runs = f.runs
		}
		if err := f.poll(ctx, runs, ticked); err != nil {
			return err
		}
		if f.done() {
			return f.ruling.unoffered()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			ticked = true
		case <-f.bell.rings:
			ticked = false
		}
	}
}

type follower struct {
	options Options
	clock   clock.Clock
	bell    *bell
	say     func(Line)
	named   []string            // files
	folders []*folder           // looked through for files
	known   map[string]bool     // files that are open
	seen    map[string]sighting // files of no known kind
	runs    []*run
	files   int
	opened  int           // named files that are open
	looks   int           // how often the folders were looked through
	rest    int           // looks when a file was opened, or a run had not ended
	looked  time.Time     // when
	took    time.Duration // how long that took
	ruling  *ruling       // judges by rules; nil: none
	full    bool          // the warning about too many files was given
	due     []*source     // of a run, whose time it is to be read
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

// fullLook is the interval, in looks, at which every folder is listed, whatever the times of their changes are.
const fullLook = 10

// look opens new files. The error is that of a named file of unknown kind.
func (f *follower) look(ctx context.Context) error {
	for _, path := range f.named {
		if err := f.add(path, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
			var unknown *UnknownError
			// by its size before it was read: it may grow meanwhile
			if !errors.As(err, &unknown) || f.seen[path].size > enough {
				return err
			}
		}
	}
	now, all := f.clock.Now(), f.looks%fullLook == 0
	f.looks++
	take := func(path string) {
		if ctx.Err() == nil {
			_ = f.add(path, false) // most files of a folder are no histories
		}
	}
	for _, x := range f.folders {
		x.look(now, all, take)
	}
	if !all {
		f.lookAtSmall(now, take)
	}
	return ctx.Err()
}

// lookAtSmall calls take for the files that were too small to be recognized and may grow: their folders do not change
// with them.
func (f *follower) lookAtSmall(now time.Time, take func(path string)) {
	const lately = time.Minute // a file without changes for longer waits for the full look
	var small []string
	for path, s := range f.seen {
		if s.size <= enough && now.Sub(s.modified).Abs() < lately {
			small = append(small, path)
		}
	}
	slices.Sort(small)
	for _, path := range small {
		take(path)
	}
}

// sighting is the earlier size and time of a file that was looked at.
type sighting struct {
	size     int64
	modified time.Time
}

// enough is the size in bytes from which an unrecognized file stays unrecognized.
const enough = 4096

// add opens a file that is not open yet.
func (f *follower) add(path string, named bool) error {
	if f.known[path] || f.seen[path].size > enough {
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
		delete(f.seen, path)
		return err
	}
	was, looked := f.seen[path]
	f.seen[path] = sighting{info.Size(), info.ModTime()}
	if looked && was.size == info.Size() {
		return nil
	}
	s, err := open(path, named, f.options.Formats)
	if err != nil {
		return err
	}
	delete(f.seen, path)
	var r *run
	f.runs, r = join(f.runs, s, f.options.Options)
	f.known[path] = true
	f.files++
	f.rest = f.looks
	if named {
		f.opened++
	}
	s.pace.Interval = pollTime
	s.warn = f.options.warn
	s.wake = f.options.Waker.Watch(path, func() {
		s.woken.Store(true)
		f.bell.ring(r)
	})
	return nil
}

// poll reads the files of runs whose polls are due, and the files that have changed. Elapsed time also changes states,
// at each tick.
func (f *follower) poll(ctx context.Context, runs []*run, tick bool) error {
	now := f.clock.Now()
	if tick {
		for _, x := range f.ruling.tick(now) {
			for _, r := range f.runs {
				if r.folder == about(&x) {
					r.find([]rule.Finding{x}, now, f.say)
				}
			}
		}
	}
	for _, r := range runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, changed, found := f.read(r, now)
		if !tick && n == 0 {
			continue
		}
		changed = r.machine.Tick(now) || changed
		said, ends := r.machine.Said(), r.machine.Ends()
		final := said && ends > r.ends // a run that continues ends once more
		r.final, r.ends = said, ends
		if !changed && !final && len(found) == 0 && (f.options.Judge == nil || n == 0 || said) {
			continue
		}
		j := r.machine.Judgement()
		if final {
			j = r.machine.Final(r.ending(f.options.Ending))
		}
		if f.options.Judge != nil && (changed || final || n > 0 && !said) {
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

// done reports whether all that was named has ended.
func (f *follower) done() bool {
	if slices.ContainsFunc(f.runs, func(r *run) bool { return !r.final }) || f.opened < len(f.named) {
		f.rest = f.looks
		return false
	}
	return len(f.folders) == 0 || f.options.Leave && len(f.runs) > 0 && f.looks >= f.rest+2
}

// bell is rung by the runs whose files have changed: the reading of a file does not look at the others.
type bell struct {
	rings chan struct{} // capacity: one ring

	mu   sync.Mutex
	runs []*run
}

func newBell() *bell { return &bell{rings: make(chan struct{}, 1)} }

func (b *bell) ring(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !r.rung {
		r.rung = true
		b.runs = append(b.runs, r)
	}
	select {
	case b.rings <- struct{}{}:
	default: // it rings already
	}
}

// rung returns the runs that have rung since the last call.
func (b *bell) rung() []*run {
	b.mu.Lock()
	defer b.mu.Unlock()
	runs := b.runs
	b.runs = nil
	for _, r := range runs {
		r.rung = false
	}
	return runs
}
