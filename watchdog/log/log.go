// Package log writes the log of a study: the computations that a command requests from solvers, and the results. An
// event is written before it is used. Terminal, views and reports are functions of the log alone.
//
// A study's folder is WORK/STUDY:
//
//	study.jsonl        the log: an event a line
//	results.json       the results of its commands for `peregrine report`
//	map-*.json         maps while it ran
//	notes.jsonl        notes and tags of people on the study and its runs
//	.lock              held by the process that writes the log
//	certificate/       keys of the study's processes
//	texts/             long texts of requests, each once
//	RUN/events.jsonl   the events of a run, its iterations among them
//
// The log holds the events of the executive, the host's about start, end, commands and warnings of runs, and the
// solvers' about the effects of commands. The start event of a run names the run's folder, which holds its other
// events. Names in WORK that begin with a dot are no studies.
package log

import (
	"cmp"
	"errors"
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

// ResultsName is the name of the results of a study's commands in its folder.
const ResultsName = "results.json"

// MapPrefix begins the names of the maps that a study keeps while it runs.
const MapPrefix = "map-"

const (
	syncEvery     = time.Second // between two syncs of the file
	progressEvery = time.Second // between two progress events of a name that are written
)

// Log writes the events of a study and passes them to an observer. Several goroutines may
// use it.
type Log struct {
	clock   clock.Clock
	observe func(event.Event)
	closing sync.Mutex // held by Close

	mu           sync.Mutex
	study        string
	begun        *event.Ref // the latest event that a study began; nil: none
	seq          int64
	file         *event.Log           // nil: events are not written
	lastProgress map[string]time.Time // time of the last progress event that was written, by name
	known        map[string][]string  // keys of the first event Known of each component and group
	dirty        bool                 // events were written since the last sync
	failed       bool                 // a fault of the file was reported
	unlock       func() error
	quit         chan struct{}
	synced       sync.WaitGroup
}

// New returns a log that passes events to observe and writes none until Open. observe gets one event at a time and must
// not call the log.
func New(c clock.Clock, observe func(event.Event)) *Log {
	return &Log{clock: clock.Or(c), observe: observe, lastProgress: map[string]time.Time{},
		known: map[string][]string{}}
}

// learn keeps the keys of the first Known event of a component and group.
func (l *Log) learn(e *event.Event) {
	if _, there := l.known[e.Component+"/"+e.Name]; e.Kind == event.Known && !there {
		l.known[e.Component+"/"+e.Name] = e.Keys
	}
}

// Known lists the answers of a component's group of the cache, by keys, at the start of the study. If the log has no
// such list, Known returns the present answers, and records them.
func (l *Log) Known(component, group string, there []string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if list, listed := l.known[component+"/"+group]; listed {
		return list
	}
	e := l.record(event.Event{Kind: event.Known, Component: component, Name: group, Keys: there})
	l.learn(&e)
	return there
}

// Open appends all further events to the log of a study's folder. Errors: a *BusyError if another process writes that
// log, an *event.FormatError if a newer program wrote it.
func (l *Log) Open(folder string) error {
	unlock, err := lock(folder, lockName, l.clock)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, FileName)
	file, err := event.Append(path)
	if err != nil {
		_ = unlock()
		return err
	}
	old, _ := event.Read(path) // readers report damaged lines
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range old {
		if e.Source == event.Executive {
			l.seq = max(l.seq, e.Seq)
		}
		l.learn(&e)
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
				l.lockAndReport(l.file.Sync())
			}
		case <-l.quit:
			return
		}
	}
}

// Record writes an event, passes it to the observer and returns it. An event of the executive gets its number, study
// and time here; if it has no cause, the study's begin is its cause.
func (l *Log) Record(e event.Event) event.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record(e)
}

// record is Record for who holds the lock.
func (l *Log) record(e event.Event) event.Event {
	e.Source = cmp.Or(e.Source, event.Executive)
	e.Study = cmp.Or(e.Study, l.study)
	if e.Time.IsZero() {
		e.Time = l.clock.Now().UTC()
	}
	if e.Source == event.Executive {
		l.seq++
		e.Seq = l.seq
		e.Finite()
		switch {
		case e.Kind == event.StudyBegun:
			l.begun = e.Ref()
		case e.Cause == nil:
			e.Cause = l.begun
		}
	}
	if l.file != nil && l.stored(e) {
		l.reportFault(l.file.Write(e))
		l.dirty = true
	}
	l.observe(e)
	return e
}

// hostKinds are the kinds of host events that the study's log contains, besides the run's
// event file.
var hostKinds = []event.Kind{event.Started, event.Ended, event.Command, event.Warning}

func (l *Log) stored(e event.Event) bool {
	switch {
	case e.Act != nil: // effect of a command on a run, from any source
		return true
	case e.Source == event.Host:
		return slices.Contains(hostKinds, e.Kind)
	case e.Source != event.Executive:
		return false
	case e.Kind != event.Progress:
		return true
	}
	if e.Time.Sub(l.lastProgress[e.Name]) < progressEvery {
		return false
	}
	l.lastProgress[e.Name] = e.Time
	return true
}

func (l *Log) lockAndReport(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reportFault(err)
}

// reportFault reports the first error of the file as an event. The study continues: its answers matter more than its
// log.
func (l *Log) reportFault(err error) {
	if err == nil || l.failed {
		return
	}
	l.failed = true
	l.seq++
	l.observe(event.Event{
		Study: l.study, Source: event.Executive, Seq: l.seq, Time: l.clock.Now().UTC(), Kind: event.Warning,
		Text: fmt.Sprintf("the study continues, but events are missing in its log: %v", err),
	})
}

// Close syncs and closes the file, and unlocks the study. A second call waits for the first and returns nil.
func (l *Log) Close() error {
	l.closing.Lock()
	defer l.closing.Unlock()
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
	err := errors.Join(file.Sync(), file.Close())
	_ = l.unlock() // the end of the process would unlock it too
	if l.failed {
		return nil // the fault has been reported
	}
	return err
}
