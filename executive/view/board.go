// Package view reduces the events of a study to its state, and writes events and state as text. It uses only the
// events, so the same code shows a running study, a log on the disk and a study of last year. Lines, lists, the
// dashboard and pages all read this reduction.
package view

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Board follows the events of a study. Its methods may be called from several goroutines.
type Board struct {
	mu        sync.Mutex
	p         Progress // of the present command
	commands  []Command
	runs      map[string]*Run
	order     []*Run // as they came
	cases     map[string]Case
	hosts     machines
	findings  []event.Event
	causes    map[event.Ref]line // lines that caused findings; empty: not seen yet
	lines     map[string][]line  // the last mostLines of each run, of the ended runs the last mostLines
	closed    []string           // ended runs with lines, as they ended
	used      []event.Event
	spent     time.Duration // wall time of the runs that ended
	runsEnded int           // their number
}

// Study is the state of a study: all of its commands.
type Study struct {
	Progress Progress  `json:"progress"` // of its last command
	Commands []Command `json:"commands"`
	Runs     []Run     `json:"runs"` // as they came
	// of rules, with the file and the line that caused each, and warnings of hosts and of the executive
	Findings []event.Event `json:"findings"`
	Used     []event.Event `json:"used"` // of launchers' nodes
}

// Command is a command of a study: the first command, or a command that continued the study.
type Command struct {
	Engine  string      `json:"engine"`
	File    string      `json:"file"`
	Text    string      `json:"command"`
	Version string      `json:"version"` // of Peregrine
	Begun   time.Time   `json:"begun,omitzero"`
	Ended   time.Time   `json:"ended,omitzero"` // zero: its end is not in the log
	Class   event.Class `json:"class,omitempty"`
	Message string      `json:"message,omitempty"`
}

// State is how the command ended; lost: its end is not in the log.
func (c Command) State() string {
	if c.Ended.IsZero() {
		return string(event.Lost)
	}
	return string(c.Class)
}

// Last is the last command of the study, empty if the log has none.
func (s *Study) Last() Command { return last(s.Commands) }

func last(commands []Command) (c Command) {
	if n := len(commands); n > 0 {
		c = commands[n-1]
	}
	return c
}

// Case is a transient or a sweep that has not ended.
type Case struct {
	Name   string             `json:"name"`
	Values map[string]float64 `json:"values"`  // of its last progress event
	Wall   time.Duration      `json:"wall_ns"` // elapsed so far
	At     time.Time          `json:"at"`      // of its last progress event
}

// CaseOf returns the case of its progress event.
func CaseOf(e *event.Event) Case { return Case{e.Name, e.Values, seconds(e.Wall), e.Time} }

// Progress is the state of a study's last command.
type Progress struct {
	Planned int           `json:"planned"` // jobs
	Done    int           `json:"done"`    // jobs
	Cached  int           `json:"cached"`  // included in Done
	Failed  int           `json:"failed"`  // included in Done
	Running []Run         `json:"running"` // by name
	Cases   []Case        `json:"cases"`   // by name
	Nodes   []Node        `json:"nodes"`   // that runs went to, by name; none: this machine alone
	Blocks  []Block       `json:"blocks"`  // of nodes, that have not ended, by ID
	Mean    time.Duration `json:"mean_ns"` // wall time of a run; 0: none has ended yet
	Ended   bool          `json:"ended"`   // the study has ended
	// forecast of the end; nine in ten end before Latest; zero: there is none
	Expected time.Time `json:"expected,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
}

// NewBoard returns a board that has seen no event.
func NewBoard() *Board {
	b := &Board{runs: map[string]*Run{}, causes: map[event.Ref]line{}, lines: map[string][]line{}}
	b.reset()
	return b
}

// Of returns the state of a study from all its events.
func Of(events []event.Event) Study {
	b := NewBoard()
	for _, e := range events {
		b.Observe(e)
	}
	return b.Study()
}

// reset begins a command. Its study keeps the runs of earlier ones.
func (b *Board) reset() {
	b.p, b.cases, b.spent, b.runsEnded = Progress{}, map[string]Case{}, 0, 0
	b.hosts = machines{nodes: map[string]*Node{}, blocks: map[string]*Block{}}
}

// Observe updates the board with an event and returns the run of the event, nil if it has none. The run changes with
// the next event.
func (b *Board) Observe(e event.Event) *Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Kind == event.StudyBegun { // also when another command continues the study
		b.reset()
	}
	b.hosts.observe(e)
	hosted := e.Source == event.Host || e.Source == event.Executive
	switch e.Kind {
	case event.StudyBegun:
		b.commands = append(b.commands,
			Command{Engine: e.Name, File: e.File, Text: e.Text, Version: e.Version, Begun: e.Time})
	case event.StudyEnded:
		b.p.Ended, b.cases = true, map[string]Case{}
		if len(b.commands) == 0 { // its begin is damaged
			b.commands = []Command{{}}
		}
		c := &b.commands[len(b.commands)-1]
		c.Ended, c.Class, c.Message = e.Time, e.Class, e.Text
	case event.Planned:
		b.p.Planned++
	case event.Progress:
		b.cases[e.Name] = CaseOf(&e)
	case event.Forecast:
		b.p.Expected, b.p.Latest = e.Time.Add(seconds(e.Values["p50"])), e.Time.Add(seconds(e.Values["p90"]))
	case event.Engine:
		delete(b.cases, e.Name)
	case event.Finding:
		b.find(e)
		b.cause(e.Cause)
	case event.Warning, event.NodeLost:
		if hosted {
			b.find(e)
		}
	case event.Accounted:
		b.used = append(b.used, e)
	}
	if e.Run == "" {
		if e.Kind == event.Ended && hosted {
			b.count(&e)
		}
		return nil
	}
	r := b.run(e.Run)
	wasRunning := r.hosted && r.Phase == Running
	r.observe(&e)
	if e.Line != "" {
		of := append(b.lines[e.Run], b.line(&e))
		if len(of) > mostLines+16 {
			of = slices.Clone(of[16:])
		}
		b.lines[e.Run] = of
	}
	switch {
	case e.Kind == event.Started && e.Source == event.Host:
		b.hosts.started(r)
	case e.Kind == event.Ended && hosted:
		b.close(e.Run)
		if wasRunning && e.Source == event.Host {
			b.hosts.ended(r)
		}
		b.count(&e)
	}
	return r
}

// mostFindings is how many findings a study keeps at the most. Of more, the first ones are dropped, errors last.
const mostFindings = 20_000

// find takes a finding.
func (b *Board) find(e event.Event) {
	if b.findings = append(b.findings, e); len(b.findings) <= mostFindings {
		return
	}
	drop := len(b.findings) / 2
	b.findings = slices.DeleteFunc(b.findings, func(o event.Event) bool {
		ok := drop > 0 && o.Severity != "error"
		if ok {
			drop--
		}
		return ok
	})
	b.findings = slices.Clone(b.findings[drop:])
	causes := map[event.Ref]line{}
	for i := range b.findings {
		if ref := b.findings[i].Cause; ref != nil && b.findings[i].Kind == event.Finding {
			causes[*ref] = b.causes[*ref]
		}
	}
	b.causes = causes
}

// line is a line of a run's file.
type line struct {
	ref        event.Ref
	file, text string
}

// cause notes the event that caused a finding. Its run's events may come later than the finding.
func (b *Board) cause(ref *event.Ref) {
	if ref == nil {
		return
	}
	var found line
	for _, l := range b.lines[ref.Run] {
		if l.ref == *ref {
			found = l
		}
	}
	if found.text != "" || b.causes[*ref].text == "" {
		b.causes[*ref] = found
	}
}

// mostLines is how many of its lines a run keeps at the least: a finding comes soon after its cause.
const mostLines = 64

// line takes the line of an event.
func (b *Board) line(e *event.Event) line {
	l := line{event.Ref{Stream: e.Stream(), Seq: e.Seq}, e.File, e.Line}
	if _, wanted := b.causes[l.ref]; wanted {
		b.causes[l.ref] = l
	}
	return l
}

// close forgets the lines of the run that ended long ago.
func (b *Board) close(run string) {
	if b.lines[run] == nil || slices.Contains(b.closed, run) {
		return
	}
	if b.closed = append(b.closed, run); len(b.closed) > mostLines {
		delete(b.lines, b.closed[0])
		b.closed = slices.Delete(b.closed, 0, 1)
	}
}

// Unseen returns the runs whose lines caused findings and were not seen, by name.
func (b *Board) Unseen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := map[string]bool{}
	for ref, l := range b.causes {
		if l.text == "" && ref.Source == event.File { // others have no line
			of[ref.Run] = true
		}
	}
	return slices.Sorted(maps.Keys(of))
}

// Line takes the line of an event that was observed long ago, which may have caused a finding.
func (b *Board) Line(e *event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e.Line != "" {
		b.line(e)
	}
}

// Cause returns the file and the line that caused a finding, as far as its run's events have come.
func (b *Board) Cause(e *event.Event) (file, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.causeOf(e)
}

func (b *Board) causeOf(e *event.Event) (file, text string) {
	if e.Cause == nil {
		return "", ""
	}
	l := b.causes[*e.Cause]
	return l.file, l.text
}

// run returns the run with a name. When a command continues a study, all runs begin again as planned.
func (b *Board) run(name string) *Run {
	r := b.runs[name]
	switch {
	case r == nil:
		r = &Run{Name: name, Phase: Planned, command: len(b.commands)}
		b.runs[name], b.order = r, append(b.order, r)
	case r.command != len(b.commands):
		r.command, r.Phase = len(b.commands), Planned
	}
	return r
}

// count counts a run that has ended.
func (b *Board) count(e *event.Event) {
	if !e.Cached {
		b.spent += seconds(e.Wall)
		b.runsEnded++
	}
	if e.Follows {
		return
	}
	b.p.Done++
	if e.Cached {
		b.p.Cached++
	}
	if !e.Answers() {
		b.p.Failed++
	}
}

// Progress returns the present state of the last command.
func (b *Board) Progress() Progress {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.progress()
}

func (b *Board) progress() Progress {
	p := b.p
	for _, r := range b.order {
		if r.hosted && r.Phase == Running && r.command == len(b.commands) && !p.Ended {
			p.Running = append(p.Running, r.copy())
		}
	}
	slices.SortFunc(p.Running, func(a, b Run) int { return strings.Compare(a.Name, b.Name) })
	for _, name := range slices.Sorted(maps.Keys(b.cases)) {
		p.Cases = append(p.Cases, b.cases[name])
	}
	p.Nodes, p.Blocks = b.hosts.list()
	if b.runsEnded > 0 {
		p.Mean = b.spent / time.Duration(b.runsEnded)
	}
	return p
}

// Study returns the present state of the study. Runs that are only planned are not among its runs.
func (b *Board) Study() Study {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Study{Progress: b.progress(), Commands: slices.Clone(b.commands), Findings: slices.Clone(b.findings),
		Used: slices.Clone(b.used)}
	for i := range s.Findings {
		if file, text := b.causeOf(&s.Findings[i]); text != "" {
			s.Findings[i].File, s.Findings[i].Line = file, text
		}
	}
	for _, r := range b.order {
		if r.hosted {
			s.Runs = append(s.Runs, r.copy())
		}
	}
	return s
}

// Last is the last command of the study; zero if there is none.
func (b *Board) Last() Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	return last(b.commands)
}
