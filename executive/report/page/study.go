package page

// The page of a study: what its log, its runs' folders and its kept results say.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
)

// study is what is gathered of one.
type study struct {
	folder  string
	options Options
	events  []event.Event
	kept    *report.Kept // nil: nothing was kept
	busy    bool         // a command writes its log now
	page    *Page
	runs    map[string]*subject
	order   []string
	bars    []bar
	ids     map[string]int // solvers, with how many runs

	machines map[string]int // what computed runs, with how many
}

// OfStudy makes the page of a study from its folder. The error is an *event.FormatError if a newer program wrote the
// log, or says why there is no log to be read at all. What is damaged, missing or not finished stands on the page.
func OfStudy(folder string, o Options) (*Page, error) {
	s := &study{folder: folder, options: o, runs: map[string]*subject{}, ids: map[string]int{},
		machines: map[string]int{}}
	s.page = &Page{Title: filepath.Base(absolute(folder)), Kind: "Study"}
	var err error
	s.events, err = studylog.Read(folder)
	var damaged *event.DamagedError
	switch {
	case errors.As(err, &damaged):
		s.problem("%s has %s that no event can be read from, the first at line %d: what it said is missing here",
			damaged.Path, counted(len(damaged.Lines), "line"), damaged.Lines[0])
	case err != nil:
		return nil, err
	}
	s.busy = studylog.Busy(folder)
	s.head()
	s.results()
	s.follow()
	s.draw()
	s.page.made(o)
	return s.page, nil
}

func (s *study) problem(format string, args ...any) {
	s.page.Problems = append(s.page.Problems, fmt.Sprintf(format, args...))
}

// head says what the study is and how it ended.
func (s *study) head() {
	p := s.page
	state, class := "lost", event.Lost
	var begun, ended time.Time
	for _, e := range s.events {
		switch e.Kind {
		case event.StudyBegun:
			state, class, begun, ended, p.Message = "lost", event.Lost, e.Time, time.Time{}, ""
			p.Kind = "Study"
			if e.Name != "" {
				p.Kind += " of " + e.Name
			}
			p.Origin = append(p.Origin, Fact{Name: "command", Text: clipped(e.Text, 1000)},
				Fact{Name: "begun", Text: date(e.Time)}, Fact{Name: "engine file", Text: e.File},
				Fact{Name: "Peregrine", Text: e.Version})
		case event.StudyEnded:
			state, class, ended, p.Message = string(e.Class), e.Class, e.Time, clipped(e.Text, 2000)
			p.Origin = append(p.Origin, Fact{Name: "ended", Text: date(e.Time)})
		}
	}
	if state == "" {
		state, class = "ended", event.Converged
	}
	p.State = Badge{strings.ReplaceAll(state, "_", " "), toneOfClass(class)}
	now := s.options.now()
	switch {
	case s.busy:
		p.State = Badge{"going on", underway}
		s.problem("The study goes on: this page shows what there is of it on %s. Make it again when the study has "+
			"ended.", date(now))
	case state == "lost":
		s.problem("The log does not say how the study ended: its process was killed, or the machine went down. What " +
			"was finished is shown.")
	}
	board := view.Of(s.events).Progress()
	if board.Planned+board.Done > 0 {
		p.Lead = append(p.Lead,
			Fact{
				Name: "runs done",
				Text: fmt.Sprintf("%s of %s", grouped(fmt.Sprint(board.Done)),
					grouped(fmt.Sprint(max(board.Planned, board.Done)))),
			})
	}
	if board.Cached > 0 {
		p.Lead = append(p.Lead, Fact{Name: "from the cache", Text: grouped(fmt.Sprint(board.Cached))})
	}
	if !begun.IsZero() && !ended.IsZero() {
		p.Lead = append(p.Lead, Fact{Name: "from begin to end", Text: span(ended.Sub(begun))})
	} else if !begun.IsZero() && s.busy {
		p.Lead = append(p.Lead, Fact{Name: "so far", Text: span(now.Sub(begun))})
	}
	if left, ok := board.Left(now); ok && s.busy {
		p.Lead = append(p.Lead, Fact{Name: "left, about", Text: span(left)})
	}
}

// results shows the results that the study has kept.
func (s *study) results() {
	k, err := report.ReadKept(s.folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !s.busy && len(s.events) > 0 {
			s.problem("The study has kept no results: its command did not come to them, or an older Peregrine made " +
				"it. Its runs are shown.")
		}
		return
	case err != nil:
		s.problem("%v", err)
		return
	}
	s.kept = k
	if s.busy {
		s.problem("The engine's results are those of an earlier command of this study, of %s.", date(k.Written))
	}
	p := s.page
	p.Engine = newEngine(k, s.options.Units)
	var problems []string
	p.Maps, problems = mapsOf(k)
	for _, text := range problems {
		s.problem("%s", text)
	}
	p.Histories, p.Sweeps = historiesOf(k, s.options.Units), sweepsOf(k, s.options.Units)
	if k.Results != nil {
		s.lead(k.Results.Cases)
		for _, w := range k.Results.Warnings {
			p.Warnings = append(p.Warnings, ofResult(w))
		}
	}
}

// lead adds how many cases converged.
func (s *study) lead(cases []*result.Result) {
	ok := 0
	for _, c := range cases {
		if c.Converged {
			ok++
		}
	}
	f := Fact{Name: "cases converged", Text: fmt.Sprintf("%d of %d", ok, len(cases)), Tone: good}
	if ok < len(cases) {
		f.Tone = bad
	}
	s.page.Lead = append(s.page.Lead, f)
}

// of returns the run of a name.
func (s *study) of(name string) *subject {
	r := s.runs[name]
	if r == nil {
		r = &subject{name: name}
		s.runs[name] = r
		s.order = append(s.order, name)
	}
	return r
}

// follow goes through the log.
func (s *study) follow() {
	for i := range s.events {
		e := &s.events[i]
		hosted := e.Source == event.Host || e.Source == event.Executive
		switch {
		case e.Kind == event.Started && e.Source == event.Host:
			r := s.of(e.Run)
			r.began, r.host, r.component, r.attempt, r.class, r.cached, r.going = e.Time, e.Host, e.Component,
				e.Attempt, "", false, true
			r.folder = e.Folder
		case e.Kind == event.Ended && hosted:
			r := s.of(e.Run)
			r.going, r.class, r.cached, r.follows, r.seeks = false, e.Class, e.Cached, e.Follows, e.Seeks
			r.component = max(r.component, e.Component)
			r.wall = time.Duration(e.Wall * float64(time.Second))
			if !r.began.IsZero() && !e.Cached {
				s.bars = append(s.bars, bar{name: e.Run, host: r.host, tone: r.endBadge().Tone, from: r.began,
					to: e.Time, text: fmt.Sprintf("%s: %s in %s", e.Run, e.Outcome(), span(r.wall))})
			}
		case e.Kind == event.Finding && s.kept == nil:
			s.page.Warnings = append(s.page.Warnings, s.ofFinding(e))
		case (e.Kind == event.Warning || e.Kind == event.NodeLost) && hosted:
			s.page.Warnings = append(s.page.Warnings,
				Warning{Severity: "warning", Tone: poor, About: e.Run, Message: clipped(e.Text, 1000),
					When: date(e.Time)})
		}
	}
}

// draw reads the runs' folders and draws what is known.
func (s *study) draw() {
	p := s.page
	var c crowd
	cached := 0
	for _, name := range s.order {
		r := s.runs[name]
		if r.going && !s.busy {
			r.going, r.class = false, event.Lost
		}
		if r.cached {
			cached++
		}
		s.look(r)
		if r.going {
			s.bars = append(s.bars, bar{name: name, host: r.host, tone: underway, from: r.began, to: s.options.now(),
				text: name + ": goes on"})
		}
		c.add(r)
	}
	p.Runs = c.runs()
	if p.Runs != nil {
		p.Runs.Table, p.Runs.Judged = "run", "what each run's files say, as peregrine watch --once judges them; "+
			"beside it what the host says of how it ended"
		p.usable(&c)
		p.Failures = failuresOf(&c)
	}
	s.worstFirst()
	p.Times = newTimes(s.bars, time.Time{})
	for _, id := range keys(s.ids) {
		p.Origin = append(p.Origin, Fact{Name: "solver", Text: id + ", " + counted(s.ids[id], "run")})
	}
	if len(s.order) > 0 {
		p.Origin = append(p.Origin,
			Fact{Name: "answers from the cache", Text: fmt.Sprintf("%d of %d", cached, len(s.order))})
	}
	hosts := map[string]bool{}
	for _, r := range s.runs {
		if r.host != "" {
			hosts[r.host] = true
		}
	}
	if len(hosts) > 0 {
		p.Origin = append(p.Origin, Fact{Name: "hosts", Text: strings.Join(keys(hosts), ", ")})
	}
	s.used()
	p.Origin = append(p.Origin, Fact{Name: "folder", Text: absolute(s.folder)})
	if p.Engine == nil && p.Runs == nil && len(p.Problems) == 0 {
		s.problem("There is nothing in the log yet but that the study began.")
	}
}

// used says which machines computed runs, and what the study used of them.
func (s *study) used() {
	p := s.page
	for _, machine := range keys(s.machines) {
		if machine != "" { // a run of an earlier version
			p.Origin = append(p.Origin,
				Fact{Name: "computed on", Text: machine + ", " + counted(s.machines[machine], "run")})
		}
	}
	for _, n := range view.Of(s.events).Progress().Nodes {
		text := fmt.Sprintf("%s: %s, %.3g core hours, waited for %s", n.Name, counted(n.Ended, "attempt"), n.Hours,
			span(time.Duration(n.Waited*float64(time.Second))))
		if n.Lost > 0 {
			text += fmt.Sprintf(", lost %d times", n.Lost)
		}
		p.Origin = append(p.Origin, Fact{Name: "node", Text: text})
	}
	for _, e := range s.events {
		if e.Kind == event.Accounted {
			p.Origin = append(p.Origin, Fact{Name: "used", Text: clipped(e.Name+": "+e.Text, 1000)})
		}
	}
}

// worstFirst puts errors before warnings, and bounds them.
func (s *study) worstFirst() {
	p := s.page
	slices.SortStableFunc(p.Warnings, func(a, b Warning) int {
		rank := map[string]int{"error": 0, "warning": 1}
		ra, ok := rank[a.Severity]
		if !ok {
			ra = 2
		}
		rb, ok := rank[b.Severity]
		if !ok {
			rb = 2
		}
		return ra - rb
	})
	const most = 400
	if n := len(p.Warnings); n > most {
		p.Warnings = p.Warnings[:most]
		s.problem("%d of %d warnings are shown.", most, n)
	}
}

// ofFinding is a finding of the log, with the line that it came from.
func (s *study) ofFinding(e *event.Event) Warning {
	out := Warning{Severity: e.Severity, Tone: toneOfSeverity(e.Severity), Rule: e.Name, When: date(e.Time),
		Message: clipped(e.Text, 1000)}
	for _, text := range []string{e.Case, e.Component, e.Run} {
		out.About = joined(out.About, text)
	}
	if c := e.Cause; c != nil && filepath.IsLocal(c.Run) && c.Run != "" {
		events, _ := event.Read(filepath.Join(s.folder, c.Run, event.LogName)) // damage is reported with the run
		for i := range events {
			if q := &events[i]; q.Seq == c.Seq && q.Stream() == c.Stream && q.Line != "" {
				out.Evidence = append(out.Evidence, clipped(q.File+": "+q.Line, 400))
			}
		}
	}
	return out
}
