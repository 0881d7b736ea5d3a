package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/peregrine-sim/peregrine/cmd/peregrine/cli"
	"github.com/peregrine-sim/peregrine/cmd/peregrine/programtest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// terminalRun is the program on a terminal of its own.
type terminalRun struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	screen *emulator
	cmd    *exec.Cmd
	read   chan struct{} // closed when nothing more comes
	before *unix.Termios
}

// onTerminal starts the program on a terminal of 80 by 24.
func onTerminal(t *testing.T, folder string, env []string, args ...string) *terminalRun {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		testenv.NotHere(t, "no terminals")
	}
	t.Cleanup(func() { _ = master.Close() })
	must.OK(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number := must.Value(unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN))(t)
	slave := must.Value(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	t.Cleanup(func() { _ = slave.Close() })
	s := &terminalRun{t: t, master: master, slave: slave, screen: newEmulator(80, 24), read: make(chan struct{})}
	s.resize(80, 24)
	s.before = s.mode()
	s.cmd = exec.Command(programNamed(t, "peregrine"), args...)
	s.cmd.Dir = folder
	s.cmd.Env = append(append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8", "NO_COLOR=",
		"PEREGRINE_WORK="+filepath.Join(folder, "work"), "PEREGRINE_CACHE="+filepath.Join(folder, "cache")), env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must.OK(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	go func() {
		defer close(s.read)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			_, _ = s.screen.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *terminalRun) mode() *unix.Termios {
	s.t.Helper()
	return must.Value(unix.IoctlGetTermios(int(s.slave.Fd()), unix.TCGETS))(s.t)
}

func (s *terminalRun) resize(width, height int) {
	s.t.Helper()
	s.screen.resize(width, height)
	size := unix.Winsize{Row: uint16(height), Col: uint16(width)}
	must.OK(s.t, unix.IoctlSetWinsize(int(s.master.Fd()), unix.TIOCSWINSZ, &size))
}

func (s *terminalRun) press(keys string) {
	s.t.Helper()
	must.Value(s.master.WriteString(keys))(s.t)
}

// shows waits until the screen shows what a regular expression matches, and returns it.
func (s *terminalRun) shows(pattern string) string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	seen := ""
	if !programtest.Comes(s.t, func() bool { seen = s.screen.screen(); return re.MatchString(seen) }) {
		s.t.Fatalf("the screen never shows %s:\n%s", pattern, seen)
	}
	return seen
}

// Ctrl-C at a question is no answer to it: the program ends, and does nothing.
func TestInterruptAtAQuestion(t *testing.T) {
	folder := t.TempDir()
	kept := filepath.Join(folder, "cache", "maps", "fan-01.yaml")
	programtest.Write(t, kept, "")
	s := onTerminal(t, folder, nil, "map", "rm", "fan")
	s.shows(`remove 1 map: fan-01\? \[y/N\]`)
	s.press("\x03")
	s.ends(cli.Interrupted)
	s.shows("interrupted; finished results are kept")
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// restored checks that the terminal is as it was.
func (s *terminalRun) restored() {
	s.t.Helper()
	var other, full, hidden bool
	if !programtest.Comes(s.t, func() bool { // a keeper needs a moment
		full, hidden = s.screen.state()
		other = *s.mode() != *s.before
		return !other && !full && !hidden
	}) {
		s.t.Errorf("the terminal is left in another mode (%v), with a full screen (%v), or without a cursor (%v)",
			other, full, hidden)
	}
}

// ends waits for the end of the program and checks its exit code and the terminal.
func (s *terminalRun) ends(code int) {
	s.t.Helper()
	kill := time.AfterFunc(programtest.Patience, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	if got := programtest.ExitCode(s.cmd.Wait()); got != code {
		s.t.Errorf("it ends with %v, want %d:\n%s", s.cmd.ProcessState, code, s.screen.screen())
	}
	s.restored()
	s.screen.mu.Lock()
	defer s.screen.mu.Unlock()
	if s.screen.unknown != nil {
		s.t.Errorf("unknown codes %q", s.screen.unknown)
	}
	if s.screen.queries != nil {
		s.t.Errorf("the terminal was asked %q", s.screen.queries)
	}
}

// watchTable watches a table on a terminal that grows by an iteration every 20 ms until the test ends. Its
// residuals reach their targets after three minutes, so a test that may have to wait for others begins it afterwards.
func watchTable(t *testing.T, env []string, args ...string) *terminalRun {
	t.Helper()
	folder := t.TempDir()
	f := must.Value(os.Create(filepath.Join(folder, "history.csv")))(t)
	fmt.Fprintln(f, "iteration,residual_u,residual_p,lift")
	row := func(i int) {
		fmt.Fprintf(f, "%d,%.3e,%.3e,%g\n", i, 1/float64(1+i), 0.9/float64(1+i), 12.5)
	}
	for i := range 40 {
		row(i)
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 40; ; i++ {
			select {
			case <-quit:
				_ = f.Close()
				return
			case <-time.After(20 * time.Millisecond):
				row(i)
			}
		}
	}()
	t.Cleanup(func() { close(quit); <-done })
	return onTerminal(t, folder, env, append([]string{"watch", "."}, args...)...)
}

// Somebody watches a file that grows, presses keys, and changes the size of the terminal.
func TestWatchOnATerminal(t *testing.T) {
	t.Parallel()
	s := watchTable(t, nil)
	s.shows(`converging.*\d+ .*e-`)
	if *s.mode() == *s.before {
		t.Error("keys are not read as they are pressed")
	}
	s.press("\r")
	s.shows(`residuals, the latest 100\n`)
	s.press("\x1b")
	s.shows(`q quit`)
	s.press("/zzz\r")
	s.shows(`none of 1 runs is shown`)
	s.press("\x1b")
	s.shows(`> \S+`)
	s.press("?")
	s.shows(`ctrl-c +ends watching`)
	s.press("x")
	s.resize(40, 10)
	if lines := strings.Split(s.shows(`(?s)> \S+.*\nq quit  \? help`), "\n"); len(lines) != 10 {
		t.Errorf("%d lines on a screen of 10", len(lines))
	}
	s.resize(120, 40)
	s.shows(`why\n`)
	s.press("q")
	s.ends(0)
	s.shows(`history.csv: \d+: converging: `)
}

// Keys steer a study that goes on, in the command that makes it and in one that watches it.
func TestKeysSteer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	engine := must.Value(filepath.Abs(filepath.Join("..", "..", "executive", "testdata", "zoomed.yaml")))(t)
	s := onTerminal(t, folder, nil, "run", engine, "--case", "cruise", "--study", "mine", "--held", "--workers", "1")
	s.shows(`(?s)> k\S+ +held.*H hold  \+- workers`)
	s.press(".")
	s.shows(`fan-n100\S+  step 1: applied at iteration 0`)
	s.press("c")
	s.shows(`fan-n100\S+  checkpoint at-\d: applied at iteration 1`)
	s.press("+")
	if runtime.NumCPU() == 1 {
		s.shows(`workers is 2; want at most 1`)
	} else {
		s.shows(`study  set workers 1 -> 2: applied`)
	}
	s.press("H")
	s.shows(`study  set hold false -> true: applied`)
	w := onTerminal(t, folder, nil, "watch", "mine")
	w.shows(`> k\S+ +held`)
	w.press("H")
	w.shows(`study  set hold true -> false: applied`)
	w.press("x")
	w.shows(`x again ends fan-n100`)
	w.press("jx")
	w.shows(`x again ends fan-n100`)
	w.press("q")
	w.ends(0)
	s.press("p")
	s.shows(`fan-n100\S+  release: applied at iteration 1`)
	// the first may have ended
	if _, err := verb(t, "steer", "release", "mine", "--work", filepath.Join(folder, "work")); err != nil &&
		err != cli.ErrNotDone {
		t.Error(err)
	}
	s.ends(0)
	s.shows(`next: peregrine report mine`)
}

// Signals leave the terminal as it was: one that ends the program, one that stops it, two of Ctrl-C, and one that
// nobody can catch.
func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(*terminalRun)
		code int
	}{
		{"terminated", func(s *terminalRun) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, cli.Interrupted},
		{"interrupted", func(s *terminalRun) { s.press("\x03") }, cli.Interrupted},
		{"killed", func(s *terminalRun) { _ = s.cmd.Process.Kill() }, -1},
		{"crashed", func(s *terminalRun) { _ = s.cmd.Process.Signal(syscall.SIGQUIT) }, 2},
		{"stopped", func(s *terminalRun) {
			s.press("\x1a") // Ctrl-Z
			s.stopped()
			s.restored()
			_ = s.cmd.Process.Signal(syscall.SIGCONT)
			s.screen.mu.Lock()
			s.screen.cells = blank(80, 24)
			s.screen.mu.Unlock()
			s.shows(`converging`)
			s.press("q")
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "interrupted" && c.name != "stopped" {
				testenv.Long(t, "starts the program once more")
			}
			t.Parallel()
			s := watchTable(t, nil)
			s.shows(`converging`)
			c.end(s)
			s.ends(c.code)
		})
	}
}

// stopped waits until the program is stopped.
func (s *terminalRun) stopped() {
	s.t.Helper()
	if !programtest.Comes(s.t, func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
		return strings.Contains(string(stat), ") T ")
	}) {
		s.t.Fatal("it was not stopped")
	}
}

// A terminal without a full screen, one without colours, and --plain.
func TestTerminalsWithoutAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		env, args     []string
		full, colours bool
	}{
		{"colour", nil, nil, true, true},
		{"no colour", []string{"NO_COLOR=1"}, nil, true, false},
		{"dumb", []string{"TERM=dumb"}, nil, false, false},
		{"plain", nil, []string{"--plain"}, false, false},
		{"json", nil, []string{"--json"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name != "no colour" && c.name != "dumb" {
				testenv.Long(t, "starts the program once more")
			}
			t.Parallel()
			s := watchTable(t, c.env, c.args...)
			s.shows(`convergi`) // a line of JSON may be broken there
			if full, _ := s.screen.state(); full != c.full {
				t.Errorf("a full screen: %v", full)
			}
			s.screen.mu.Lock()
			must.Equal(t, c.colours, s.screen.styled)
			s.screen.mu.Unlock()
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			s.ends(cli.Interrupted)
		})
	}
}

// On a terminal a page is as wide as the terminal, and a pager shows it; where there is no pager, it is printed.
func TestHelpOnATerminal(t *testing.T) {
	folder := t.TempDir()
	s := onTerminal(t, folder, []string{"PAGER=sed -n -e s/$/|/ -e 1,/zoom:/p"}, "help", "methods")
	s.ends(cli.OK)
	s.shows(`^Methods\|\n\|\nThe method of .*\n(.*\|\n)*    zoom:\|`)
	s = onTerminal(t, folder, []string{"PAGER=no-such-pager"}, "help", "exit-codes")
	s.ends(cli.OK)
	s.shows(`\n70 +a fault of Peregrine's own`)
}
