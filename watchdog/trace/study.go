package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Executive is the name of the process that plans the runs of a study.
const Executive = "executive"

// Messages of a study, by type: the executive sends a request to a run, and gets its answer.
const (
	request = 1
	answer  = 2
)

// OfStudy is the records of a study's events, by time. Spans are regions: of an attempt, and of a job before its
// first attempt. The executive has the others as markers. The thread of a run is the worker that it was in.
func OfStudy(events []event.Event) (records []Record) {
	bytes := map[string]int64{}  // of the calls, by run
	started := map[string]bool{} // runs
	for i := range events {
		e := &events[i]
		r := OfEvent(e)
		switch {
		case e.Source == event.Executive && e.Run != "" && e.Attempt == 0 && (e.Kind != event.Span || started[e.Run]):
			r.Process, r.Kind = Executive, Marker // of a job: its first run is not under way
			if r.Values == nil {
				r.Values = map[string]any{}
			}
			r.Values["job"] = e.Run
			records = append(records, r)
		case e.Kind == event.Span:
			begin := r
			begin.Kind, begin.Name, begin.Values, begin.Bytes = Enter, e.Name, nil, 0
			begin.Time, begin.Measured = begin.Time-e.Wall, begin.Measured-e.Wall
			r.Kind, r.Name, r.Values = Leave, e.Name, nil
			if records = append(records, begin, r); e.Bytes > 0 {
				bytes[e.Run] = e.Bytes
			}
		case e.Kind == event.Started && e.Source == event.Host:
			started[e.Run] = true
			records = append(append(records, message(r, Executive, e.Run, request, 0)...), r)
		case e.Kind == event.Ended && e.Source == event.Host:
			records = append(append(records, message(r, e.Run, Executive, answer, bytes[e.Run])...), r)
		default:
			records = append(records, r)
		}
	}
	inWorkers(records, events)
	records = append(records, whileWorkers(events)...)
	Sort(records)
	return records
}

// slot is the name of the span for which a job is in a worker.
const slot = "slot"

// message is a message at the time of a record.
func message(at Record, from, to string, typ, bytes int64) []Record {
	send := Record{Time: at.Time, Measured: at.Measured, Host: at.Host, Process: from, Kind: Send, From: from, To: to,
		Type: typ, Bytes: bytes}
	sent, received := send, send
	sent.Kind, sent.Name = Leave, Sending
	received.Kind, received.Process = Receive, to
	return []Record{send, sent, received}
}

// whileWorkers is the times in which the executive is idle: jobs are in workers.
func whileWorkers(events []event.Event) (records []Record) {
	open := 0
	for i := range events {
		e := &events[i]
		if e.Source != event.Host || e.Kind != event.Started && e.Kind != event.Ended {
			continue
		}
		at := float64(e.Time.UnixNano()) / 1e9
		r := Record{Time: at, Measured: at, Host: e.Host, Process: Executive, Kind: Enter, Name: Idle}
		before := open
		if open++; e.Kind == event.Ended {
			r.Kind, open = Leave, max(0, before-1)
		}
		if (before == 0) != (open == 0) {
			records = append(records, r)
		}
	}
	return records
}

// inWorkers numbers the workers and names them as threads of the runs: a job takes the first that is free.
func inWorkers(records []Record, events []event.Event) {
	type stay struct {
		begin, end float64
		worker     string
	}
	stays := map[string][]stay{} // by job
	var slots []*event.Event
	for i := range events {
		if events[i].Kind == event.Span && events[i].Name == slot {
			slots = append(slots, &events[i])
		}
	}
	seconds := func(e *event.Event) float64 { return float64(e.Time.UnixNano()) / 1e9 }
	begin := func(e *event.Event) float64 { return seconds(e) - e.Wall }
	slices.SortStableFunc(slots, func(a, b *event.Event) int { return cmp.Compare(begin(a), begin(b)) })
	var busy []float64 // until when, by worker
	for _, e := range slots {
		const slack = 1e-4 // between the end of a job and its record, s
		i := slices.IndexFunc(busy, func(until float64) bool { return until <= begin(e)+slack })
		if i < 0 {
			i, busy = len(busy), append(busy, 0)
		}
		busy[i] = seconds(e)
		stays[e.Run] = append(stays[e.Run], stay{begin(e), seconds(e), fmt.Sprintf("worker %d", i+1)})
	}
	for i := range records {
		r := &records[i]
		job, _, _ := strings.Cut(r.Process, "~")
		for _, s := range stays[job] {
			if r.Thread == "" && s.begin-1e-3 <= r.Time && r.Time <= s.end+1e-3 {
				r.Thread = s.worker
			}
		}
	}
}

// OfEvent is a study's event as a record. The attempts of runs are processes, which are in the region "run" from their
// start to their end; the study is a region of the executive. Seconds are since 1970.
func OfEvent(e *event.Event) Record {
	at := float64(e.Time.UnixNano()) / 1e9
	r := Record{
		Time: at, Measured: at + e.Skew, Host: e.Host, Process: e.Run, Seq: uint64(max(e.Seq, 0)), Kind: Marker,
		Name: string(e.Kind), Values: map[string]any{},
	}
	if r.Process == "" {
		r.Process = Executive
	}
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
		r.Kind, r.Name = Enter, "run"
		if e.Waited > 0 {
			r.Values["waited"] = e.Waited
		}
	case event.Ended:
		r.Kind, r.Name = Leave, "run"
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
		note("waits_for", e.WaitsFor)
	}
	if len(r.Values) == 0 {
		r.Values = nil
	}
	return r
}
