package watchdog_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// role tells a process of this test binary what it is.
const role = "PEREGRINE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "watchdog":
		watchdog.Serve()
	case "killed twice":
		for _, name := range []string{"first", "second"} {
			f, err := os.OpenFile(filepath.Join(os.Getenv("TMPDIR"), name), os.O_CREATE|os.O_EXCL, 0o600)
			if err == nil {
				_ = f.Close()
				process.Kill(process.Self())
				select {}
			}
		}
		watchdog.Serve()
	case "broken":
		os.Exit(3) // a watchdog that never gets as far as the handshake
	case "host":
		host()
	default:
		os.Exit(m.Run())
	}
}

// host starts a watchdog, says which, and waits to be killed.
func host() {
	p, err := watchdog.Start(context.Background(), config(hosting.NewHost(os.Args[1])))
	if err == nil {
		fmt.Println(p.Pid())
		select {}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func config(h *hosting.Host) watchdog.Config {
	return watchdog.Config{Host: h, Command: []string{os.Args[0]}, Environment: []string{role + "=watchdog"},
		Study: "study", Log: os.Stderr}
}

// Killed before it has said anything, the process is started again.
func TestKilledAtItsStart(t *testing.T) {
	s := start(t, func(c *watchdog.Config) { c.Environment = []string{role + "=killed twice"} })
	for _, name := range []string{"first", "second"} {
		must.OK(t, os.Remove(filepath.Join(s.scratch, name)))
	}
	s.write("a", 1, 5)
	must.OK(t, s.Watch(s.spec("a")))
	s.await("the lines", complete("a", 5))
}

// Killed with SIGKILL while lines come, the process is started again, and every
// line makes one event.
func TestKilled(t *testing.T) {
	s := start(t, nil)
	must.OK(t, s.Watch(s.spec("a")))
	const kills, lines = 2, 500
	n := 0
	for k := range kills {
		s.write("a", n+1, n+lines)
		s.await("lines before the kill", complete("a", n+lines/2))
		pid := s.Pid()
		must.OK(t, kill(pid))
		n += lines
		s.write("a", n+1, n+lines) // nobody reads now
		n += lines
		s.await("the restart", func(events []event.Event) bool {
			told := 0
			for _, e := range events {
				if e.Source == event.Host && e.Kind == event.Message && strings.Contains(e.Text,
					"signal: killed); started again") {
					told++
				}
			}
			return told == k+1
		})
		if s.Pid() == pid {
			t.Fatal("the process is the same")
		}
	}
	must.OK(t, kill(s.Pid())) // and while it is told to finish
	s.unwatch("a")
	events := s.await("all lines", complete("a", n))
	must.Equal(t, upTo(n), iterations(events, "a"))
	var seq int64
	for _, e := range events {
		if e.Run == "a" {
			if seq++; e.Seq != seq {
				t.Fatalf("event %d has sequence number %d", seq, e.Seq)
			}
		}
	}
}

// A process that does not live is given up with a warning, and nobody waits for it.
func TestGivenUp(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	must.OK(t, os.WriteFile(good, nil, 0o644))
	// The command works as long as the file is there.
	script := fmt.Sprintf("if [ -e %q ]; then exec %q; else %s=broken exec %q; fi", good, os.Args[0], role, os.Args[0])
	s := start(t, func(c *watchdog.Config) {
		c.Command = []string{"/bin/sh", "-c", script}
		c.Restarts = 2
	})
	must.OK(t, s.Watch(s.spec("a")))
	must.OK(t, os.Remove(good))
	must.OK(t, kill(s.Pid()))
	if err := s.Unwatch(t.Context(), "a"); !errors.Is(err, watchdog.ErrEnded) {
		t.Errorf("Unwatch: %v", err)
	}
	events := s.await("the warning", func(events []event.Event) bool {
		return len(events) > 0 && events[len(events)-1].Kind == event.Warning
	})
	if text := events[len(events)-1].Text; !strings.Contains(text, "not started again after 2 times") {
		t.Errorf("warning %q", text)
	}
	if err := s.Watch(s.spec("b")); !errors.Is(err, watchdog.ErrEnded) {
		t.Errorf("Watch: %v", err)
	}
}

// When the host dies, its watchdog ends by itself and leaves nothing.
func TestHostDies(t *testing.T) {
	certificates, scratch := filepath.Join(t.TempDir(), "pki"), short(t)
	cmd := exec.Command(os.Args[0], certificates)
	cmd.Env = append(os.Environ(), role+"=host", "TMPDIR="+scratch)
	out := must.Value(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	line := must.Value(bufio.NewReader(out).ReadString('\n'))(t)
	pid := must.Value(strconv.Atoi(strings.TrimSpace(line)))(t)
	if !lives(pid) {
		t.Fatalf("process %d of the watchdog is not there", pid)
	}
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	deadline := time.Now().Add(time.Minute)
	for lives(pid) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d of the watchdog outlives its host", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if left, _ := os.ReadDir(scratch); len(left) > 0 {
		t.Errorf("left in the scratch folder: %v", left)
	}
}

// kill ends a process at once.
func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// lives reports whether a process runs; a zombie, which waits for an init that
// collects it, does not.
func lives(pid int) bool {
	if !process.Exists(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func TestBadWatch(t *testing.T) {
	s := start(t, nil)
	spec := s.spec("a")
	spec.Run = ""
	var fault *history.SpecError
	if err := s.Watch(spec); !errors.As(err, &fault) {
		t.Errorf("without a run: %v", err)
	}
	spec = s.spec("a")
	spec.Pattern = "/etc/passwd"
	if err := s.Watch(spec); !errors.As(err, &fault) {
		t.Errorf("outside the run folder: %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	c := config(hosting.NewHost(filepath.Join(t.TempDir(), "pki")))
	c.Command = []string{"/nonexistent/watchdog"}
	_, err := watchdog.Start(t.Context(), c)
	must.Fail(t, err, "/nonexistent/watchdog")
	must.OK(t, c.Host.Close())
}

// Whatever happens to a history, its good lines come once and in order, and the
// faults are told.
func TestFaultyFile(t *testing.T) {
	s := start(t, nil)
	must.OK(t, s.Watch(s.spec("a")))
	path := filepath.Join(s.runs, "a", "history.dat")
	s.write("a", 1, 10)
	s.await("the first lines", complete("a", 10))
	must.OK(t, os.WriteFile(path, []byte("\x00\xff\xfe garbage\n"), 0o644)) // truncated
	s.write("a", 11, 20)
	s.await("lines after the truncation", complete("a", 20))
	must.OK(t, os.Rename(path, path+".1")) // rotated
	s.write("a", 21, 30)
	s.await("lines after the rotation", complete("a", 30))
	add(t, path, "31 NaN\n32 0.0")
	s.unwatch("a")
	s.unwatch("never watched")
	events := s.await("the last line", func(events []event.Event) bool {
		return strings.HasSuffix(events[len(events)-1].Text, "unfinished line, not used")
	})
	must.Equal(t, upTo(31), iterations(events, "a"))
	first := events[0]
	first.Time = time.Time{}
	must.Equal(t, event.Event{Study: "study", Run: "a", Seq: 1, Source: event.File, Kind: event.Iteration,
		Values: map[string]float64{"iteration": 1, "residual": 1}, File: "history.dat", Line: "1 1"}, first)
	var told []string
	for _, e := range events {
		// told if a poll fell between the two steps of the rotation
		if e.Kind == event.Message && e.Text != "history.dat: file removed" {
			told = append(told, e.Text)
		}
		if len(e.NonFinite) > 0 {
			told = append(told, "not finite: "+e.NonFinite[0])
		}
	}
	want := []string{
		"history.dat: file rewritten, read from its start",
		"history.dat: line not understood: \"\uFFFD\uFFFD\" in column iteration is no number (1 so far)",
		"history.dat: file rotated, read from its start",
		"not finite: residual",
		"history.dat: unfinished line, not used",
	}
	must.Equal(t, want, told)
}

func add(t *testing.T, path, text string) {
	t.Helper()
	f := must.Value(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	defer f.Close()
	must.Value(f.WriteString(text))(t)
}

// short is a temporary folder whose path leaves room for a socket.
func short(t testing.TB) string {
	t.Helper()
	dir := must.Value(os.MkdirTemp("", "pgt"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// study is a started watchdog with a goroutine that reads its events.
type study struct {
	*watchdog.Process
	t       testing.TB
	scratch string
	runs    string
	reader  sync.WaitGroup
	mu      sync.Mutex
	events  []event.Event
}

func start(t testing.TB, change func(*watchdog.Config)) *study {
	t.Helper()
	s := &study{t: t, scratch: short(t), runs: t.TempDir()}
	t.Setenv("TMPDIR", s.scratch)
	host := hosting.NewHost(filepath.Join(t.TempDir(), "pki"))
	c := config(host)
	if change != nil {
		change(&c)
	}
	s.Process = must.Value(watchdog.Start(t.Context(), c))(t)
	s.reader.Go(func() {
		for e := range s.Events() {
			s.mu.Lock()
			s.events = append(s.events, e)
			s.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		s.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
		s.reader.Wait()
		if left, _ := os.ReadDir(s.scratch); len(left) > 0 {
			t.Errorf("left in the scratch folder: %v", left)
		}
	})
	return s
}

func (s *study) spec(run string) history.FileSpec {
	folder := filepath.Join(s.runs, run)
	must.OK(s.t, os.MkdirAll(folder, 0o755))
	return history.FileSpec{
		Study: "study", Run: run, Folder: folder, Interval: 2 * time.Millisecond,
		File: history.File{Pattern: "history.dat", Format: history.Columns, Columns: []string{"iteration", "residual"}},
	}
}

// write appends lines first to last of a history, and makes the run's folder.
func (s *study) write(run string, first, last int) {
	s.t.Helper()
	f := must.Value(os.OpenFile(filepath.Join(s.spec(run).Folder, "history.dat"), os.O_APPEND|os.O_CREATE|os.O_WRONLY,
		0o644))(s.t)
	defer f.Close()
	var b bytes.Buffer
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d %g\n", i, 1/float64(i))
	}
	must.Value(f.Write(b.Bytes()))(s.t)
}

func (s *study) unwatch(run string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	must.OK(s.t, s.Unwatch(ctx, run))
}

// await waits until the events that came satisfy ok.
func (s *study) await(what string, ok func([]event.Event) bool) []event.Event {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		s.mu.Lock()
		events := append([]event.Event(nil), s.events...)
		s.mu.Unlock()
		if ok(events) {
			return events
		}
	}
	s.t.Fatalf("waited in vain for %s", what)
	return nil
}

func iterations(events []event.Event, run string) []int {
	var got []int
	for _, e := range events {
		if e.Run == run && e.Kind == event.Iteration {
			got = append(got, int(e.Values["iteration"]))
		}
	}
	return got
}

func upTo(n int) []int {
	var want []int
	for i := 1; i <= n; i++ {
		want = append(want, i)
	}
	return want
}

// complete says whether the iterations of a run are there; its events may lag
// behind Unwatch by the channel's length.
func complete(run string, n int) func([]event.Event) bool {
	return func(events []event.Event) bool { return len(iterations(events, run)) >= n }
}
