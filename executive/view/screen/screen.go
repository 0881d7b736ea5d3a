// Package screen shows a dashboard on a terminal. It passes keys to the dashboard, draws its frames, at most ten a
// second, and restores the terminal at the end. Bubble Tea draws the changes between two frames. It gets no input, so
// that it sends no queries to the terminal.
package screen

import (
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/terminal"
)

// Times between two frames: while something changes, and while time alone passes.
const (
	often  = 100 * time.Millisecond
	seldom = time.Second
)

// Options are where a screen is shown, and how.
type Options struct {
	In, Out *os.File // of the terminal
	Term    string   // its type, as TERM names it
	Colour  bool
	Clock   clock.Clock
}

// Screen is a dashboard on a terminal. Its methods may be called from several goroutines.
type Screen struct {
	board    *dashboard.Board
	options  Options
	keyboard *terminal.Keyboard

	mu      sync.Mutex // guards the model and the fields below
	model   *dashboard.Model
	touched bool // a key was pressed
	closed  bool
	program *tea.Program  // nil: it is not shown now
	ended   chan struct{} // the program
	gone    chan struct{} // closed when the user has closed it
	once    sync.Once
}

// Open shows a dashboard. The error is terminal.ErrNone without a terminal that can deliver keys.
func Open(b *dashboard.Board, m *dashboard.Model, o Options) (*Screen, error) {
	s := &Screen{board: b, model: m, options: o, gone: make(chan struct{})}
	keyboard, err := terminal.Open(o.In, o.Clock, s.press)
	if err != nil {
		return nil, err
	}
	s.keyboard = keyboard
	s.Show()
	return s, nil
}

// Gone is closed when the user has closed the screen, or the screen has failed.
func (s *Screen) Gone() <-chan struct{} { return s.gone }

// Touched reports whether a key has been pressed.
func (s *Screen) Touched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.touched
}

// Say shows a text in place of the help line, until a key is pressed.
func (s *Screen) Say(text string) {
	s.mu.Lock()
	s.model.Say(text)
	p := s.program
	s.mu.Unlock()
	if p != nil {
		p.Send(refresh{})
	}
}

// Close restores the terminal. It may be called more than once.
func (s *Screen) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.hide()
	s.keyboard.Close()
	s.once.Do(func() { close(s.gone) })
}

// Hide leaves the terminal as it was, until Show: the process is about to be stopped.
func (s *Screen) Hide() {
	s.hide()
	s.keyboard.Restore()
}

// Show shows the screen after Hide. It reports false while the process is in the background.
func (s *Screen) Show() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.program != nil || !s.keyboard.Take() {
		return s.closed || s.program != nil
	}
	profile := colorprofile.Ascii
	if s.options.Colour {
		profile = colorprofile.ANSI
	}
	s.ended = make(chan struct{})
	s.program = tea.NewProgram(&shown{screen: s},
		tea.WithInput(nil), tea.WithOutput(s.options.Out), tea.WithEnvironment([]string{"TERM=" + s.options.Term}),
		tea.WithColorProfile(profile), tea.WithFPS(int(time.Second/often)), tea.WithoutSignalHandler())
	go s.run(s.program, s.ended)
	return true
}

// run runs a program to its end, and has it draw.
func (s *Screen) run(p *tea.Program, ended chan struct{}) {
	defer close(ended)
	quit := make(chan struct{})
	var drawn sync.WaitGroup
	drawn.Go(func() { s.draw(p, quit) })
	_, err := p.Run()
	close(quit)
	drawn.Wait()
	if err != nil { // it has restored the terminal and reported the error
		s.once.Do(func() { close(s.gone) })
	}
}

// draw has a frame drawn when something has changed, and each second.
func (s *Screen) draw(p *tea.Program, quit <-chan struct{}) {
	tick := s.options.Clock.NewTicker(often)
	defer tick.Stop()
	changes, last := -1, s.options.Clock.Now()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
		}
		now := s.options.Clock.Now()
		if n := s.board.Changes(); n != changes || now.Sub(last) >= seldom {
			if now.Sub(last) >= seldom {
				s.board.Tick(now)
			}
			changes, last = n, now
			p.Send(refresh{})
		}
	}
}

// hide ends the program that is shown.
func (s *Screen) hide() {
	s.mu.Lock()
	p, ended := s.program, s.ended
	s.program = nil
	s.mu.Unlock()
	if p != nil {
		p.Quit()
		<-ended
	}
}

// press takes a key.
func (s *Screen) press(key string) {
	s.mu.Lock()
	quit, p := s.model.Key(key), s.program
	s.touched = true
	s.mu.Unlock()
	if quit {
		s.once.Do(func() { close(s.gone) })
		return
	}
	if p != nil {
		p.Send(refresh{})
	}
}

// refresh has a frame drawn.
type refresh struct{}

// shown is the dashboard as Bubble Tea's model.
type shown struct{ screen *Screen }

func (*shown) Init() tea.Cmd { return nil }

func (m *shown) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		m.screen.mu.Lock()
		m.screen.model.Resize(size.Width, size.Height)
		m.screen.mu.Unlock()
	}
	return m, nil
}

func (m *shown) View() tea.View {
	s := m.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	v := tea.NewView(s.model.Frame(s.options.Clock.Now()).Screen(s.options.Colour))
	v.AltScreen, v.DisableBracketedPasteMode = true, true
	return v
}
