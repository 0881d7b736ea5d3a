package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// LogName is the name of the event file in a run folder.
const LogName = "events.jsonl"

// Log appends events to a file, one JSON object a line. What was appended
// before a crash stays readable: a line that the crash cut is removed when the
// file is opened again, so that no new event is glued to half an old one.
// A Log may be used by several goroutines; the file has one writer at a time.
type Log struct {
	mu   sync.Mutex
	file *os.File
	line bytes.Buffer
	enc  *json.Encoder
}

// Append opens the event file for appending, creating it if it is missing.
func Append(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	end, err := wholeLines(f)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("event log %s: %w", path, err), f.Close())
	}
	l := &Log{file: f}
	l.enc = json.NewEncoder(&l.line)
	l.enc.SetEscapeHTML(false)
	return l, nil
}

// wholeLines returns the offset behind the last newline.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	block := make([]byte, 4096)
	for end := info.Size(); end > 0; {
		start := max(0, end-int64(len(block)))
		n, err := f.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// Write appends one event. An event is written with one system call, so a
// reader meets at most one unfinished line, and that at the end.
func (l *Log) Write(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line.Reset()
	if err := l.enc.Encode(e); err != nil {
		return fmt.Errorf("event log %s: event %d of run %q: %w", l.file.Name(), e.Seq, e.Run, err)
	}
	if _, err := l.file.Write(l.line.Bytes()); err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

// Close makes the events durable and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.file.Sync(), l.file.Close())
}

// A DamagedError tells of lines of an event file that are no events.
type DamagedError struct {
	Path  string
	Lines []int // line numbers from 1
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("event log %s: %d damaged line(s), the first at line %d; the other events are good", e.Path, len(e.Lines), e.Lines[0])
}

// Read returns the events of a file in the order in which they were written.
//
// An unfinished last line is left out in silence: a crash, or a writer that is
// busy at this moment, left it. A damaged line elsewhere is left out too and
// told by a *DamagedError, which comes with all good events.
func Read(path string) ([]Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	defer f.Close()

	var events []Event
	var damaged []int
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // what was read has no newline: unfinished
		}
		if err != nil {
			return events, fmt.Errorf("event log: %w", err)
		}
		var e Event
		if json.Unmarshal(line, &e) != nil {
			damaged = append(damaged, n)
			continue
		}
		events = append(events, e)
	}
	if damaged != nil {
		return events, &DamagedError{Path: path, Lines: damaged}
	}
	return events, nil
}
