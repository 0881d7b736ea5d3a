package ssh

// The error output: its end is kept for messages, and all of it is passed on, up to a limit.

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
	mostPassed = 1 << 20 // bytes of one call that are passed on
	lateErrors = 200 * time.Millisecond
)

type tail struct {
	r    *os.File
	done chan struct{}

	mu   sync.Mutex
	kept []byte
}

// newTail returns a tail and the file to print into, which the caller closes. The output is also written to a writer,
// if any.
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

// end ends the reading, soon after the printing process has ended. Another process with the pipe, such as a master of
// ssh that stays, does not delay it.
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

// text returns the end of the output, in one line.
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
