package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
	"github.com/peregrine-sim/peregrine/watchdog/state"
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
	if o.Written == nil {
		f.options.Written = process.Written
	}
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
	found   []*source           // that join their runs at the end of the look
	runs    []*run
	files   int
	opened  int           // named files that are open
	looks   int           // how often the folders were looked through
	grown   int           // looks when something in them had changed
	rest    int           // looks when a run had not ended
	fed     time.Time     // when something was read
	rested  time.Time     // when Rest was called last
	looked  time.Time     // when
	took    time.Duration // how long that took
	ruling  *ruling       // judges by rules; nil: none
	full    bool          // the warning about too many files was given
	due     []*source     // of a run, whose time it is to be read
}

func (f *follower) close() {
	for _, r := range f.runs {
		if r.deeds.undo != nil {
			f.options.warn(r.name + ": the run has not ended yet, and what stops it stays in its files")
		}
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
	f.seeWriters()
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
		if x.look(now, all, take) {
			f.grown = f.looks
		}
	}
	if !all {
		f.lookAtSmall(now, take)
	}
	f.join()
	if f.looks == sayLooks && len(f.runs) == 0 {
		for _, x := range f.folders {
			f.options.warn((&UnknownError{Path: x.path, looked: f.refused(x.path)}).Error() + "; others may come")
		}
	}
	for _, path := range f.named {
		if err := f.seen[path].err; f.looks == sayLooks && err != nil {
			f.options.warn(err.Error() + "; waiting for more of it: --once does not wait")
		}
	}
	return ctx.Err()
}

// refused returns the files of a folder that were not taken.
func (f *follower) refused(folder string) refusal {
	r := refusal{}
	for _, path := range slices.Sorted(maps.Keys(f.seen)) {
		if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
			r.add(path, f.seen[path].err)
		}
	}
	return r
}

// sayLooks is after how many looks without a file of known format the folders' files are listed, and named files that
// are not known.
const sayLooks = 5

// join adds the files that were found to their runs.
func (f *follower) join() {
	sortSources(f.found)
	for _, s := range f.found {
		var r *run
		if f.runs, r = join(f.runs, s, f.options.Options); r.begun == 0 {
			r.begun = f.looks
		}
		f.grown = f.looks
	}
	sortRuns(f.runs, nil)
	f.found = f.found[:0]
}

// settle joins a run whose only file is a log without iterations to the run that it continues, when it has one.
func (f *follower) settle(r *run) {
	if r.settled || len(r.sources) != 1 || !r.sources[0].log() {
		return
	}
	s := r.sources[0]
	if s.measure(); !s.iterates() {
		return
	}
	r.settled = true
	if before := home(siblings(f.runs, r), s); before != nil && !r.machine.Said() {
		f.runs = slices.DeleteFunc(f.runs, func(x *run) bool { return x == r })
		r.sources = nil
		before.add(s)
		return
	}
	f.runs = r.adopt(f.runs)
}

// lookAtSmall calls take for the files that were too small to be recognized and may grow: their folders do not change
// with them.
func (f *follower) lookAtSmall(now time.Time, take func(path string)) {
	var small []string
	for path, s := range f.seen {
		if s.size <= enough && now.Sub(s.modified).Abs() < lately { // others wait for the full look
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
	err      error
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
	f.seen[path] = sighting{info.Size(), info.ModTime(), was.err}
	if looked && was.size == info.Size() {
		return nil
	}
	s, err := open(path, named, f.options.Formats)
	if err != nil {
		f.seen[path] = sighting{info.Size(), info.ModTime(), err}
		return err
	}
	delete(f.seen, path)
	f.found = append(f.found, s)
	f.known[path] = true
	f.files++
	if named {
		f.opened++
	}
	s.pace.Interval, s.finished = pollTime, f.clock.Now().Sub(info.ModTime()).Abs() > lately
	s.warn = f.options.warn
	s.wake = f.options.Waker.Watch(path, func() {
		s.woken.Store(true)
		if r := s.run.Load(); r != nil {
			f.bell.ring(r)
		}
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
				if r.name == about(&x) {
					f.find(r, []rule.Finding{x}, now)
				}
			}
		}
	}
	for _, r := range slices.Clone(runs) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f.settle(r)
		if len(r.sources) == 0 { // another run has them
			continue
		}
		n, changed, found := f.read(r, now)
		r.grows = r.grows || r.seen && n > 0
		r.seen = r.seen || tick
		if n > 0 {
			r.read, f.grown, f.fed = f.looks, f.looks, now
			r.writer.goesOn()
		}
		if waits := r.deeds.waits; r.grows && len(waits) > 0 {
			r.deeds.waits = nil
			found = append(found, waits...)
		}
		if tick || n > 0 {
			f.judge(r, now, n, changed, found)
		}
		if err := f.check(r); err != nil {
			return err
		}
	}
	if f.options.Rest != nil && tick && f.fed.After(f.rested) && now.Sub(f.fed) >= restLooks*lookTime &&
		now.Sub(f.rested) >= time.Minute {
		f.rested = now
		f.options.Rest()
	}
	return nil
}

// check checks the names in rules once each file of a run has reported.
func (f *follower) check(r *run) error {
	silent := func(s *source) bool { return s.preset != nil && !s.iterates() }
	if r.named || f.ruling == nil || slices.ContainsFunc(r.sources, silent) || !f.ruling.single.Iterates(r.name) {
		return nil
	}
	r.named = true
	return f.ruling.check(f.options.warn)
}

// judge reports the state of a run after n new samples, if it has changed or the run has ended.
func (f *follower) judge(r *run, now time.Time, n int, changed bool, found []rule.Finding) {
	changed = r.machine.Tick(now) || changed
	said, ends := r.over(), r.machine.Ends()
	// a run that continues ends once more; the last values of a table may come after its log's end
	final := said && (!r.final || ends > r.ends || changed && r.machine.Lost())
	if final && f.mayBeReplaced(r) {
		return
	}
	r.final, r.ends = said || r.replaced, ends
	if r.final {
		r.putBack(f.options.warn)
	}
	quiet := !changed && !final && len(found) == 0 && (f.options.Judge == nil || n == 0 || said)
	if quiet || r.data(f.runs, &f.options) {
		return
	}
	if final {
		for _, before := range siblings(f.runs[:slices.Index(f.runs, r)], r) {
			if !before.final && before.supersededBy(r) {
				before.final, before.replaced, before.ends = true, true, before.machine.Ends()
				f.report(before, now, true, true, nil)
			}
		}
	}
	f.report(r, now, changed, final, found)
	if f.options.Judge != nil && (changed || final || n > 0 && !said) && (final || r.name == r.folder) {
		f.options.Judge(r.name, r.judgement(final, f.options.Ending), final)
	}
}

// over reports whether a run has ended: its solver has reported its end, or it is silent and the process that wrote its
// log has ended, or it is tables alone, which show no end, and its numbers are not finite or run away.
func (r *run) over() bool {
	return r.machine.Said() || r.writer.left || r.machine.Hung() && r.log() == nil && r.machine.Lost()
}

// report reports the state of a run, its end, and the findings of rules.
func (f *follower) report(r *run, now time.Time, changed, final bool, found []rule.Finding) {
	j := r.judgement(final, f.options.Ending)
	if changed || final {
		found = append(found, f.ruling.state(r.name, j, final, now)...)
	}
	f.find(r, found, now)
	if changed || final {
		r.report(j, now, final, f.say)
	}
}

// judgement returns the present judgement of a run, or that of its end.
func (r *run) judgement(final bool, e state.Ending) state.Judgement {
	if !final {
		return r.machine.Judgement()
	}
	j := r.machine.Final(r.ending(e))
	if by := r.deeds.stopped; by != "" {
		j.Reasons = append([]string{"rule " + by + " stopped it"}, j.Reasons...)
	}
	return j
}

// restLooks is how many looks show no change in the folders when they are at rest.
const restLooks = 2

// mayBeReplaced reports whether a run that had failed before the watch began may have a successor: something in the
// folders grows.
func (f *follower) mayBeReplaced(r *run) bool {
	return len(f.folders) > 0 && r.begun == 1 && r.read <= 1 &&
		f.looks < min(f.grown+restLooks, r.begun+toolLooks) && r.judgement(true, f.options.Ending).State == state.Dead
}

// supersededBy reports whether a run ended or broke off before another of its case began.
func (r *run) supersededBy(next *run) bool {
	log, after := r.log(), next.log()
	return log != nil && after != nil && log.origin.Case == after.origin.Case && r.seen &&
		(r.machine.Said() || r.read < next.begun)
}

// toolLooks is how many looks without a change end the watch of folders of which the last was meshed.
const toolLooks = 60

// meshed reports whether the last programs to report solve nothing, in folders where no solver has run and none has
// failed: the solver follows its mesher, also in a folder of many cases.
func (f *follower) meshed() bool {
	latest := 0
	for _, r := range f.runs {
		latest = max(latest, r.read)
	}
	return !slices.ContainsFunc(f.runs, func(last *run) bool {
		return last.read == latest && slices.ContainsFunc(append(siblings(f.runs, last), last), func(r *run) bool {
			return !r.tool() || !r.judgement(true, f.options.Ending).Usable
		})
	})
}

// done reports whether all has ended. A run of tables alone shows no end: it does not count if it is silent and another
// run has ended.
func (f *follower) done() bool {
	ended := slices.ContainsFunc(f.runs, func(r *run) bool { return r.final })
	if f.opened < len(f.named) || slices.ContainsFunc(f.runs, func(r *run) bool {
		return !r.final && !(ended && r.log() == nil && r.machine.Hung()) && // an old table does not end
			!r.data(f.runs, &f.options)
	}) {
		f.rest = f.looks
		return false
	}
	rest := restLooks
	if f.meshed() {
		rest = toolLooks
	}
	return len(f.folders) == 0 || f.options.Leave && len(f.runs) > 0 &&
		f.looks >= min(max(f.rest, f.grown), f.rest+toolLooks)+rest
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
