package view_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/log"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func at(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }

// study is a study of four jobs: one comes from the cache, one has a second attempt and one is running.
func study() []event.Event {
	var events []event.Event
	add := func(s float64, e event.Event) {
		e.Time = at(s)
		if e.Source == "" {
			e.Source = event.Host
		}
		events = append(events, e)
	}
	add(0, event.Event{Source: event.Executive, Kind: event.StudyBegun, Name: "E3"})
	for _, name := range []string{"p1", "p2", "p3", "p4"} {
		add(0, event.Event{Source: event.Executive, Kind: event.Planned, Name: name})
	}
	add(0, event.Event{Source: event.Executive, Run: "p1", Kind: event.Ended, Class: event.Converged, Cached: true})
	add(1, event.Event{Run: "p2", Kind: event.Started})
	add(1, event.Event{Run: "p3", Kind: event.Started})
	add(21, event.Event{Run: "p2", Kind: event.Ended, Class: event.Crashed, Follows: true, Attempt: 1, Wall: 20})
	add(21, event.Event{Run: "p2~2", Kind: event.Started})
	add(30, event.Event{
		Source: event.Plugin, Run: "p3", Kind: event.Iteration,
		Values: map[string]float64{"iteration": 240, "residual": 3.2e-4},
	})
	return events
}

func ExampleProgress_Line() {
	events := study()
	board := view.NewBoard()
	for _, e := range events {
		board.Observe(e)
	}
	fmt.Println(board.Progress().Line(at(31)))
	board.Observe(event.Event{Source: event.Host, Run: "p2~2", Kind: event.Ended, Class: event.Stalled, Wall: 40,
		Time: at(61)})
	fmt.Println(board.Progress().Line(at(61)))
	board.Observe(event.Event{Source: event.Executive, Kind: event.StudyEnded, Class: event.Killed, Time: at(62)})
	fmt.Println(board.Progress().Line(at(1000)))
	// Output:
	// runs 1/4 done, 1 from the cache, about 15 s left | p2~2: starts | p3: iteration 240, residual 3.2e-04
	// runs 2/4 done, 1 from the cache, 1 failed, about 30 s left | p3: iteration 240, residual 3.2e-04
	// runs 2/4 done, 1 from the cache, 1 failed
}

// A run that is made to find the end of a speed line and finds no steady flow is an answer: it has one name, and is no
// failure. A further attempt is none yet, and a crash none at all.
func TestEndOfLineIsAnAnswer(t *testing.T) {
	board := view.NewBoard()
	for i, c := range []struct {
		seeks   string
		class   event.Class
		follows bool
		want    string
		failed  int
	}{
		{"stall", event.Stalled, false, "p: end of line (stall) in 2.0 s", 0},
		{"choke", event.NotConverged, false, "p: end of line (choke) in 2.0 s", 0},
		{"stall", event.Diverged, true, "p: diverged, another attempt follows", 0},
		{"stall", event.Crashed, false, "p: crashed in 2.0 s", 1},
		{"", event.Stalled, false, "p: stalled in 2.0 s", 2},
	} {
		e := event.Event{Source: event.Host, Run: "p", Kind: event.Ended, Class: c.class, Seeks: c.seeks, Wall: 2,
			Follows: c.follows, Time: at(float64(i))}
		board.Observe(e)
		if note, logged := view.RunNote(e, false), view.LogLine(e); note != c.want || logged != c.want {
			t.Errorf("a terminal shows %q, a log %q, want %q", note, logged, c.want)
		}
		if got := board.Progress().Failed; got != c.failed {
			t.Errorf("%s: %d failed, want %d", c.want, got, c.failed)
		}
	}
}

func TestCases(t *testing.T) {
	slam := event.Event{Source: event.Executive, Kind: event.Progress, Name: "slam", Time: at(1), Wall: 1,
		Values: map[string]float64{
			"t": 2.5, "duration": 25, "step": 0.125, "steps": 30,
			"shafts.hp.N": 8000, "shafts.lp.N": 3500, "burner.out.Tt": 1300, "hpc.SMN": 21.26, "booster.SMN": 30,
		}}
	sweep := event.Event{Source: event.Executive, Kind: event.Progress, Name: "throttle", Time: at(2), Wall: 10,
		Values: map[string]float64{"points": 10, "planned": 40}}
	board := view.NewBoard()
	for _, c := range []struct {
		event event.Event
		want  string
	}{
		{
			slam,
			"slam: t 2.500 of 25 s (2.5 x real time, about 9 s left), step 0.12 s, N hp 8000, lp 3500 rpm, burner " +
				"1300 K, SMN booster 30.0, hpc 21.3 %",
		},
		{sweep, "throttle: 10 of 40 points, about 30 s left"},
		{event.Event{Source: event.Executive, Kind: event.StudyEnded}, ""},
	} {
		board.Observe(c.event)
		if got := board.Progress().Line(at(3)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The line is the same for a terminal, which gets the events live, and from the disk alone: from the study's log, and
// the log of the running run.
func TestFromDisk(t *testing.T) {
	folder := t.TempDir()
	live := view.NewBoard()
	l := log.New(clock.NewManual(start), func(e event.Event) { live.Observe(e) })
	must.OK(t, l.Open(folder))
	defer func() { _ = l.Close() }()
	runs := map[string]*event.Log{}
	for _, e := range study() {
		if e.Run != "" && e.Source != event.Executive { // a host writes a run's events there first
			if runs[e.Run] == nil {
				path := filepath.Join(folder, e.Run, event.LogName)
				runs[e.Run] = appendTo(t, path)
			}
			must.OK(t, runs[e.Run].Write(e))
		}
		l.Record(e)
	}
	events := must.Value(log.ReadAll(folder))(t)
	const want = "runs 1/4 done, 1 from the cache, about 15 s left | p2~2: starts | p3: iteration 240, residual 3.2e-04"
	if got := live.Progress().Line(at(31)); got != want {
		t.Errorf("a terminal shows %s\nwant %s", got, want)
	}
	if got := view.Of(events).Progress.Line(at(31)); got != want {
		t.Errorf("the disk shows %s\nwant %s", got, want)
	}
}

func appendTo(t *testing.T, path string) *event.Log {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	l := must.Value(event.Append(path))(t)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// A study keeps the runs of all its commands, its progress is that of the last.
func TestCommands(t *testing.T) {
	host := func(s float64, e event.Event) event.Event {
		e.Source, e.Time = event.Host, at(s)
		return e
	}
	s := view.Of([]event.Event{
		{Kind: event.StudyBegun, Name: "E3", Text: "run", Time: at(0)},
		host(1, event.Event{Run: "p1", Kind: event.Started, Host: "n1"}),
		host(5, event.Event{Run: "p1", Kind: event.Ended, Class: event.Crashed, Text: "signal 9", Wall: 4}),
		host(5, event.Event{Run: "p2", Kind: event.Started, Host: "n1"}),
		{Kind: event.StudyBegun, Name: "E3", Text: "run again", Time: at(10)},
		{Source: event.Executive, Kind: event.Planned, Run: "p1"},
		{Source: event.Executive, Kind: event.Planned, Run: "p3"},
		{Source: event.Executive, Run: "p2", Kind: event.Ended, Class: event.Converged, Cached: true, Time: at(11)},
		{Source: event.Executive, Kind: event.StudyEnded, Class: event.Killed, Time: at(12)},
	})
	text := fmt.Sprintf("%d of %d;", s.Progress.Done, s.Progress.Planned)
	for _, c := range s.Commands {
		text += fmt.Sprintf(" %s: %s;", c.Text, c.State())
	}
	for _, r := range s.Runs {
		text += fmt.Sprintf(" %s %s %s on %s %v %d;", r.Name, r.Phase, r.Class, r.Host, r.Began.IsZero(), len(r.Spans))
	}
	must.Equal(t, "1 of 2; run: lost; run again: killed; p1 planned crashed on n1 false 1; "+
		"p2 over converged on n1 true 0;", text)
}

// A forecast gives the time left: first by its median, then by the quantile of 90 %, then the runs' own times count.
func TestLeftByForecast(t *testing.T) {
	b := view.NewBoard()
	at := time.Unix(1000, 0)
	b.Observe(event.Event{Kind: event.StudyBegun, Time: at})
	b.Observe(event.Event{Kind: event.Forecast, Source: event.Executive, Time: at,
		Values: map[string]float64{"p10": 50, "p50": 100, "p90": 300}})
	for after, want := range map[time.Duration]time.Duration{0: 100 * time.Second, 40 * time.Second: 60 * time.Second,
		101 * time.Second: 199 * time.Second, 301 * time.Second: 0} {
		left, ok := b.Progress().Left(at.Add(after))
		must.Equal(t, want, left)
		must.Equal(t, want > 0, ok)
	}
	b.Observe(event.Event{Kind: event.StudyEnded, Time: at})
	if left, ok := b.Progress().Left(at); ok {
		t.Errorf("%v left of a study that has ended", left)
	}
}

// A finding has the line that caused it, whether its run's events come before the finding or after it; a run has what
// commands did to it.
func TestCauseAndCommands(t *testing.T) {
	started := event.Event{Source: event.Host, Kind: event.Started, Run: "p1", Seq: 1}
	line := event.Event{Source: event.File, Kind: event.Iteration, Run: "p1", Seq: 7, File: "log", Line: "Courant 9",
		Values: map[string]float64{"residual": 0.5}}
	found := event.Event{Source: event.Executive, Kind: event.Finding, Run: "p1", Name: "courant",
		Cause: &event.Ref{Stream: line.Stream(), Seq: 7}}
	held := event.Event{Source: event.Plugin, Kind: event.Command, Run: "p1",
		Act: &event.Receipt{Verb: "pause", State: event.Applied, Held: true}}
	next := line
	next.Seq, next.Line = 8, "Courant 1"
	ended := event.Event{Source: event.Host, Kind: event.Ended, Run: "p1", Class: event.Diverged}
	for _, events := range [][]event.Event{{started, line, found, held}, {found, started, held, line},
		{started, line, next, held, found}, {started, line, next, held, ended, found}} {
		s := view.Of(events)
		must.Equal(t, "log: Courant 9", s.Findings[0].File+": "+s.Findings[0].Line)
		r := s.Runs[0]
		if !r.Held || r.Steered || r.Warnings != 1 || r.Values["residual"] != 0.5 {
			t.Errorf("%+v", r)
		}
	}
	if file, _ := view.NewBoard().Cause(&found); file != "" {
		t.Error(file)
	}
}

// A state of a study stays as it was when events come.
func TestStateStays(t *testing.T) {
	b := view.NewBoard()
	e := event.Event{Source: event.Host, Kind: event.Started, Run: "p1"}
	b.Observe(e)
	e.Source, e.Kind, e.Values = event.Plugin, event.Iteration, map[string]float64{"residual": 1}
	b.Observe(e)
	study, progress := b.Study(), b.Progress()
	e.Values = map[string]float64{"residual": 2}
	b.Observe(e)
	if study.Runs[0].Values["residual"] != 1 || progress.Running[0].Values["residual"] != 1 {
		t.Errorf("%v, %v", study.Runs[0].Values, progress.Running[0].Values)
	}
}

// Of very many findings the last ones are kept, and the errors.
func TestFindingsAreBounded(t *testing.T) {
	b := view.NewBoard()
	for i := range 50_000 {
		e := event.Event{Source: event.Executive, Kind: event.Finding, Severity: "warning", Text: fmt.Sprint(i),
			Cause: &event.Ref{Stream: event.Stream{Source: event.File, Run: fmt.Sprint(i)}, Seq: 1}}
		if i%10_000 == 0 {
			e.Severity = "error"
		}
		b.Observe(e)
	}
	list, unseen := b.Study().Findings, b.Unseen()
	errors := 0
	for _, e := range list {
		if e.Severity == "error" {
			errors++
		}
	}
	if n := len(list); n > 20_001 || n < 9_000 || len(unseen) > n || errors != 5 || list[n-1].Text != "49999" {
		t.Errorf("%d findings with %d errors, the last %s, %d causes", n, errors, list[n-1].Text, len(unseen))
	}
}
