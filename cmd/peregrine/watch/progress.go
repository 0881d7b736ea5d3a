package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/config/settings"
	"github.com/peregrine-sim/peregrine/executive"
	"github.com/peregrine-sim/peregrine/executive/view"
	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/solver"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

const (
	sinceLine = 100 * time.Millisecond // between two states of a terminal's line
	sinceText = 10 * time.Second       // between two lines of a transient elsewhere
	wide      = 160                    // most characters of a terminal's line
)

// restart clears a terminal's line and moves to its beginning.
const restart = "\r\x1b[K"

// Progress shows events as they come. On a terminal it rewrites one line, and once a solver runs it shows the dashboard
// of all runs. Elsewhere it prints a line for each run that ends, and periodically a line for a long transient. Package
// view makes the text.
type Progress struct {
	out      io.Writer
	terminal bool
	clock    clock.Clock
	board    *view.Board
	runs     *dashboard.Board // nil: no dashboard is shown
	screen   *stage           // screen of the dashboard; nil: not yet open
	cmd      *cobra.Command

	mu    sync.Mutex
	shown time.Time
	dirty bool // the terminal's line is not empty
	ended bool // no line is rewritten any more

	lines map[string]int // by transient: lines so far, elsewhere
}

// NewProgress returns the progress display of a command. If plain is true, no full screen is shown.
func NewProgress(cmd *cobra.Command, plain bool) *Progress {
	out := cmd.ErrOrStderr()
	c, ok := out.(*cli.Console)
	p := &Progress{out: out, clock: cli.Clock(cmd), terminal: ok && c.IsTerminal(), board: view.NewBoard(),
		lines: map[string]int{}, cmd: cmd}
	if p.terminal && !plain && fullScreen() {
		p.runs = dashboard.New(cmd.Name())
		p.board = p.runs.Study()
	}
	return p
}

// command writes control sequences to the terminal.
func (p *Progress) command(text string) {
	if c, ok := p.out.(*cli.Console); ok {
		c.Command(text)
		return
	}
	fmt.Fprint(p.out, text)
}

// Studies returns studies whose events are shown.
func (p *Progress) Studies(settings settings.Settings, solvers *solver.Registry) *executive.Studies {
	return &executive.Studies{
		Settings: settings, Solvers: solvers, Stray: p.stray, Clock: p.clock, Log: studylog.New(p.clock, p.observe),
		Logger: slog.New(slog.NewTextHandler(p.out, &slog.HandlerOptions{Level: settings.LogLevel})),
	}
}

// End records how a command ended and closes its study.
func (p *Progress) End(s *executive.Studies, err error) error {
	p.done()
	p.summary()
	class, text := event.Converged, ""
	if err != nil {
		class, text = event.Crashed, err.Error()
		code, _ := cli.CodeOf(err)
		if errors.Is(err, context.Canceled) { // a part that was stopped on command
			code = cli.Interrupted
		}
		class = cmp.Or(map[int]event.Class{cli.NotConverged: event.NotConverged, cli.Interrupted: event.Killed}[code],
			class)
	}
	return s.End(class, text)
}

// observe shows an event.
func (p *Progress) observe(e event.Event) {
	if p.runs != nil {
		p.runs.Observe(e)
	} else {
		p.board.Observe(e)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// answers from the cache need no screen
	if p.runs != nil && p.screen == nil && e.Kind == event.Started && e.Source == event.Host {
		p.clear()
		p.screen = p.open(e.Study)
	}
	if text := view.RunNote(e, p.terminal); text != "" {
		p.line(text)
	}
	switch {
	case p.ended, p.screen.shown():
	case p.terminal && clock.Since(p.clock, p.shown) >= sinceLine:
		if text := p.board.Progress().Line(p.clock.Now()); text != "" {
			p.rewrite(text)
		}
	case !p.terminal && e.Kind == event.Progress:
		p.printPeriodically(e)
	}
}

// open shows the dashboard. If the terminal delivers no keys, the line is still rewritten.
func (p *Progress) open(study string) *stage {
	m := dashboard.NewModel(p.runs, asciiOnly())
	m.Quit, m.Stop = "close", "interrupts the study, twice: at once; finished results are kept"
	closed := "the dashboard is closed and the study continues: Ctrl-C interrupts it"
	var helm script.Helm
	if study != "" {
		helm = studyHelm(p.cmd, "", study)
		closed += ", `peregrine watch " + study + "` shows it again"
	}
	s, err := newStage(p.cmd, p.runs, m, p.out.(*cli.Console), helm, closed)
	if err != nil {
		p.runs = nil
		return nil
	}
	return s
}

// summary prints at the end the final state of the dashboard.
func (p *Progress) summary() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.screen != nil {
		if text := p.board.Progress().Line(p.clock.Now()); text != "" {
			p.line(text)
		}
	}
}

// printPeriodically prints a line for a long transient. It prints none for sweeps.
func (p *Progress) printPeriodically(e event.Event) {
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
func (p *Progress) rewrite(text string) {
	p.shown, p.dirty = p.clock.Now(), true
	p.command(restart)
	fmt.Fprint(p.out, strings.ToValidUTF8(text[:min(len(text), wide)], ""))
}

// line prints a permanent line above the rewritten line.
func (p *Progress) line(text string) {
	p.clear()
	fmt.Fprintln(p.out, text)
}

func (p *Progress) clear() {
	if p.dirty {
		p.command(restart)
		p.dirty = false
	}
}

// stray shows the watchdog's events that belong to no run.
func (p *Progress) stray(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Kind == event.Warning {
		p.line("watchdog: " + printable.Cell(e.Text))
	}
}

// done clears the terminal's line, and closes the dashboard.
func (p *Progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.screen.close()
	p.clear()
}
