package attempt

// The event stream of one attempt. Events of the plugin, of the run's files and of the host become one sequence: each
// is written to the run folder, then passed to observer and monitor.

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// stream is the event stream of one attempt.
type stream struct {
	study, run string
	component  string
	seeks      string
	attempt    int
	machine    string // on which the run is made
	clock      clock.Clock
	pulse      pulse
	deliver    func(event.Event) (event.Event, *Halt, []Instruction) // of the pool

	mu           sync.Mutex
	skew         func() time.Duration // lead of the machine's clock over this machine's; nil: it is this machine's
	log          *event.Log
	most         int64            // size of the file from which on events of solver and files are dropped, bytes
	dropped      int              // number of them
	err          error            // first failure to persist
	seq          int64            // of the host's events
	last         time.Time        // of the latest event of plugin or file
	spoken       bool             // there was such an event
	silences     Silences         // before such events
	first        time.Time        // of the first event of plugin or file; zero: none
	latest       time.Time        // of the latest one, whether or not it counts for silence
	halt         chan *Halt       // of capacity 1
	orders       chan Instruction // of capacity mostOrders
	paused       bool
	since        time.Time       // start of the present pause
	rested       time.Duration   // sum of the earlier pauses and suspensions
	turned       chan struct{}   // of capacity 1: a pause has begun or ended
	acts         []event.Receipt // by commands from outside this host; the answer may depend on them
	hostCommands map[string]bool // IDs of this host's commands
	saving       map[string]bool // commands of this host to save a checkpoint, by ID, that the run has not answered
	beyond       bool            // it took a command because of other runs
	refused      int             // number of orders dropped because the channel was full
	reported     pluginValues
	read         map[string]int64 // number of the last event of each file that an earlier host recorded
	begun        bool             // the solver has reported something
	over         bool             // the run has answered, or is being stopped: its silence means nothing
	ended        bool
	started      *event.Ref // the event that reported the start of the attempt
}

// mostOrders is the largest number of orders that wait for a run. Further orders are dropped, and an event reports the
// first drop.
const mostOrders = 16

// open opens the stream of an attempt, whose study, run, component, number, machine, clocks and deliver are set, in
// its run folder.
func (s *stream) open(folder string) error {
	log, err := event.AppendRun(filepath.Join(folder, plugin.EventsFile), event.Common{Study: s.study, Run: s.run,
		Attempt: s.attempt, Component: s.component, Host: s.machine, Time: s.clock.Now().UTC()})
	if err != nil {
		return err
	}
	s.pulse.last = s.pulse.clock.Now()
	s.log, s.last, s.halt, s.orders, s.turned = log, s.clock.Now(), make(chan *Halt, 1), make(chan Instruction,
		mostOrders), make(chan struct{}, 1)
	return nil
}

// byClock declares that the times in events of solver and files are from another machine's clock.
func (s *stream) byClock(skew func() time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = skew
}

// fromPlugin adds an event of the solver.
func (s *stream) fromPlugin(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	s.reported.note(e)
	s.release(false)
	if e.Act != nil {
		s.acted(e.Act)
	}
	s.put(e)
}

// acted records the effect of a command. The caller holds the lock.
func (s *stream) acted(a *event.Receipt) {
	if record.Holding(steer.Verb(a.Verb)) && a.State == event.Applied {
		s.pause(a.Held)
	}
	if a.State.Final() {
		delete(s.saving, a.ID)
	}
	if a.Changes() && !s.hostCommands[a.ID] && a.Rule == "" { // rules are part of the request
		s.acts = append(s.acts, *a)
	}
}

// pause records that a pause on command begins or ends. The caller holds the lock.
func (s *stream) pause(on bool) {
	now := s.clock.Now()
	s.last = now
	if on == s.paused {
		return
	}
	if s.paused = on; on {
		s.since = now
	} else {
		s.rested += now.Sub(s.since)
	}
	select {
	case s.turned <- struct{}{}:
	default:
	}
}

// beat records whether this process was suspended or its clock was set. The events of files wait no longer.
func (s *stream) beat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notice()
	s.release(true)
}

// notice records whether this process was suspended or its clock was set, before anything is judged by the time. The
// caller holds the lock.
func (s *stream) notice() {
	suspended, set := s.pulse.gap()
	if suspended > 0 && !s.over { // else nobody looks every second: the process stops, and its files are fetched
		if s.last = s.clock.Now(); !s.paused { // a pause is counted as a whole
			s.rested += suspended
		}
		s.skip(suspended, "Peregrine was suspended for %v, which no limit counts")
	}
	if set != 0 {
		s.skip(set, "the clock was set by %v, which no limit counts")
	}
}

// skip records a time that has not passed for the run. The caller holds the lock.
func (s *stream) skip(gap time.Duration, text string) {
	s.putHost(event.Event{Kind: event.Message, Name: event.Gap, Wall: gap.Seconds(),
		Text: fmt.Sprintf(text, gap.Round(time.Second))})
}

// rest returns the sum of all pauses and suspensions until now.
func (s *stream) rest() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paused {
		return s.rested + clock.Since(s.clock, s.since)
	}
	return s.rested
}

// owns records that a command belongs to this host.
func (s *stream) owns(c steer.Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hostCommands == nil {
		s.hostCommands, s.saving = map[string]bool{}, map[string]bool{}
	}
	s.hostCommands[c.ID] = true
	if c.Verb == steer.Checkpoint {
		s.saving[c.ID] = true
	}
}

// isSaving reports whether the run has not yet answered to this host's command to save a checkpoint.
func (s *stream) isSaving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.saving) > 0
}

// steered returns the acts by commands from outside this host; the answer may depend on them.
func (s *stream) steered() []event.Receipt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.acts)
}

// heard reports whether the solver has reported anything.
func (s *stream) heard() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// fromFile adds an event that the watchdog read from the run's files, without the values already reported by the
// plugin.
func (s *stream) fromFile(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hear()
	if e.Seq <= s.read[e.File] {
		return
	}
	held := s.reported.awaits(&e)
	s.reported.held = append(s.reported.held, heldEvent{e, s.last})
	s.release(!held || len(s.reported.held) > mostHeld)
}

// release adds the held events of files up to the latest iteration of the plugin, or all of them, without the values
// that it has reported. The monitor learns of an event without further values as well: those of the plugin wait there
// until the file has come as far. The caller holds the lock.
func (s *stream) release(all bool) {
	p := &s.reported
	for len(p.held) > 0 && (all || p.held[0].Values["iteration"] <= p.latest) {
		e, missing := p.missing(p.held[0].Event)
		if !missing {
			e.Kind, e.Seq = event.Reached, 0
		}
		s.write(e, p.held[0].heard)
		p.held = p.held[1:]
	}
}

// fromHost adds an event of this process.
func (s *stream) fromHost(kind event.Kind, text string, values map[string]float64) {
	s.add(event.Event{Kind: kind, Text: text, Values: values})
}

// add adds an event of this process and returns its reference.
func (s *stream) add(e event.Event) *event.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.putHost(e)
}

// putHost sets number, time and source of an event of this process, and puts it. The caller holds the lock. It returns
// the event's reference. The default cause of an event is the start of the attempt.
func (s *stream) putHost(e event.Event) *event.Ref {
	s.notice()
	s.seq++
	e.Seq, e.Source = s.seq, event.Host
	if e.Time.IsZero() {
		e.Time = s.clock.Now().UTC()
	}
	e.Run = s.run
	if e.Cause == nil {
		e.Cause = s.started
	}
	s.put(e)
	return e.Ref()
}

// begin records the start of the attempt, and the event that led to it (may be nil).
func (s *stream) begin(folder string, may *Permit, cause *event.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = s.putHost(event.Event{Kind: event.Started, Folder: folder, Waited: may.Waited.Seconds(),
		Cores: may.Cores, Seeks: s.seeks, Cause: cause})
}

// recordRequest records the solver's name and the numbers of its request.
func (s *stream) recordRequest(req plugin.Request, d plugin.Description) {
	var settings []string
	for _, q := range d.Settings {
		if x, ok := req.Numbers[q.Name]; ok {
			settings = append(settings, fmt.Sprintf("%s %g", q.Name, x))
		}
	}
	s.add(event.Event{Kind: event.Asked, Name: d.Name + " " + d.Version, Values: maps.Clone(req.Numbers),
		Text: strings.Join(settings, ", ")})
}

// command records a command to the solver, and its reason. It returns the recorded event.
func (s *stream) command(verb steer.Verb, why *Halt) *event.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.putHost(event.Event{Kind: event.Command, Name: string(verb), Text: why.Message, Cause: why.Cause})
}

// ordered records a command that a run has taken. With acts, the solver reports the effect itself.
func (s *stream) ordered(o Instruction, acts bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beyond = s.beyond || o.Beyond
	if o.Verb == "" {
		return
	}
	e := event.Event{Kind: event.Command, Name: string(o.Verb), Text: o.Reason, Cause: o.Cause}
	for _, c := range o.Changes {
		if c.Value.Type == steer.Float {
			e.Values = run.With(e.Values, c.Object, c.Value.Number)
		}
	}
	s.putHost(e)
	if !acts && (o.Verb == steer.Pause || o.Verb == steer.Resume) {
		s.pause(o.Verb == steer.Pause)
	}
}

// put hears an event, writes it to the run folder, then delivers it. The caller holds the lock, so that observers get
// the events of a run in the order of the file.
func (s *stream) put(e event.Event) {
	if e.Source != event.Host && !s.ended {
		s.hear()
	}
	s.write(e, s.last)
}

// write is put for an event that was heard at a time.
func (s *stream) write(e event.Event, heard time.Time) {
	if s.ended {
		return // a late event of the watchdog
	}
	if s.skew != nil && e.Source != event.Host {
		ahead := s.skew()
		e.Time, e.Skew = e.Time.Add(-ahead), ahead.Seconds()
	}
	e.Study, e.Run, e.Attempt, e.Component, e.Host = s.study, s.run, s.attempt, s.component, s.machine
	if e.Source != event.Host {
		if e.Time.After(heard) { // its process has set its clock, and this one not yet
			e.Time = heard.UTC()
		}
		if s.first.IsZero() {
			s.first = heard
		}
		if heard.After(s.latest) {
			s.latest = heard
		}
	}
	switch {
	case e.Kind == event.Reached:
	case !s.keeps(&e):
		s.dropped++
	default:
		if err := s.log.Write(e); err != nil && s.err == nil {
			s.err = err
		}
	}
	_, h, orders := s.deliver(e)
	if h != nil {
		s.stop(h)
	}
	for _, o := range orders {
		s.order(o)
	}
}

// keeps reports whether an event is written: a solver that reports without end must not fill the disk, and a later
// reader of the events has limited memory. The monitor judges all events. The caller holds the lock.
func (s *stream) keeps(e *event.Event) bool {
	if e.Source == event.Host || e.Act != nil || s.log.Size() < s.most {
		return true
	}
	if s.dropped == 0 {
		s.putHost(event.Event{Kind: event.Warning, Text: fmt.Sprintf("its events have %.3g MB, the most that are kept "+
			"(limits.events): further ones of solver and files are judged, but not written", float64(s.most)/1e6)})
	}
	return false
}

// order passes an order on to the run. The caller holds the lock.
func (s *stream) order(o Instruction) {
	select {
	case s.orders <- o:
		s.refused = 0
	default: // the run has not taken the earlier orders
		if s.refused++; s.refused == 1 {
			s.putHost(event.Event{Kind: event.Warning, Cause: o.Cause, Text: fmt.Sprintf(
				"%s: %s is dropped, and so are further orders: %d wait for the run, which does not take them",
				o.Reason, o.Verb, mostOrders)})
		}
	}
}

// stop requests the run's end. Only the first reason counts.
func (s *stream) stop(h *Halt) {
	select {
	case s.halt <- h:
	default: // it is being stopped already
	}
}

// halted returns a reason to stop that came after the end of the run, or nil.
func (s *stream) halted() *Halt {
	select {
	case h := <-s.halt:
		return h
	default:
		return nil
	}
}

// isPaused reports whether the run is paused on command.
func (s *stream) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// resumed records that another process has ended a pause.
func (s *stream) resumed(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause(false)
	s.putHost(e)
}

// dependsBeyond records that the answer depends on more than the request.
func (s *stream) dependsBeyond() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beyond = true
}

// commandedBeyond reports whether the run took a command because of other runs.
func (s *stream) commandedBeyond() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beyond
}

// fault is the first failure to persist an event.
func (s *stream) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// silence returns the time since the latest event of solver or files; 0 during a pause on command.
func (s *stream) silence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silent()
}

// silent is silence for who holds the lock.
func (s *stream) silent() time.Duration {
	if s.paused {
		return 0
	}
	return clock.Since(s.clock, s.last)
}

// Silences are the longest times of runs without an event of solver or files.
type Silences struct {
	First time.Duration // before the first event: with the start of the process
	Later time.Duration // before a later event, or the answer
}

// Longest returns the longer silences of two.
func (s Silences) Longest(t Silences) Silences {
	return Silences{max(s.First, t.First), max(s.Later, t.Later)}
}

// hear notes an event of solver or files, or the answer. The caller holds the lock.
func (s *stream) hear() {
	s.notice()
	now := s.clock.Now()
	if d := now.Sub(s.last); s.spoken {
		s.silences.Later = max(s.silences.Later, d)
	} else {
		s.silences.First = d
	}
	s.last, s.spoken = now, true
}

// waits notes that the answer of the solver is waited for from now on, or no more: it has answered, or is to stop.
func (s *stream) waits(now, answered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over = !now; answered {
		s.hear()
	}
}

// present returns the silence until now: before the first event, or before a later one. It reports false if the run is
// over.
func (s *stream) present() (now Silences, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spoken {
		return Silences{Later: s.silent()}, !s.over
	}
	return Silences{First: s.silent()}, !s.over
}

// longest returns the longest silences so far.
func (s *stream) longest() Silences {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silences
}

// close ends the stream; later events are dropped. With durable it syncs the events to the disk. It returns the first
// failure to persist an event.
func (s *stream) close(durable bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	var err error
	if durable {
		err = s.log.Sync()
	}
	if err = errors.Join(err, s.log.Close()); err != nil && s.err == nil {
		s.err = err
	}
	return s.err
}

// goOn makes the stream continue the events in a run folder. It returns the number of the solver's last event there.
// The events are recalled to the monitor, which has not seen them.
func (s *stream) goOn(folder string, recall func(event.Event)) (seen int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = map[string]int64{}
	_ = event.Each(filepath.Join(folder, plugin.EventsFile), func(e event.Event) { // damaged lines are left out
		switch e.Source {
		case event.Host:
			s.seq = e.Seq
			if e.Kind == event.Started {
				s.started = e.Ref()
			}
		case event.Plugin:
			s.begun, seen = true, e.Seq
			s.reported.note(e)
		case event.File:
			s.read[e.File] = e.Seq
		}
		recall(e)
	})
	return seen
}

// span records a span, unless it is short. The caller holds the lock.
func (s *stream) span(e event.Event) {
	if e.Wall >= LeastSpan.Seconds() {
		e.Study, e.Run, e.Attempt, e.Component, e.Host = s.study, s.run, s.attempt, s.component, s.machine
		if e.Kind, e.Source = event.Span, event.Executive; e.Time.IsZero() {
			e.Time = s.clock.Now().UTC()
		}
		s.deliver(e)
	}
}
