package trace_test

import (
	"math"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// A study of two jobs on one worker: spans are regions, runs have workers and get messages, and the executive is idle
// while a run is under way.
func TestStudyIsATrace(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	host := func(s float64, kind event.Kind, run string) event.Event {
		return event.Event{Time: at(s), Kind: kind, Run: run, Attempt: 1, Source: event.Host}
	}
	span := func(s float64, name, run string, attempt int, wall float64) event.Event {
		return event.Event{Time: at(s), Kind: event.Span, Name: name, Run: run, Attempt: attempt, Wall: wall,
			Source: event.Executive}
	}
	planned := event.Event{Time: at(1), Kind: event.Planned, Run: "b", Name: "b", Source: event.Executive}
	call := span(5.9, "call", "a", 1, 2.9)
	call.Bytes = 700
	queued := span(7, "queued", "b", 0, 6) // it is in no worker
	queued.WaitsFor = "worker"
	records := trace.OfStudy([]event.Event{
		{Time: at(0), Kind: event.StudyBegun, Source: event.Executive}, planned,
		span(2, "queued", "a", 0, 0.5), host(2, event.Started, "a"), span(3, "start", "a", 1, 1), call,
		host(6, event.Ended, "a"), span(6.2, "keep", "a", 0, 0.1), span(6.2, "slot", "a", 0, 4.7),
		queued, host(7, event.Started, "b"), host(9, event.Ended, "b"), span(9, "slot", "b", 0, 2),
		{Time: at(10), Kind: event.StudyEnded, Source: event.Executive},
	})
	s := trace.Analyse(records, nil)
	a, b, executive := s.Processes["a"], s.Processes["b"], s.Processes[trace.Executive]
	if a == nil || b == nil || executive == nil || len(s.Processes) != 3 || s.State != trace.Terminated {
		t.Fatalf("processes %v, state %s", s.Processes, s.State)
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{{"a busy", a.Busy, 4}, {"a queued", a.Idle, 0.5}, {"b busy", b.Busy, 2}, {"b queued", b.Idle, 0},
		{"executive idle", executive.Idle, 6}, {"executive busy", executive.Busy, 4}} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s %v s, want %v", c.name, c.got, c.want)
		}
	}
	if len(s.Messages) != 4 || s.Messages[2].Bytes != 700 || s.Messages[1].To != "a" ||
		s.Messages[0].Sent != 1001 || s.Messages[0].Received != 1007 { // b waits for its worker
		t.Errorf("messages %+v", s.Messages)
	}
	for _, r := range records {
		if r.Process == "b" && r.Thread != "worker 1" {
			t.Errorf("record %+v is in no worker", r)
		}
	}
	regions := map[string]bool{}
	for _, in := range s.Intervals["a"] {
		regions[in.Region] = true
	}
	if !regions["start"] || !regions["call"] || !regions["queued"] || regions["keep"] || regions["slot"] {
		t.Errorf("regions %v", regions)
	}
}

// A study that was killed and resumed is at rest between its commands: the executive and the runs of the first end with
// its last event.
func TestResumedStudyIsATrace(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(1000+s), 0) }
	s := trace.Analyse(trace.OfStudy([]event.Event{
		{Time: at(0), Kind: event.StudyBegun, Source: event.Executive},
		{Time: at(1), Kind: event.Started, Source: event.Host, Run: "a"},
		{Time: at(2), Kind: event.Started, Source: event.Host, Run: "b"},
		{Time: at(4), Kind: event.Message, Source: event.Executive}, // then it is killed
		{Time: at(100), Kind: event.StudyBegun, Source: event.Executive},
		{Time: at(101), Kind: event.Started, Source: event.Host, Run: "b"},
		{Time: at(103), Kind: event.Ended, Source: event.Host, Run: "b"},
		{Time: at(104), Kind: event.StudyEnded, Source: event.Executive},
	}), nil)
	got := map[string]float64{}
	for name, list := range s.Intervals {
		for _, in := range list {
			if in.Region != "" {
				got[name+" "+in.Region] += in.End - in.Begin
			}
		}
	}
	must.Equal(t, map[string]float64{"executive study": 3, "executive idle": 101, "a run": 3, "b run": 4}, got)
	must.Equal(t, trace.Terminated, s.State)
}

// An attempt beside another at the same job is in a worker of its own, one after another is in the job's.
func TestAttemptBesideAnotherHasAWorker(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	host := func(s float64, kind event.Kind, run string) event.Event {
		return event.Event{Time: at(s), Kind: kind, Run: run, Source: event.Host}
	}
	slot := func(s, wall float64, job string) event.Event {
		return event.Event{Time: at(s), Kind: event.Span, Name: "slot", Run: job, Wall: wall, Source: event.Executive}
	}
	records := trace.OfStudy([]event.Event{
		host(1, event.Started, "a"), host(1.5, event.Started, "b"), host(2, event.Ended, "b"), slot(2, 0.5, "b"),
		host(3, event.Started, "a~2"), host(4, event.Started, "c"), host(5, event.Ended, "a"),
		host(6, event.Ended, "a~2"), host(6, event.Started, "a~3"), host(7, event.Ended, "a~3"), slot(7, 6, "a"),
		host(8, event.Ended, "c"), slot(8, 4, "c"), host(9, event.Started, "d"),
		{Time: at(10), Kind: event.StudyBegun, Source: event.Executive}, // it was killed
		host(11, event.Started, "d"), host(12, event.Ended, "d"), slot(12, 1, "d"),
	})
	in := map[string]string{}
	for _, r := range records {
		if r.Process != trace.Executive && in[r.Process] != r.Thread {
			in[r.Process] += r.Thread
		}
	}
	must.Equal(t, map[string]string{"a": "worker 1", "b": "worker 2", "a~2": "worker 2", "c": "worker 3",
		"a~3": "worker 1", "d": "worker 1"}, in)
}

// A job's event with nothing but its kind is a marker of the executive, too.
func TestBareEventOfAJob(t *testing.T) {
	records := trace.OfStudy([]event.Event{{Time: time.Unix(1, 0), Kind: event.Planned, Run: "a",
		Source: event.Executive}})
	if len(records) != 1 || records[0].Process != trace.Executive || records[0].Values["job"] != "a" {
		t.Errorf("%+v", records)
	}
}
