package hosting

// What a process prints goes straight to a file, so that it outlives the host. A process gone mad
// fills a disk that way, so the host cuts the file while the process runs: its beginning stays,
// which says what was started, and its end, which says what happened last.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// cutTime is how often a log is looked at: it may be over its limit by what a process prints in
// that time.
const cutTime = 100 * time.Millisecond

// printed is the file to which a process appends what it prints.
type printed struct {
	file  *os.File
	limit int64
	cut   int64 // bytes that are gone
	line  int64 // length of the line that says so, behind the head
}

// logWatch keeps a log within its limit.
type logWatch struct{ quit, done chan struct{} }

// watchLog begins to keep the log of a process within a limit; nil if it has none, or is no ordinary file.
func watchLog(log *os.File, limit int64, at clock.Clock) *logWatch {
	p := openPrinted(log, limit)
	if p == nil {
		return nil
	}
	w := &logWatch{make(chan struct{}), make(chan struct{})}
	go func() { // ends with end
		defer close(w.done)
		p.watch(at, w.quit)
	}()
	return w
}

// end looks at the log once more and lets it be.
func (w *logWatch) end() {
	if w != nil {
		close(w.quit)
		<-w.done
	}
}

// Shorten cuts the middle out of a file to which processes append, whenever it is longer than limit bytes, until done is closed.
func Shorten(file *os.File, limit int64, at clock.Clock, done <-chan struct{}) {
	if p := openPrinted(file, limit); p != nil {
		p.watch(at, done)
		return
	}
	<-done
}

// openPrinted returns the log of a process if it has a limit and is an ordinary file, else nil.
func openPrinted(log *os.File, limit int64) *printed {
	if log == nil || limit <= 0 {
		return nil
	}
	if info, err := log.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(log.Name(), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil
	}
	return &printed{file: f, limit: limit}
}

// watch keeps the log within its limit until done is closed.
func (p *printed) watch(at clock.Clock, done <-chan struct{}) {
	tick := at.NewTicker(cutTime)
	defer tick.Stop()
	defer func() { _ = p.file.Close() }() // nothing of it is buffered
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-tick.C:
		}
		p.shorten()
	}
}

// shorten cuts the middle out of a log that is too long. The process goes on appending behind what
// stays; what it prints at this very moment is lost, and may not be counted.
func (p *printed) shorten() {
	info, err := p.file.Stat()
	if err != nil || info.Size() <= p.limit {
		return
	}
	head, keep := p.limit/2, p.limit/4
	tail := make([]byte, min(keep, info.Size()-head-p.line))
	n, err := p.file.ReadAt(tail, info.Size()-int64(len(tail)))
	if err != nil && err != io.EOF {
		return
	}
	tail = tail[:n]
	if at := bytes.IndexByte(tail, '\n'); at >= 0 { // from the beginning of a line
		tail = tail[at+1:]
	}
	p.cut += info.Size() - head - p.line - int64(len(tail))
	note := fmt.Appendf(nil, "\n[peregrine: at least %d bytes are left out here: what a process prints is limited to %d bytes, setting log-limit]\n", p.cut, p.limit)
	if p.file.Truncate(head) == nil {
		_, _ = p.file.Write(append(note, tail...)) // a full disk: the head is there
		p.line = int64(len(note))
	}
}
