package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Executive is the name of the process that plans the runs of a study.
const Executive = "executive"

// Messages of a study, by type: the executive sends a request to a run, which is under way while the job waits for a
// worker, and gets its answer.
const (
	request = 1
	answer  = 2
)

// OfStudy is the records of a study's events, by time. Spans are regions: of an attempt, and of a job before its
// first attempt. The executive has the others as markers. The thread of a run is the worker that it was in.
func OfStudy(events []event.Event) (records []Record) {
	s := NewStudy()
	for i := range events {
		records = append(records, s.Take(&events[i])...)
	}
	inWorkers(records, events)
	Sort(records)
	return records
}

// Study makes records of a study's events, one after the other.
type Study struct {
	Live    bool               // spans are markers at their ends: their begins are past
	bytes   map[string]int64   // of the calls, by run
	started map[string]bool    // runs
	ready   map[string]float64 // when jobs began to wait for a worker, s
	open    map[string]Record  // starts of the attempts under way: meanwhile the executive is idle
	begun   bool               // a command, which has not ended
	last    float64            // time of its last event, s
}

// NewStudy returns the state before a study's first event.
func NewStudy() *Study {
	return &Study{bytes: map[string]int64{}, started: map[string]bool{}, ready: map[string]float64{},
		open: map[string]Record{}}
}

// Take returns the records of the next event.
func (s *Study) Take(e *event.Event) (records []Record) {
	r := OfEvent(e)
	if e.Kind == event.StudyBegun {
		if s.last > 0 { // no command was under way
			before := r
			before.Time, before.Measured = s.last, s.last+r.Measured-r.Time
			records = append(s.broken(before), idle(before, Enter), idle(r, Leave))
		}
		s.begun, s.last = true, r.Time
		return append(records, r)
	}
	s.last = max(s.last, r.Time)
	if e.Kind == event.Span && e.Bytes > 0 {
		s.bytes[e.Run] = e.Bytes
	}
	switch {
	case e.Source == event.Executive && e.Run != "" && e.Attempt == 0 &&
		(e.Kind != event.Span || s.Live || s.started[e.Run] || e.WaitsFor == worker):
		r.Process, r.Kind = Executive, Marker // of a job: it is in no worker, or its first run is not under way
		if r.Values == nil {
			r.Values = map[string]any{}
		}
		r.Values["job"] = e.Run
		if e.WaitsFor == worker && !s.Live {
			s.ready[e.Run] = r.Time - e.Wall
		}
		return []Record{r}
	case e.Kind == event.Span && s.Live:
		return []Record{r}
	case e.Kind == event.Span:
		begin := r
		begin.Kind, begin.Name, begin.Values, begin.Bytes = Enter, e.Name, nil, 0
		if e.WaitsFor != "" {
			begin.Values = map[string]any{WaitsFor: e.WaitsFor}
		}
		begin.Time, begin.Measured = begin.Time-e.Wall, begin.Measured-e.Wall
		r.Kind, r.Name, r.Values = Leave, e.Name, nil
		return []Record{begin, r}
	case e.Kind == event.Started && e.Source == event.Host:
		s.started[e.Run] = true
		if s.open[e.Run] = r; len(s.open) == 1 {
			records = append(records, idle(r, Enter))
		}
		sent := r.Time
		if ready, waited := s.ready[e.Run]; waited {
			sent = min(sent, ready)
		}
		return append(append(records, message(r, Executive, e.Run, request, 0, sent)...), r)
	case e.Kind == event.Ended && e.Source == event.Host:
		records = append(message(r, e.Run, Executive, answer, s.bytes[e.Run], r.Time), r)
		if _, open := s.open[e.Run]; open && len(s.open) == 1 {
			records = append(records, idle(r, Leave))
		}
		delete(s.open, e.Run)
		return records
	case e.Kind == event.StudyEnded:
		s.begun = false
	}
	return []Record{r}
}

// broken ends what was under way when a command was killed, at its last event.
func (s *Study) broken(at Record) (records []Record) {
	at.Kind, at.Values = Leave, nil
	for _, run := range slices.Sorted(maps.Keys(s.open)) {
		r := s.open[run]
		r.Time, r.Measured, r.Kind, r.Values = at.Time, at.Time+r.Measured-r.Time, Leave, nil
		records = append(records, r)
	}
	if len(s.open) > 0 {
		records = append(records, idle(at, Leave))
	}
	if clear(s.open); s.begun {
		records = append(records, at)
	}
	return records
}

// idle is the begin or the end of the time in which jobs are in workers, and the executive is idle.
func idle(at Record, kind Kind) Record {
	return Record{Time: at.Time, Measured: at.Time, Host: at.Host, Process: Executive, Kind: kind, Name: Idle}
}

// slot is the name of the span for which a job is in a worker, and worker its value WaitsFor until then.
const slot, worker = "slot", "worker"

// message is a message that is received at the time of a record.
func message(at Record, from, to string, typ, bytes int64, sent float64) []Record {
	send := Record{Time: sent, Measured: sent + at.Measured - at.Time, Host: at.Host, Process: from, Kind: Send,
		From: from, To: to, Type: typ, Bytes: bytes}
	end, received := send, send
	end.Kind, end.Name = Leave, Sending
	received.Kind, received.Process, received.Time, received.Measured = Receive, to, at.Time, at.Measured
	return []Record{send, end, received}
}

// inWorkers numbers the workers and names them as threads of the runs: a job takes the first that is free, and an
// attempt beside another at the same job takes one of its own.
func inWorkers(records []Record, events []event.Event) {
	type stay struct {
		of         string // a job, or an attempt beside another
		begin, end float64
		worker     string
	}
	var list []*stay
	open := map[string]map[string]*stay{} // attempts under way, by job
	for i := range events {
		e := &events[i]
		at := float64(e.Time.UnixNano()) / 1e9
		job := jobOf(e.Run)
		switch {
		case e.Kind == event.StudyBegun:
			clear(open)
		case e.Kind == event.Span && e.Name == slot:
			list = append(list, &stay{of: e.Run, begin: at - e.Wall, end: at})
		case e.Kind == event.Started && e.Source == event.Host:
			x := &stay{of: e.Run, begin: at, end: at}
			if len(open[job]) > 0 {
				list = append(list, x)
			} else {
				open[job] = map[string]*stay{}
			}
			open[job][e.Run] = x
		case e.Kind == event.Ended && e.Source == event.Host && open[job][e.Run] != nil:
			open[job][e.Run].end = at
			delete(open[job], e.Run)
		}
	}
	slices.SortStableFunc(list, func(a, b *stay) int { return cmp.Compare(a.begin, b.begin) })
	var busy []float64 // until when, by worker
	stays := map[string][]*stay{}
	for _, x := range list {
		const slack = 1e-4 // between the end of a job and its record, s
		i := slices.IndexFunc(busy, func(until float64) bool { return until <= x.begin+slack })
		if i < 0 {
			i, busy = len(busy), append(busy, 0)
		}
		busy[i], x.worker = x.end, fmt.Sprintf("worker %d", i+1)
		stays[x.of] = append(stays[x.of], x)
	}
	for i := range records {
		r := &records[i]
		for _, of := range []string{r.Process, jobOf(r.Process)} {
			for _, s := range stays[of] {
				if r.Thread == "" && s.begin-1e-3 <= r.Time && r.Time <= s.end+1e-3 {
					r.Thread = s.worker
				}
			}
		}
	}
}

// jobOf is the job of an attempt by its name: further attempts have numbers.
func jobOf(run string) string {
	job, _, _ := strings.Cut(run, "~")
	return job
}

// OfEvent is a study's event as a record. The attempts of runs are processes, which are in the region "run" from their
// start to their end; the study is a region of the executive. Seconds are since 1970.
func OfEvent(e *event.Event) Record {
	at := float64(e.Time.UnixNano()) / 1e9
	r := Record{
		Time: at, Measured: at + e.Skew, Host: e.Host, Process: e.Run, Seq: uint64(max(e.Seq, 0)), Kind: Marker,
		Name: string(e.Kind), Values: map[string]any{},
	}
	r.Process = cmp.Or(r.Process, Executive)
	for name, x := range e.Values {
		r.Values[name] = x
	}
	note := func(name, text string) {
		if text != "" {
			r.Values[name] = text
		}
	}
	note("class", string(e.Class))
	note("name", e.Name)
	note("component", e.Component)
	note("text", e.Text)
	switch e.Kind {
	case event.StudyBegun:
		r.Kind, r.Name = Enter, "study"
	case event.StudyEnded:
		r.Kind, r.Name = Leave, "study"
	case event.Started:
		r.Kind, r.Name = Enter, InRun
		if e.Waited > 0 {
			r.Values["waited"] = e.Waited
		}
	case event.Ended:
		r.Kind, r.Name = Leave, InRun
		r.Values["wall"] = e.Wall
	case event.Iteration:
		r.Kind = Count
	case event.Sensed:
		r.Kind, r.Name = Count, e.Name
		if e.Sensor != nil {
			r.Thread = e.Sensor.Thread
		}
	}
	if e.Kind == event.Span {
		r.Values["wall"] = e.Wall
		note(WaitsFor, e.WaitsFor)
	}
	if len(r.Values) == 0 {
		r.Values = nil
	}
	return r
}
