package hosting

// The output of a process is written straight to a file, so that it outlives the host. A process in an endless loop
// could fill a disk, so the host cuts the file while the process runs. It keeps the beginning, which shows the start,
// and the end, which shows the last events.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// cutTime is the interval at which a log is checked: it may exceed its limit by the output of that time.
const cutTime = 100 * time.Millisecond

// printed is the file to which a process appends its output. It is open only while it is cut: most processes print
// little.
type printed struct {
	limit int64 // 0: none

	mu   sync.Mutex
	path string
	cut  int64 // bytes that were cut
	line int64 // length of the line that reports the cut, after the head
}

// Shorten cuts the middle out of a file to which processes append, whenever it is longer than limit bytes, until done
// is closed.
func Shorten(file *os.File, limit int64, at clock.Clock, done <-chan struct{}) {
	p := &printed{limit: limit, path: file.Name()}
	p.watch(at, done)
}

// watch keeps the log within its limit until done is closed.
func (p *printed) watch(at clock.Clock, done <-chan struct{}) {
	if p.limit <= 0 {
		<-done
		return
	}
	tick := at.NewTicker(cutTime)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		case <-tick.C:
		}
		p.mu.Lock()
		p.shorten()
		p.mu.Unlock()
	}
}

// turn checks the log once more, leaves it, and keeps another within the limit.
func (p *printed) turn(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 {
		p.shorten()
	}
	p.path, p.cut, p.line = path, 0, 0
}

// shorten cuts the middle out of a log that is too long. The process continues to append after the kept part; its
// output at this very moment is lost, and may not be counted. The caller holds the lock.
func (p *printed) shorten() {
	info, err := os.Stat(p.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() <= p.limit {
		return
	}
	file, err := os.OpenFile(p.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // no data are buffered
	head, keep := p.limit/2, p.limit/4
	tail := make([]byte, min(keep, info.Size()-head-p.line))
	n, err := file.ReadAt(tail, info.Size()-int64(len(tail)))
	if err != nil && err != io.EOF {
		return
	}
	tail = tail[:n]
	if at := bytes.IndexByte(tail, '\n'); at >= 0 { // from the beginning of a line
		tail = tail[at+1:]
	}
	p.cut += info.Size() - head - p.line - int64(len(tail))
	note := fmt.Appendf(nil,
		"\n[peregrine: at least %d bytes are left out here: what a process prints is limited to %d bytes, setting "+
			"log-limit]\n", p.cut, p.limit)
	if file.Truncate(head) == nil {
		_, _ = file.Write(append(note, tail...)) // a full disk: the head is kept
		p.line = int64(len(note))
	}
}
