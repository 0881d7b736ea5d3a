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
	"github.com/peregrine-sim/peregrine/internal/folder"
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

// Recorder writes output that passes through this process to a file, and cuts the middle out of the file whenever it is
// longer than a limit. As this process alone writes the file, a cut loses no output that is being written.
type Recorder struct {
	Lost error // the first failure to write; nil: the file has all that was not cut
	file *os.File
	size int64
	printed
}

// NewRecorder returns a recorder into an empty file, which is open for reading and appending.
func NewRecorder(file *os.File, limit int64) *Recorder {
	return &Recorder{file: file, printed: printed{limit: limit}}
}

// Write implements io.Writer. It takes all output, also if it cannot write it: Lost is the reason then.
func (r *Recorder) Write(p []byte) (int, error) {
	n, err := r.file.Write(p)
	if r.size += int64(n); err == nil && r.size > r.limit {
		r.size, err = r.shorten(r.file, r.size)
	}
	if r.Lost == nil {
		r.Lost = err
	}
	return len(p), nil
}

// Close closes the file.
func (r *Recorder) Close() error { return r.file.Close() }

// Cut returns how many bytes were cut out of the file.
func (r *Recorder) Cut() int64 { return r.cut }

// Holds reports whether a file is that of the recorder, with nothing but its output.
func (r *Recorder) Holds(info os.FileInfo) bool {
	own, err := r.file.Stat()
	return err == nil && os.SameFile(own, info) && info.Size() == r.size
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
		p.check()
		p.mu.Unlock()
	}
}

// turn checks the log once more, leaves it, and keeps another within the limit.
func (p *printed) turn(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 {
		p.check()
	}
	p.path, p.cut, p.line = path, 0, 0
}

// check cuts the middle out of a log that is too long. The process continues to append after the kept part; its output
// at this very moment is lost, and may not be counted. The caller holds the lock.
func (p *printed) check() {
	info, err := os.Lstat(p.path)
	if err != nil || !info.Mode().IsRegular() || info.Size() <= p.limit {
		return
	}
	file, err := folder.Edit(p.path, os.O_APPEND)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // no data are buffered
	_, _ = p.shorten(file, info.Size()) // a full disk: the head is kept
}

// shorten cuts the middle out of a file of a size. It returns the new size.
func (p *printed) shorten(file *os.File, size int64) (int64, error) {
	head, keep := p.limit/2, p.limit/4
	tail := make([]byte, min(keep, size-head-p.line))
	n, err := file.ReadAt(tail, size-int64(len(tail)))
	if err != nil && err != io.EOF {
		return size, err
	}
	tail = tail[:n]
	if at := bytes.IndexByte(tail, '\n'); at >= 0 { // from the beginning of a line
		tail = tail[at+1:]
	}
	p.cut += size - head - p.line - int64(len(tail))
	note := fmt.Appendf(nil,
		"\n[peregrine: at least %d bytes are left out here: what a process prints is limited to %d bytes, setting "+
			"log-limit]\n", p.cut, p.limit)
	if err := file.Truncate(head); err != nil {
		return size, err
	}
	n, err = file.Write(append(note, tail...))
	p.line = int64(len(note))
	return head + int64(n), err
}
