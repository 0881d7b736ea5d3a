package event

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// LogName is the name of the event file in a run folder.
const LogName = "events.jsonl"

// Log appends events to a file: a JSON object a line, after a first line that names the format. Events that were
// appended before a crash stay readable: Append removes a line that the crash cut, so that the next event starts a new
// line. A line that a full disk cut is removed at once. Several goroutines may use a Log; the file has a single writer
// at a time.
type Log struct {
	mu     sync.Mutex
	file   *os.File
	format int    // of the file
	common Common // of its events, by its first line
	end    int64  // offset after the last whole line
	line   bytes.Buffer
	enc    *json.Encoder
}

// Append opens the event file for appending, creating it if it is missing. Its error is a *FormatError if a newer
// program wrote the file.
func Append(path string) (*Log, error) { return AppendRun(path, Common{}) }

// AppendRun is Append to the file of a run, whose first line has what its events have in common.
func AppendRun(path string, common Common) (*Log, error) {
	f, err := folder.Edit(path, 0)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	end, size, err := wholeLines(f)
	// only if necessary: ext4 flushes a file that was truncated to zero when it is closed
	if err == nil && end < size {
		err = f.Truncate(end)
	}
	if err == nil && end > 0 {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("event log %s: %w", path, err), f.Close())
	}
	l := &Log{file: f, end: end, common: common}
	l.enc = json.NewEncoder(&l.line)
	l.enc.SetEscapeHTML(false)
	if err := l.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// begin writes the first line of an empty file, or checks the existing first line.
func (l *Log) begin() error {
	if l.format = Format; l.common == (Common{}) {
		l.format = 2
	}
	if l.end == 0 {
		return l.put(header{l.format, l.common})
	}
	line, err := bufio.NewReader(io.NewSectionReader(l.file, 0, l.end)).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("event log %s: %w", l.file.Name(), err)
	}
	h, _ := headerOf(line)
	if h.Format > Format {
		return &FormatError{l.file.Name(), h.Format}
	}
	l.format, l.common = h.Format, h.Common
	return nil
}

// wholeLines returns the offset after the last newline, and the file's size.
func wholeLines(f *os.File) (end, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	size = info.Size()
	block := make([]byte, 4096)
	for end := size; end > 0; {
		start := max(0, end-int64(len(block)))
		n, err := f.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, size, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, size, nil
		}
		end = start
	}
	return 0, size, nil
}

// Write appends an event. It uses a single system call, so that a reader finds at most one unfinished line, at the end.
// The event survives the end of this process; Sync makes it survive a crash of the machine.
func (l *Log) Write(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.format < 5 {
		err = l.put(l.common.without(e))
	} else if short, e := l.common.short(e); e != nil {
		err = e
	} else {
		err = l.put(short)
	}
	if err != nil {
		return fmt.Errorf("event %d of run %q: %w", e.Seq, e.Run, err)
	}
	return nil
}

// put appends a whole line or no data.
func (l *Log) put(v any) error {
	l.line.Reset()
	if err := l.enc.Encode(v); err != nil {
		return fmt.Errorf("event log %s: %w", l.file.Name(), err)
	}
	n, err := l.file.Write(l.line.Bytes())
	if err == nil {
		l.end += int64(n)
		return nil
	}
	if cut := l.file.Truncate(l.end); cut == nil { // a full disk: no half line stays
		_, cut = l.file.Seek(l.end, io.SeekStart)
		err = errors.Join(err, cut)
	}
	return fmt.Errorf("event log: %w", err)
}

// Size is the size of the file, bytes.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.end
}

// Sync makes the events durable.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Sync()
}

// Close closes the file. It does not make the last events durable: this is too expensive for the few events of some
// runs.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// A DamagedError reports lines of an event file that are no events.
type DamagedError struct {
	Path  string
	Lines []int // line numbers from 1
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("event log %s: %d damaged line(s), the first at line %d; the other events are good", e.Path,
		len(e.Lines), e.Lines[0])
}

// readLimit is that of a file whose events are all read: some million of them.
var readLimit = intake.Limit{What: "an event log that is read", Bytes: 1 << 30}

// Read returns the events of a file in the order in which they were written.
//
// An unfinished last line is left out without an error: a crash left it, or a process is writing it. Damaged lines
// elsewhere are left out and reported by a *DamagedError, beside all good events. Older formats are translated; a newer
// format is a *FormatError.
func Read(path string) (events []Event, err error) {
	err = Each(path, func(e Event) { events = append(events, e) })
	if errors.As(err, new(*FormatError)) {
		return nil, err
	}
	return events, err
}

// Each calls a function on each event of a file, as it is read: [Read] for a log of any number of events.
func Each(path string, call func(Event)) error {
	f, err := folder.OpenFile(path)
	if err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > readLimit.Bytes {
		return fmt.Errorf("event log %s: %w", path, &intake.SizeError{Limit: readLimit})
	}

	var damaged []int
	var line []byte // of which events keep nothing
	r := bufio.NewReader(f)
	d := Decoder{Path: path}
	for n := 1; ; n++ {
		part, err := r.ReadSlice('\n')
		for line = append(line[:0], part...); errors.Is(err, bufio.ErrBufferFull); line = append(line, part...) {
			part, err = r.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			break // the data have no newline: unfinished
		}
		if err != nil {
			return fmt.Errorf("event log: %w", err)
		}
		switch e, ok, err := d.Line(line); {
		case errors.As(err, new(*FormatError)):
			return err
		case err != nil:
			damaged = append(damaged, n)
		case ok:
			call(e)
		}
	}
	if damaged != nil {
		return &DamagedError{Path: path, Lines: damaged}
	}
	return nil
}

// Decoder turns the lines of an event file into events, from its first line on. Its zero value with a Path is ready. It
// is for readers of a growing file; Read reads the present contents.
type Decoder struct {
	Path string // of the file, for errors

	header header // of format 0: no line was seen
}

// Line takes the next line. It reports false for the line that names the format, which is no event. Errors: a
// *FormatError if a newer program wrote the file, which then has no events; another error for a damaged line, after
// which other lines are still good.
func (d *Decoder) Line(line []byte) (e Event, ok bool, err error) {
	if d.header.Format == 0 {
		named := false
		if d.header, named = headerOf(line); named && d.header.Format <= Format {
			return e, false, nil
		}
	}
	if d.header.Format > Format {
		return e, false, &FormatError{d.Path, d.header.Format}
	}
	if !e.quick(line, &d.header.Common) {
		if e, err = d.header.slow(line); err != nil {
			return Event{}, false, fmt.Errorf("event log %s: a damaged line: %w", d.Path, err)
		}
	}
	if d.header.Format < 2 { // or the first line is damaged
		e.translate()
		d.header.Time = cmp.Or(d.header.Time, e.Time) // about that of the first line
	}
	if d.header.Format < 2 || d.header.Format > 4 {
		e.Source = cmp.Or(e.Source, e.likelySource())
	}
	d.header.complete(&e)
	return e, true, nil
}
