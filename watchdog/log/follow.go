package log

// A study as it is seen from outside: its log and its runs' events, while another process writes them or later.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

const (
	followTime = 100 * time.Millisecond // between two looks at files that change
	lostTime   = 10 * time.Second       // without an event of a study that no process writes
)

// LostError reports a study whose process has ended without the study's end: it was killed.
type LostError struct{ Study string }

func (e *LostError) Error() string {
	return fmt.Sprintf("study %s: the process that computed it has ended without a word; the same command with "+
		"--study %[1]s resumes it, and then it can be followed again", e.Study)
}

// Follow passes the events of a study and of its runs to observe, present and future ones, one at a time. The events of
// the log come in its order, a run's events in the order of the run's file, from the event of its start on, or before
// its end if its start is damaged. Events of host and executive on a run come from the log alone. Follow returns nil
// when the study has ended and no process writes its log any more, ctx's error when ctx ends, and a *event.FormatError
// if a newer program wrote the study. warn, which may be nil, gets the read errors.
func Follow(ctx context.Context, folder string, at clock.Clock, wake *tail.Waker, warn func(string),
	observe func(event.Event)) error {
	return follow(ctx, folder, at, wake, warn, observe, false)
}

// FollowLiving follows a study as Follow does until it has ended. It returns a *LostError if no process writes its log,
// and no event comes, for lostTime.
func FollowLiving(ctx context.Context, folder string, at clock.Clock, wake *tail.Waker, warn func(string),
	observe func(event.Event)) error {
	return follow(ctx, folder, at, wake, warn, observe, true)
}

func follow(ctx context.Context, folder string, at clock.Clock, wake *tail.Waker, warn func(string),
	observe func(event.Event), living bool) error {
	f, err := newFollower(folder, at, wake, warn, observe)
	if err != nil {
		return err
	}
	defer f.close()
	tick := at.NewTicker(followTime)
	defer tick.Stop()
	for {
		free := !Busy(folder) // before the last line is read, not after it
		if err := f.poll(ctx); err != nil {
			return err
		}
		now := at.Now()
		if !free {
			f.heard = now
		}
		switch {
		case f.ended && free:
			return f.finish(ctx)
		case living && now.Sub(f.heard) >= lostTime:
			return cmp.Or[error](f.finish(ctx), &LostError{filepath.Base(folder)})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		case <-f.woken:
		}
	}
}

// Each passes the present events of a study and of its runs to observe as Follow does. It returns the files with
// damaged lines, by path.
func Each(ctx context.Context, folder string, at clock.Clock, warn func(string),
	observe func(event.Event)) (damaged map[string]*event.DamagedError, err error) {
	f, err := newFollower(folder, at, nil, warn, observe)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if err := f.poll(ctx); err != nil {
		return nil, err
	}
	return f.damaged, f.finish(ctx)
}

func newFollower(folder string, at clock.Clock, wake *tail.Waker, warn func(string),
	observe func(event.Event)) (*follower, error) {
	path := filepath.Join(folder, FileName)
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	f := &follower{folder: folder, clock: at, heard: at.Now(), waker: wake, woken: make(chan struct{}, 1), warn: warn,
		observe: observe, runs: map[string]*followed{}, opened: map[string]bool{},
		damaged: map[string]*event.DamagedError{}}
	f.log = f.open(path)
	return f, nil
}

type follower struct {
	folder  string
	clock   clock.Clock
	waker   *tail.Waker
	woken   chan struct{}
	warn    func(string)
	observe func(event.Event)

	log   *followed
	runs  map[string]*followed // that have not ended
	order []string             // of them, as they started
	ended bool                 // the last event of the log is the study's end
	heard time.Time            // when a process or an event was seen last

	opened map[string]bool // runs whose files were read

	damaged map[string]*event.DamagedError // by path
}

// followed is a file of events.
type followed struct {
	file    *tail.File
	decoder event.Decoder
	lines   int // that were read
	pace    tail.Pace
	wake    *tail.Wake
	woken   atomic.Bool
	fault   string // that was warned of
	last    bool   // its run has ended: it is read once more
}

func (f *follower) open(path string) *followed {
	x := &followed{file: tail.Open(path, tail.Position{}, tail.Options{Clock: f.clock}),
		decoder: event.Decoder{Path: path}, pace: tail.Pace{Interval: followTime}}
	x.wake = f.waker.Ring(path, &x.woken, f.woken)
	delete(f.damaged, path) // it is read from its first line on
	return x
}

func (x *followed) close() {
	x.wake.Stop()
	_ = x.file.Close() // read only
}

func (f *follower) close() {
	f.log.close()
	for _, x := range f.runs {
		x.close()
	}
}

// poll reads new events: first the log, which names the runs.
func (f *follower) poll(ctx context.Context) error {
	if err := f.read(ctx, f.log, f.ofLog); err != nil {
		return err
	}
	return f.pollRuns(ctx)
}

// finish reads the rest of the runs.
func (f *follower) finish(ctx context.Context) error {
	for _, x := range f.runs {
		x.last = true
	}
	return f.pollRuns(ctx)
}

func (f *follower) pollRuns(ctx context.Context) error {
	for _, run := range slices.Clone(f.order) {
		x := f.runs[run]
		if err := f.read(ctx, x, f.ofRun); err != nil {
			return err
		}
		if x.last {
			f.drop(run)
		}
	}
	return nil
}

func (f *follower) drop(run string) {
	if x := f.runs[run]; x != nil {
		x.close()
		delete(f.runs, run)
		f.order = slices.DeleteFunc(f.order, func(r string) bool { return r == run })
	}
}

// read passes the new events of a file, if its next poll is due.
func (f *follower) read(ctx context.Context, x *followed, take func(event.Event)) error {
	now := f.clock.Now()
	if !x.woken.Swap(false) && !x.last && x.pace.Wait(now, x.wake.Works()) > 0 {
		return nil
	}
	var newer error
	any := false
	for more := true; more && newer == nil && ctx.Err() == nil; {
		var err error
		more, err = x.file.Poll(func(l tail.Line) {
			if l.Note == tail.Plain || l.Note == tail.TooLong {
				x.lines++
			}
			if l.Note != tail.Plain || newer != nil { // a longer line has arrays that are never drawn
				return
			}
			any, f.heard = true, now
			e, ok, err := x.decoder.Line(l.Text)
			switch path := x.decoder.Path; {
			case errors.As(err, new(*event.FormatError)):
				newer = err
			case ok:
				take(e)
			case err != nil && f.damaged[path] == nil:
				f.damaged[path] = &event.DamagedError{Path: path, Lines: []int{x.lines}}
			case err != nil:
				f.damaged[path].Lines = append(f.damaged[path].Lines, x.lines)
			}
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) && err.Error() != x.fault && f.warn != nil {
			x.fault = err.Error()
			f.warn(x.decoder.Path + ": cannot be read now: " + x.fault)
		}
		if err != nil {
			break
		}
		x.fault = ""
	}
	x.pace.Polled(now, any)
	return errors.Join(newer, ctx.Err())
}

func (f *follower) openRun(run string) {
	f.runs[run] = f.open(filepath.Join(f.folder, filepath.Base(run), event.LogName))
	f.order, f.opened[run] = append(f.order, run), true
}

// ofLog takes an event of the log.
func (f *follower) ofLog(e event.Event) {
	switch {
	case e.Kind == event.StudyBegun:
		f.ended = false
	case e.Kind == event.StudyEnded:
		f.ended = true
	case e.Kind == event.Started && e.Source == event.Host:
		f.observe(e)
		f.drop(e.Run)
		f.openRun(e.Run)
		return
	case e.Kind == event.Ended && e.Run != "" && !e.Cached:
		read := e.Source == event.Host
		if f.runs[e.Run] == nil && (read || !f.opened[e.Run]) { // its start is damaged
			f.openRun(e.Run)
			read = true
		}
		if x := f.runs[e.Run]; x != nil && read { // its earlier reports come before its end
			x.last = true
			_ = f.read(context.Background(), x, f.ofRun) // a fault was warned of
			f.drop(e.Run)
		}
	}
	f.observe(e)
}

// ofRun takes an event of a run's file. Of the events that neither its solver nor the watchdog wrote, only the request
// and the result are used: no other file has them.
func (f *follower) ofRun(e event.Event) {
	only := e.Kind == event.Asked || e.Kind == event.Result
	if e.Source != event.Host && e.Source != event.Executive || only {
		f.observe(e)
	}
}
