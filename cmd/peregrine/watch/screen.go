package watch

// A dashboard on the terminal of a command: other output waits, signals act as without it, and the terminal is
// restored.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/executive/view/dashboard"
	"github.com/peregrine-sim/peregrine/executive/view/screen"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/terminal"
	"github.com/peregrine-sim/peregrine/zoom/steer/script"
)

// fullScreen reports whether the terminal's type has a full screen.
func fullScreen() bool {
	term := os.Getenv("TERM")
	return term != "" && term != "dumb"
}

// asciiOnly reports whether the locale has no characters beyond ASCII, by the first of its variables that is set.
func asciiOnly() bool {
	locale := strings.ToUpper(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	return !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
}

// KeeperArgs are the arguments of the process that restores the terminal if this process cannot.
var KeeperArgs = []string{"serve", "terminal"}

// stage is a dashboard on a terminal. A nil stage shows no dashboard.
type stage struct {
	screen *screen.Screen
	out    *cli.Console   // for the message after its user closes it
	held   []*cli.Console // outputs that are held back meanwhile
	clock  clock.Clock
	leave  *cli.Cleanup
	keeper *terminal.Keeper // nil: it could not be started
	keys   *keys            // nil: no steering
	quit   chan struct{}
	work   sync.WaitGroup
	once   sync.Once
}

// newStage shows a dashboard. closed is printed when the user has closed it while the command continues. The error is
// terminal.ErrNone if no keys can be read. Keys steer through helm; with a nil helm they do not.
func newStage(cmd *cobra.Command, b *dashboard.Board, m *dashboard.Model, out *cli.Console,
	helm script.Helm, closed string) (*stage, error) {
	e := cli.EnvironmentOf(cmd.Context())
	st := &stage{out: out, clock: e.Clock, leave: &e.Cleanup, quit: make(chan struct{})}
	for _, w := range []io.Writer{cmd.OutOrStdout(), cmd.ErrOrStderr()} {
		if c, ok := w.(*cli.Console); ok && c.IsTerminal() {
			st.held = append(st.held, c)
		}
	}
	st.hold()
	st.keeper, _ = terminal.NewKeeper(os.Stdin, func(stdin *os.File) (func() error, error) {
		return process.Companion(stdin, out.File, KeeperArgs...)
	})
	st.keeper.Shown()
	if helm != nil {
		st.keys = newKeys(cmd.Context(), helm)
		m.Act = st.keys.act
	}
	s, err := screen.Open(b, m, screen.Options{In: os.Stdin, Out: out.File, Term: os.Getenv("TERM"),
		Colour: os.Getenv("NO_COLOR") == "", Clock: e.Clock})
	if err != nil {
		st.keys.close()
		st.keeper.Close()
		st.release()
		return nil, err
	}
	st.screen = s
	if st.keys != nil {
		st.keys.say = s.Say
		close(st.keys.shown)
	}
	st.leave.Set(st.end)
	stops := make(chan os.Signal, 1)
	if process.StopSignal != nil {
		signal.Notify(stops, process.StopSignal)
	}
	st.work.Go(func() {
		defer signal.Stop(stops)
		st.mind(cmd.Context(), stops, closed)
	})
	return st, nil
}

// mind looks after the screen until it is closed.
func (s *stage) mind(ctx context.Context, stops <-chan os.Signal, closed string) {
	interrupted := ctx.Done()
	for {
		select {
		case <-s.quit:
			return
		case <-s.screen.Gone():
			s.end()
			if closed != "" {
				fmt.Fprintln(s.out, closed)
			}
			return
		case <-interrupted:
			interrupted = nil
			s.screen.Say("interrupted: the runs are being stopped; Ctrl-C again ends the program at once")
		case <-stops:
			s.stop()
		}
	}
}

// stop restores the terminal and suspends this process, as its signal does without a screen. It shows the screen again
// when the process continues in the foreground.
func (s *stage) stop() {
	s.screen.Hide()
	s.keeper.Hidden()
	s.release()
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, process.ContinueSignal)
	defer signal.Stop(continued)
	process.Stop()
	<-continued // until then this goroutine may run on
	defer s.keeper.Shown()
	for !s.screen.Show() {
		timer := s.clock.NewTimer(time.Second)
		select {
		case <-timer.C:
			continue
		case <-s.quit:
		case <-s.screen.Gone():
		}
		timer.Stop()
		return
	}
	s.hold()
}

// hold holds output back until release.
func (s *stage) hold() {
	for _, c := range s.held {
		c.Hold()
	}
}

func (s *stage) release() {
	for _, c := range s.held {
		c.Release()
	}
}

// end restores the terminal and prints the held output.
func (s *stage) end() {
	s.once.Do(func() {
		s.screen.Close()
		s.keeper.Close()
		s.release()
		s.leave.Set(nil)
	})
}

// close ends the screen.
func (s *stage) close() {
	if s == nil {
		return
	}
	s.end()
	select {
	case <-s.quit:
	default:
		close(s.quit)
	}
	s.work.Wait()
	s.keys.close()
}

// shown reports whether the screen is on the terminal.
func (s *stage) shown() bool {
	if s == nil {
		return false
	}
	select {
	case <-s.screen.Gone():
		return false
	default:
		return true
	}
}
