package ssh

// What is printed of errors: its end is kept for messages, and all of it goes on, up to a limit.

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

const (
	tailKept   = 2 << 10
	mostPassed = 1 << 20 // bytes of one call that go on
	lateErrors = 200 * time.Millisecond
)

type tail struct {
	r    *os.File
	done chan struct{}

	mu   sync.Mutex
	kept []byte
}

// newTail returns a tail and the file to print into, which the caller closes. What is printed also goes to a writer,
// if there is one.
func newTail(on io.Writer) (*tail, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	t := &tail{r: r, done: make(chan struct{})}
	go func() { // ends when all have closed the pipe, or end does
		defer close(t.done)
		t.read(on)
	}()
	return t, w, nil
}

func (t *tail) read(on io.Writer) {
	piece, left := make([]byte, 32<<10), mostPassed
	for {
		n, err := t.r.Read(piece)
		if pass := min(n, left); on != nil && pass > 0 {
			_, _ = on.Write(piece[:pass]) // a full disk must not stop ssh
			left -= pass
		}
		t.mu.Lock()
		t.kept = append(t.kept, piece[:n]...)
		t.kept = t.kept[max(0, len(t.kept)-tailKept):]
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// end ends the reading, soon after who prints has ended. Who else has the pipe, as a master of ssh that stays, does
// not hold it.
func (t *tail) end() {
	late := clock.Real.NewTimer(lateErrors)
	defer late.Stop()
	select {
	case <-t.done:
	case <-late.C:
	}
	_ = t.r.Close()
	<-t.done
}

// text is the end of what was printed, in one line.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for _, line := range strings.FieldsFunc(string(t.kept), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
