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
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peregrine-sim/peregrine/config/certificate"
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
	store, err := certificate.Open(os.Args[1])
	if err == nil {
		var p *watchdog.Process
		if p, err = watchdog.Start(context.Background(), config(store, os.Args[2])); err == nil {
			fmt.Println(p.Pid())
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func config(store *certificate.Store, scratch string) watchdog.Config {
	tls, err := store.Host()
	if err != nil {
		panic(err)
	}
	return watchdog.Config{
		Command: []string{os.Args[0]},
		Env:     append(store.Environment(), role+"=watchdog"),
		TLS:     tls,
		Scratch: scratch,
		Study:   "study",
		Stderr:  os.Stderr,
	}
}

// short is a temporary folder whose path leaves room for a socket.
func short(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgt")
	if err != nil {
		t.Fatal(err)
	}
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
	store, err := certificate.Open(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	s := &study{t: t, scratch: short(t), runs: t.TempDir()}
	c := config(store, s.scratch)
	if change != nil {
		change(&c)
	}
	if s.Process, err = watchdog.Start(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s.reader.Go(func() {
		for e := range s.Events() {
			s.mu.Lock()
			s.events = append(s.events, e)
			s.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
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
	if err := os.MkdirAll(folder, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return history.FileSpec{
		Study: "study", Run: run, Folder: folder, Path: "history.dat",
		Format: history.Columns, Names: []string{"iteration", "residual"}, Interval: 2 * time.Millisecond,
	}
}

// write appends lines first to last of a history.
func (s *study) write(run string, first, last int) {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(s.runs, run, "history.dat"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	for i := first; i <= last; i++ {
		fmt.Fprintf(&b, "%d %g\n", i, 1/float64(i))
	}
	if _, err := f.Write(b.Bytes()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *study) unwatch(run string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	if err := s.Unwatch(ctx, run); err != nil {
		s.t.Fatal(err)
	}
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

// Runs come and go while one process watches.
func TestRuns(t *testing.T) {
	s := start(t, nil)
	s.write2("a", 1, 5)
	if err := s.Watch(t.Context(), s.spec("a")); err != nil {
		t.Fatal(err)
	}
	s.await("the first lines", complete("a", 5))
	if err := s.Watch(t.Context(), s.spec("b")); err != nil { // its file comes later
		t.Fatal(err)
	}
	s.write("b", 1, 300)
	s.write("a", 6, 2000)
	s.unwatch("a")
	s.unwatch("b")
	s.unwatch("never watched")
	s.await("a", complete("a", 2000))
	events := s.await("b", complete("b", 300))
	for run, n := range map[string]int{"a": 2000, "b": 300} {
		if diff := cmp.Diff(upTo(n), iterations(events, run)); diff != "" {
			t.Errorf("run %s: %s", run, diff)
		}
	}
	e := events[0]
	e.Time = time.Time{}
	want := event.Event{Study: "study", Run: "a", Seq: 1, Source: event.File, Kind: event.Iteration,
		Values: map[string]float64{"iteration": 1, "residual": 1}, File: "history.dat", Line: "1 1"}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

// write2 makes the run's folder first.
func (s *study) write2(run string, first, last int) {
	s.t.Helper()
	s.spec(run)
	s.write(run, first, last)
}

// Killed with SIGKILL while lines come, the process is started again, and every
// line makes one event.
func TestKilled(t *testing.T) {
	s := start(t, nil)
	if err := s.Watch(t.Context(), s.spec("a")); err != nil {
		t.Fatal(err)
	}
	const kills, lines = 2, 500
	n := 0
	for k := range kills {
		s.write2("a", n+1, n+lines)
		s.await("lines before the kill", complete("a", n+lines/2))
		pid := s.Pid()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		n += lines
		s.write("a", n+1, n+lines) // nobody reads now
		n += lines
		s.await("the restart", func(events []event.Event) bool {
			told := 0
			for _, e := range events {
				if e.Source == event.Host && e.Kind == event.Message && strings.Contains(e.Text, "signal: killed); started again") {
					told++
				}
			}
			return told == k+1
		})
		if s.Pid() == pid {
			t.Fatal("the process is the same")
		}
	}
	if err := syscall.Kill(s.Pid(), syscall.SIGKILL); err != nil { // and while it is told to finish
		t.Fatal(err)
	}
	s.unwatch("a")
	events := s.await("all lines", complete("a", n))
	if diff := cmp.Diff(upTo(n), iterations(events, "a")); diff != "" {
		t.Error(diff)
	}
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
	if err := os.WriteFile(good, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// The command works as long as the file is there.
	script := fmt.Sprintf("if [ -e %q ]; then exec %q; else %s=broken exec %q; fi", good, os.Args[0], role, os.Args[0])
	s := start(t, func(c *watchdog.Config) {
		c.Command = []string{"/bin/sh", "-c", script}
		c.Restarts = 2
	})
	if err := s.Watch(t.Context(), s.spec("a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(good); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := s.Unwatch(t.Context(), "a"); !errors.Is(err, watchdog.ErrEnded) {
		t.Errorf("Unwatch: %v", err)
	}
	events := s.await("the warning", func(events []event.Event) bool {
		return len(events) > 0 && events[len(events)-1].Kind == event.Warning
	})
	if text := events[len(events)-1].Text; !strings.Contains(text, "not started again after 2 times") {
		t.Errorf("warning %q", text)
	}
	if err := s.Watch(t.Context(), s.spec("b")); !errors.Is(err, watchdog.ErrEnded) {
		t.Errorf("Watch: %v", err)
	}
}

// When the host dies, its watchdog ends by itself and leaves nothing.
func TestHostDies(t *testing.T) {
	certificates, scratch := filepath.Join(t.TempDir(), "pki"), short(t)
	cmd := exec.Command(os.Args[0], certificates, scratch)
	cmd.Env = append(os.Environ(), role+"=host")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if !lives(pid) {
		t.Fatalf("process %d of the watchdog is not there", pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
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

// lives reports whether a process runs; a zombie, which waits for an init that
// collects it, does not.
func lives(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// Who cannot show the host's certificate gets nothing.
func TestStranger(t *testing.T) {
	theirs, err := certificate.Open(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	mine, err := certificate.Open(filepath.Join(t.TempDir(), "pki"))
	if err != nil {
		t.Fatal(err)
	}
	c := config(theirs, short(t))
	if c.TLS, err = mine.Host(); err != nil {
		t.Fatal(err)
	}
	c.Stderr, c.Restarts = nil, 1
	_, err = watchdog.Start(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

func TestBadWatch(t *testing.T) {
	s := start(t, nil)
	spec := s.spec("a")
	spec.Run = ""
	var fault *history.SpecError
	if err := s.Watch(t.Context(), spec); !errors.As(err, &fault) {
		t.Errorf("without a run: %v", err)
	}
	spec = s.spec("a")
	spec.Path = "/etc/passwd"
	if err := s.Watch(t.Context(), spec); !errors.As(err, &fault) {
		t.Errorf("outside the run folder: %v", err)
	}
}

func TestCannotStart(t *testing.T) {
	_, err := watchdog.Start(t.Context(), watchdog.Config{Command: []string{"/nonexistent/watchdog"}, Scratch: short(t)})
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/watchdog") {
		t.Errorf("got %v", err)
	}
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", 100))
	if err := os.Mkdir(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = watchdog.Start(t.Context(), watchdog.Config{Command: []string{os.Args[0]}, Scratch: deep})
	if err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("got %v", err)
	}
}

// Start, handshake, stream and end of the process.
func BenchmarkStart(b *testing.B) {
	store, err := certificate.Open(filepath.Join(b.TempDir(), "pki"))
	if err != nil {
		b.Fatal(err)
	}
	scratch := short(b)
	for b.Loop() {
		p, err := watchdog.Start(b.Context(), config(store, scratch))
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// What watching adds to a run: Watch of a history of 300 lines and Unwatch.
func BenchmarkRun(b *testing.B) {
	s := start(b, nil)
	s.write2("a", 1, 300)
	spec := s.spec("a")
	spec.Interval = 0
	for b.Loop() {
		if err := s.Watch(b.Context(), spec); err != nil {
			b.Fatal(err)
		}
		s.unwatch("a")
	}
}

// Lines that go from a file through the process to the host, per second.
func BenchmarkLines(b *testing.B) {
	s := start(b, nil)
	const lines = 20000
	s.write2("a", 1, lines)
	for b.Loop() {
		if err := s.Watch(b.Context(), s.spec("a")); err != nil {
			b.Fatal(err)
		}
		s.unwatch("a")
	}
	b.ReportMetric(lines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
