// Package log keeps the log of a study: everything that one command asks of
// solvers, and what came of it. An event is written before anyone acts on it. Terminal,
// views and reports are functions of the log alone.
//
// A study's folder is WORK/STUDY:
//
//	study.jsonl        the log: an event a line
//	.lock              held by the process that writes the log
//	certificate/       keys of the study's processes
//	RUN/events.jsonl   the events of a run, its iterations among them
//
// The log holds what the executive reports, and when runs started and ended; the
// event that a run started names the run's folder, where the rest is. Names in WORK that begin with a
// dot are Peregrine's own and no studies.
package log

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// FileName is the name of the log in a study's folder.
const FileName = "study.jsonl"

const (
	syncEvery     = time.Second // between two writes through to the disk
	progressEvery = time.Second // between two progress events of a name that are kept
)

// Log records the events of a study and passes them on. It may be used by several
// goroutines.
type Log struct {
	clock   clock.Clock
	observe func(event.Event)

	mu     sync.Mutex
	study  string
	seq    int64
	file   *event.Log           // nil: not kept
	kept   map[string]time.Time // by name: the last progress event that was kept
	dirty  bool                 // something is not synced
	failed bool                 // a fault of the file was reported
	unlock func() error
	quit   chan struct{}
	synced sync.WaitGroup
}

// New returns a log that passes events on to observe and keeps none until Open.
// Observe is called for one event at a time, and must not call the log.
func New(c clock.Clock, observe func(event.Event)) *Log {
	return &Log{clock: clock.Or(c), observe: observe, kept: map[string]time.Time{}}
}

// Open keeps events in the log of a study's folder from now on, behind those that are
// there. Errors: a *BusyError if another process writes that log, an *event.FormatError
// if a newer program wrote it.
func (l *Log) Open(folder string) error {
	unlock, err := lock(folder)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, FileName)
	file, err := event.Append(path)
	if err != nil {
		_ = unlock()
		return err
	}
	old, _ := event.Read(path) // damaged lines are the reader's to report
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range old {
		if e.Source == event.Executive {
			l.seq = max(l.seq, e.Seq)
		}
	}
	l.study, l.file, l.unlock, l.quit = filepath.Base(folder), file, unlock, make(chan struct{})
	l.synced.Go(l.sync)
	return nil
}

// sync makes events durable every second.
func (l *Log) sync() {
	tick := l.clock.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.mu.Lock()
			dirty := l.dirty
			l.dirty = false
			l.mu.Unlock()
			if dirty {
				l.report(l.file.Sync())
			}
		case <-l.quit:
			return
		}
	}
}

// Record writes an event and passes it on. It completes an event of the executive, which has no
// number yet, and returns it.
func (l *Log) Record(e event.Event) event.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Source == "" {
		e.Source = event.Executive
	}
	if e.Study == "" {
		e.Study = l.study
	}
	if e.Time.IsZero() {
		e.Time = l.clock.Now().UTC()
	}
	if e.Source == event.Executive {
		l.seq++
		e.Seq = l.seq
		e.Finite()
	}
	if l.file != nil && l.keeps(e) {
		l.fault(l.file.Write(e))
		l.dirty = true
	}
	l.observe(e)
	return e
}

// ofRuns are the kinds of a run's own events that the study's log repeats.
var ofRuns = []event.Kind{event.Started, event.Ended, event.Command, event.Warning}

func (l *Log) keeps(e event.Event) bool {
	switch {
	case e.Source == event.Host:
		return slices.Contains(ofRuns, e.Kind)
	case e.Source != event.Executive:
		return false
	case e.Kind != event.Progress:
		return true
	}
	if e.Time.Sub(l.kept[e.Name]) < progressEvery {
		return false
	}
	l.kept[e.Name] = e.Time
	return true
}

func (l *Log) report(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault(err)
}

// fault reports the first fault of the file. The study goes on: its answers are worth more
// than its log.
func (l *Log) fault(err error) {
	if err == nil || l.failed {
		return
	}
	l.failed = true
	l.seq++
	l.observe(event.Event{
		Study: l.study, Source: event.Executive, Seq: l.seq, Time: l.clock.Now().UTC(), Kind: event.Warning,
		Text: fmt.Sprintf("the study goes on, but events are missing in its log: %v", err),
	})
}

// Close makes the log durable and gives it up.
func (l *Log) Close() error {
	l.mu.Lock()
	file := l.file
	l.mu.Unlock()
	if file == nil {
		return nil
	}
	close(l.quit)
	l.synced.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = nil
	err := file.Close()
	_ = l.unlock() // the process's end does it, too
	if l.failed {
		return nil // it was reported
	}
	return err
}
