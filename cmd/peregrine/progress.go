package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

const (
	sinceLine = 100 * time.Millisecond // between two states of a terminal's line
	sinceText = 10 * time.Second       // between two lines of a transient elsewhere
	wide      = 160                    // most characters of a terminal's line
)

// restart clears a terminal's line and goes to its beginning.
const restart = "\r\x1b[K"

// progress shows events as they come. On a terminal it rewrites one line. Elsewhere it prints a
// line for each run that ends, and from time to time one for a long transient. Package view
// makes the text.
type progress struct {
	out      io.Writer
	terminal bool
	clock    clock.Clock
	board    *view.Board

	mu    sync.Mutex
	shown time.Time
	dirty bool // the terminal's line is not empty

	lines map[string]int // by transient: lines so far, elsewhere
}

func newProgress(out io.Writer, at clock.Clock) *progress {
	c, ok := out.(*console)
	return &progress{out: out, clock: at, terminal: ok && c.isTerminal(), board: view.NewBoard(), lines: map[string]int{}}
}

// command writes what commands the terminal.
func (p *progress) command(text string) {
	if c, ok := p.out.(*console); ok {
		c.Command(text)
		return
	}
	fmt.Fprint(p.out, text)
}

// studies returns studies whose events are shown.
func (p *progress) studies(settings config.Settings, solvers *solver.Registry) *executive.Studies {
	return &executive.Studies{
		Settings: settings, Solvers: solvers, Stray: p.stray, Clock: p.clock, Log: studylog.New(p.clock, p.observe),
		Logger: slog.New(slog.NewTextHandler(p.out, &slog.HandlerOptions{Level: settings.LogLevel})),
	}
}

// end records how a command ended and closes its study.
func (p *progress) end(s *executive.Studies, err error) error {
	p.done()
	class, text := event.Converged, ""
	if err != nil {
		class, text = event.Crashed, err.Error()
		var coded *exitError
		if errors.As(err, &coded) {
			class = cmp.Or(map[int]event.Class{exitNotConverged: event.NotConverged, exitInterrupted: event.Killed}[coded.code], class)
		}
	}
	return s.End(class, text)
}

// observe shows an event.
func (p *progress) observe(e event.Event) {
	p.board.Observe(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	if text := view.RunNote(e, p.terminal); text != "" {
		p.line(text)
	}
	switch {
	case p.terminal && clock.Since(p.clock, p.shown) >= sinceLine:
		if text := p.board.Progress().Line(p.clock.Now()); text != "" {
			p.rewrite(text)
		}
	case !p.terminal && e.Kind == event.Progress:
		p.printPeriodically(e)
	}
}

// printPeriodically prints a line for a long transient. It prints none for sweeps: without a terminal
// nobody waits for them.
func (p *progress) printPeriodically(e event.Event) {
	wall := time.Duration(e.Wall * float64(time.Second))
	if _, sweep := e.Values["planned"]; sweep {
		return
	}
	if n := int(wall / sinceText); n > p.lines[e.Name] {
		p.lines[e.Name] = n
		p.line(view.Case{Name: e.Name, Values: e.Values, Wall: wall, At: e.Time}.Line())
	}
}

// rewrite replaces the terminal's line.
func (p *progress) rewrite(text string) {
	p.shown, p.dirty = p.clock.Now(), true
	p.command(restart)
	fmt.Fprint(p.out, strings.ToValidUTF8(text[:min(len(text), wide)], ""))
}

// line prints a permanent line above the one that is rewritten.
func (p *progress) line(text string) {
	p.clear()
	fmt.Fprintln(p.out, text)
}

func (p *progress) clear() {
	if p.dirty {
		p.command(restart)
		p.dirty = false
	}
}

// stray shows the watchdog's events that belong to no run.
func (p *progress) stray(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Kind == event.Warning {
		p.line("watchdog: " + e.Text)
	}
}

// done clears the terminal's line.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
