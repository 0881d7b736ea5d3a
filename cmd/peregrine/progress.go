package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// progress shows how far studies, sweeps and transients are: on a terminal one line that is written
// again and again, elsewhere plain lines: one per run as it ends, and now and then one
// of a long transient.
type progress struct {
	out      io.Writer
	terminal bool
	clock    clock.Clock

	mu    sync.Mutex
	board *run.Board
	shown time.Time
	dirty bool // the terminal's line is not empty

	leads string         // the transient that the terminal's line tells of
	told  map[string]int // by transient: lines so far, elsewhere
}

func newProgress(out *os.File, at clock.Clock) *progress {
	info, err := out.Stat()
	return &progress{out: out, clock: at, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, board: run.NewBoard(0), told: map[string]int{}}
}

// studies returns studies whose events are shown.
func (p *progress) studies(settings config.Settings, solvers *solver.Registry) *executive.Studies {
	return &executive.Studies{Settings: settings, Solvers: solvers, Observe: p.observe, Stray: p.stray, Clock: p.clock}
}

// observe takes an event of a study.
func (p *progress) observe(e event.Event) {
	p.board.Observe(e)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Kind == event.Warning:
		p.line(fmt.Sprintf("%s: warning: %s", name(e), e.Text))
	case e.Kind == event.Ended && (e.Source == event.Host || e.Source == event.Executive) && !(p.terminal && e.Class == event.Converged):
		p.line(fmt.Sprintf("%s: %s%s", name(e), e.Class, remark(e)))
	}
	if p.terminal && clock.Since(p.clock, p.shown) > 100*time.Millisecond {
		p.rewrite(p.board.Progress().String())
	}
}

// rewrite changes the terminal's line.
func (p *progress) rewrite(text string) {
	p.shown, p.dirty = p.clock.Now(), true
	fmt.Fprintf(p.out, "\r\x1b[K%s", text[:min(len(text), 160)])
}

func name(e event.Event) string {
	if e.Run == "" {
		return "study"
	}
	return e.Run
}

func remark(e event.Event) string {
	switch {
	case e.Cached:
		return " (from the cache)"
	case e.Follows:
		return ", another attempt follows"
	case e.Wall > 0:
		return fmt.Sprintf(" in %.1f s", e.Wall)
	}
	return ""
}

// line writes a line of its own, above the one that is written again.
func (p *progress) line(text string) {
	if p.dirty {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.dirty = false
	}
	fmt.Fprintln(p.out, text)
}

// stray takes what the watchdog says of itself.
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
	if p.dirty {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.dirty = false
	}
}
