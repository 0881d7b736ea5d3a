package tail

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// exhausted is a notifier that can watch no folder.
type exhausted struct{ closed chan struct{} }

func (exhausted) add(string) (int, error)   { return 0, errors.New("no space left") }
func (exhausted) remove(int)                {}
func (e exhausted) read(func(change)) error { <-e.closed; return os.ErrClosed }
func (e exhausted) close() error            { close(e.closed); return nil }

// Where the system notifies of nothing more, that is said once, and files are polled.
func TestWakerExhausted(t *testing.T) {
	said := 0
	w := wakerOf(exhausted{make(chan struct{})}, nil, clock.Real, func(string) { said++ })
	for range 10 {
		if w.Watch(filepath.Join(t.TempDir(), "log"), func() {}).Works() {
			t.Error("it works")
		}
	}
	must.Equal(t, 1, said)
	must.OK(t, w.Close())
	none := wakerOf(nil, errors.New("no instances left"), clock.Real, func(string) { said++ })
	if none.Watch(t.TempDir(), func() {}).Works() || said != 2 || none.Close() != nil {
		t.Errorf("said %d times", said)
	}
}

func TestWaker(t *testing.T) {
	if runtime.GOOS != "linux" {
		testenv.NotHere(t, "no inotify")
	}
	folder := filepath.Join(t.TempDir(), "run")
	must.OK(t, os.Mkdir(folder, 0o755))
	w := NewWaker(clock.Real, func(text string) { t.Log(text) })
	defer func() { _ = w.Close() }()
	path, woken := filepath.Join(folder, "log"), make(chan bool, 100)
	x := w.Watch(path, func() { woken <- true })
	if !x.Works() {
		testenv.NotHere(t, "no inotify")
	}
	must.OK(t, os.WriteFile(path, []byte("a\n"), 0o644))
	<-woken
	must.OK(t, os.RemoveAll(folder))
	// the folder is gone: it is polled as without; what was woken for a file is not once more for its folder
	for x.Works() {
		time.Sleep(time.Millisecond)
	}
	x.Stop()
}

func TestPace(t *testing.T) {
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p := Pace{Interval: 100 * time.Millisecond}
	if got := p.Wait(at, true); got != 0 {
		t.Errorf("the first poll is %v away", got)
	}
	p.Polled(at, true)
	for _, c := range []struct {
		rest, want time.Duration
		wakes      bool
	}{
		{time.Second, 100 * time.Millisecond, false},
		{10 * time.Second, 500 * time.Millisecond, false},
		{time.Hour, time.Second, false},
		{0, time.Second, true},
		{time.Minute, 3 * time.Second, true},
		{time.Hour, 5 * time.Second, true},
		{-time.Hour, 100 * time.Millisecond, false}, // the clock was set back
	} {
		q := p
		q.Polled(at.Add(c.rest), false)
		if got := q.Wait(at.Add(c.rest), c.wakes); got != c.want {
			t.Errorf("after %v the next poll is %v away, not %v", c.rest, got, c.want)
		}
	}
}
