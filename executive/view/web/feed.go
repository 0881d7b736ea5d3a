package web

// The feed of a study's page: from events to pieces of the state.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

const (
	beat    = 50 * time.Millisecond  // between looks for pieces to publish
	thinned = 250 * time.Millisecond // between two publications of a piece
	recheck = time.Second            // between looks whether a command continues an ended study
)

// Feed follows a study and keeps its state for any number of clients.
type Feed struct {
	folder string
	clock  clock.Clock
	state  *state
	warn   func(string)
	past   bool // the state is that of a past moment

	board  *view.Board
	runs   map[string]*view.Run
	cases  map[string]*Case
	charts map[string]*Map
	model  map[string]map[string]float64 // Nc, Wc, PR in the case that was solved last, by component
	latest Engine

	dirty    map[pieceKey]func() any // pieces to publish
	order    []pieceKey              // of them, as they were marked
	sent     map[pieceKey]time.Time  // when each was published last
	general  bool                    // state and hosts may have changed
	lost     bool                    // the process of the study has ended without a word
	number   int                     // of warnings and commands
	alike    map[alike][]entry       // the last warnings and commands
	omitted  int                     // earlier warnings and commands
	uncaused map[event.Ref][]entry   // findings whose cause has not come
	known    written                 // into the log
	noted    int64                   // bytes of the notes that were read
	history  *histories

	ended chan struct{} // closed when all of a study that has ended is published
	once  sync.Once
}

// NewFeed returns a feed of the study in a folder. warn gets the errors of reading; it may be nil.
func NewFeed(folder string, at clock.Clock, warn func(string)) *Feed {
	if warn == nil {
		warn = func(string) {}
	}
	at = clock.Or(at)
	f := &Feed{folder: folder, clock: at, warn: warn, state: newState(filepath.Base(folder), at.Now()),
		history: &histories{runs: map[string]*history{}}, ended: make(chan struct{})}
	f.reset()
	return f
}

// Lay adds measured values, which lie over the pictures of the page.
func (f *Feed) Lay(list ...*Measured) {
	for _, m := range list {
		if err := f.state.put(measured, m.Name, m); err != nil {
			panic(err) // texts and finite numbers
		}
	}
}

// reset forgets what the feed has read. The state, and its sequence numbers, stay.
func (f *Feed) reset() {
	f.board, f.runs = view.NewBoard(), map[string]*view.Run{}
	f.cases, f.charts = map[string]*Case{}, map[string]*Map{}
	f.model = map[string]map[string]float64{}
	f.dirty, f.order, f.sent = map[pieceKey]func() any{}, nil, map[pieceKey]time.Time{}
	f.number, f.noted, f.lost, f.uncaused = 0, 0, false, map[event.Ref][]entry{}
	f.alike, f.omitted = map[alike][]entry{}, 0
	f.history.clear()
}

// Run follows the study until ctx ends, also after the study's end: another command may continue the study. The error
// is that of the study's log, such as a *event.FormatError.
func (f *Feed) Run(ctx context.Context) error {
	waker := tail.NewWaker(f.clock, func(string) {}) // that files are read at an interval is no news for the page
	defer func() { _ = waker.Close() }()             // it only reads
	for {
		f.reset()
		switch err := f.follow(ctx, waker); {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the end of ctx is the regular end
		case errors.Is(err, fs.ErrNotExist): // the study was removed: the page shows it as it was
		case err != nil:
			return err
		default:
			f.seek()
			f.results(f.kept())
			f.publish(true)
			f.once.Do(func() { close(f.ended) })
		}
		for seen := f.logged(); f.logged() == seen; {
			if clock.Sleep(ctx, f.clock, recheck) != nil {
				return nil
			}
			f.publish(false)
		}
	}
}

// Ended is closed when the state has all of a study that has ended.
func (f *Feed) Ended() <-chan struct{} { return f.ended }

// written identifies what has been written into the log of the study.
type written struct {
	size int64
	at   time.Time
}

// logged returns what the log has now; of a log that is missing, what the last one had.
func (f *Feed) logged() written {
	info, err := os.Stat(filepath.Join(f.folder, studylog.FileName))
	if err != nil {
		return f.known
	}
	f.known = written{info.Size(), info.ModTime()}
	return f.known
}

// follow passes the events to the state until the study ends. Events come from one goroutine, and are published by
// another, so that a flood of events does not delay the page.
func (f *Feed) follow(ctx context.Context, waker *tail.Waker) error {
	events := make(chan event.Event, 1024)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		ended <- studylog.Follow(ctx, f.folder, f.clock, waker, f.warn, func(e event.Event) {
			select {
			case events <- e:
			case <-ctx.Done():
			}
		})
		close(events)
	}()
	tick := f.clock.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return <-ended
			}
			f.observe(&e)
		case <-tick.C:
			f.publish(false)
		}
	}
}

// observe takes an event into the state.
func (f *Feed) observe(e *event.Event) {
	f.state.saw(e.Time)
	seen := f.board.Observe(*e)
	if seen != nil {
		f.run(e, seen)
		f.caused(e)
	}
	switch e.Kind {
	case event.StudyBegun:
		f.latest = Engine{Name: e.Name, File: e.File, Version: e.Version}
		if e.Flow != nil {
			f.latest.Components, f.latest.Links, f.latest.Shafts = e.Flow.Components, e.Flow.Links, e.Flow.Shafts
		}
		f.mark(engine, "", func() any { return f.latest })
	case event.Progress, event.Engine, event.Point, event.Estimate:
		f.caseOf(e)
	case event.Map:
		f.newMap(e.Name, e.Name).Values = e.Values
	case event.Chart:
		m := f.newMap(e.Component, e.Component)
		m.file, m.kept = e.File, e.Time
	case event.Finding, event.Warning, event.NodeLost, event.Would:
		f.warning(e)
	case event.Command:
		f.command(e)
	}
	f.general = f.general || e.Source == event.Host || e.Source == event.Executive
}

// caused marks the findings that the line of an event caused, if they came before it.
func (f *Feed) caused(e *event.Event) {
	if e.Line == "" || len(f.uncaused) == 0 {
		return
	}
	ref := event.Ref{Stream: e.Stream(), Seq: e.Seq}
	for _, x := range f.uncaused[ref] {
		x.mark()
	}
	delete(f.uncaused, ref)
}

// seek looks once more in the events of runs, for causes that came long before their findings.
func (f *Feed) seek() {
	for _, run := range f.board.Unseen() {
		_ = event.Each(filepath.Join(f.folder, filepath.Base(run), event.LogName), func(e event.Event) {
			f.board.Line(&e) // damage was met before
			f.caused(&e)
		})
	}
}

// mark notes that a piece has changed. value makes it when it is published.
func (f *Feed) mark(of section, name string, value func() any) {
	key := pieceKey{of, name}
	if f.dirty[key] == nil {
		f.order = append(f.order, key)
	}
	f.dirty[key] = value
}

// publish publishes the changed pieces that were not published a moment ago, or all.
func (f *Feed) publish(all bool) {
	now := f.clock.Now()
	if f.general || all || now.Sub(f.sent[pieceKey{studyState, ""}]) >= recheck {
		f.general = false
		f.study()
		f.notes()
	}
	waiting, published := f.order[:0], map[section]bool{}
	for _, key := range f.order {
		value, last := f.dirty[key], f.sent[key]
		together := key.of == warnings || key.of == commands // each is new, and a section may have thousands a second
		if together {
			last = f.sent[pieceKey{key.of, ""}]
		}
		switch {
		case value == nil: // it was dropped
			continue
		case !all && now.Sub(last) < thinned:
			waiting = append(waiting, key)
			continue
		case together:
			published[key.of] = true
		default:
			f.sent[key] = now
		}
		delete(f.dirty, key)
		if err := f.state.put(key.of, key.name, value()); err != nil {
			f.warn(fmt.Sprintf("%s %s: %v", key.of, key.name, err))
		}
	}
	f.order = waiting
	for of := range published {
		f.sent[pieceKey{of, ""}] = now
	}
}

// study marks what describes the study as a whole: its state and its hosts.
func (f *Feed) study() {
	p := f.board.Progress()
	state, now := f.studyNow(p)
	if lost := state == string(event.Lost); lost != f.lost {
		f.lost = lost
		for name, r := range f.runs {
			if r.Phase == view.Running {
				f.mark(runs, name, func() any { return f.runNow(r) })
			}
		}
	}
	f.mark(studyState, "", func() any { return state })
	f.mark(progress, "", func() any { return now })
	for _, n := range p.Nodes {
		f.mark(hosts, n.Name, func() any { return n })
	}
}

// notes marks the notes of people that are new.
func (f *Feed) notes() {
	info, err := os.Stat(filepath.Join(f.folder, studylog.NotesName))
	if err != nil || info.Size() == f.noted {
		return
	}
	f.noted = info.Size()
	until := time.Time{}
	if f.past {
		until = f.clock.Now()
	}
	all, err := studylog.ReadMarks(f.folder, until)
	if err != nil {
		f.warn(err.Error())
	}
	for run, m := range all {
		f.mark(marks, run, func() any { return m })
	}
}

// studyNow returns the state of the study: running, lost, or the class of its end; and its progress.
func (f *Feed) studyNow(p view.Progress) (state string, now Progress) {
	last := f.board.Last()
	now = Progress{Begun: last.Begun, Planned: p.Planned, Done: p.Done, Cached: p.Cached, Failed: p.Failed,
		Running: len(p.Running), Omitted: f.omitted}
	if left, ok := p.Left(f.clock.Now()); ok {
		now.Left = new(left.Seconds())
	}
	switch {
	case !last.Ended.IsZero():
		now.Text, now.Ended = last.Message, last.Ended
		return string(last.Class), now
	case !f.past && !studylog.Busy(f.folder):
		now.Text, now.Running, now.Left = "the process that computed it has ended without a word", 0, nil
		return string(event.Lost), now
	}
	return "running", now
}

// kept reads the kept results of the study's last command; nil: it has none.
func (f *Feed) kept() *report.Kept {
	kept, err := report.ReadKept(f.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.warn(err.Error())
	}
	return kept
}

// results takes kept results: the cases to the last digit, the engine's structure and the maps.
func (f *Feed) results(kept *report.Kept) {
	if kept == nil {
		return
	}
	f.latest.Components, f.latest.Links, f.latest.Shafts = kept.Flow.Components, kept.Flow.Links, kept.Flow.Shafts
	f.mark(engine, "", func() any { return f.latest })
	if kept.Results != nil {
		for _, r := range kept.Results.Cases {
			f.newCase(r.Name).Result = r
		}
	}
	for i := range kept.Charts {
		name := kept.NameOf(&kept.Charts[i])
		if m := f.charts[name]; m == nil || !m.kept.After(kept.Written) { // no later command was cut off
			f.keptChart(name, &kept.Charts[i])
		}
	}
	for i := range kept.History {
		t := newTransient(&kept.History[i])
		f.mark(transients, t.Case, func() any { return t })
	}
	for i := range kept.Sweeps {
		f.mark(sweeps, kept.Sweeps[i].Name, func() any { return kept.Sweeps[i] })
	}
}
