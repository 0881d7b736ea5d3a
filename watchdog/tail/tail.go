// Package tail reads the lines that another program appends to a file.
//
// It polls, because change notification does not work across network file systems, where
// large solvers write. Each poll opens the path, because only then does a network file system
// show what other machines have written, and compares the file with the one read before:
//
//   - the file does not exist yet: there are no lines and no error;
//   - it is shorter, or its bytes before the offset have changed: it was rewritten and is
//     read from its start;
//   - the path names another file: it was rotated; the old file, which is still open, is
//     read to its end first;
//   - the path does not exist any more: the open file is read further.
//
// Only whole lines are returned, and lines longer than MaxLine are cut, so that a binary file
// does no harm. The only state is a Position, with which another process can continue.
package tail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// MaxLine is the largest length of a line, bytes; the rest of a longer line is skipped.
const MaxLine = 64 << 10

// chunkSize is the most that one poll reads, bytes. It limits memory and the size of messages.
const chunkSize = 256 << 10

// Note describes a Line, or an occurrence between two lines.
type Note int

const (
	Plain      Note = iota
	TooLong         // the text is the first MaxLine bytes of a line
	Unfinished      // the last line of a complete file has no newline; its text may be cut
	Rewritten       // no text: the file was truncated or rewritten; reading restarts at its beginning
	Rotated         // no text: the path names another file; reading starts at its beginning
	Removed         // no text: the file was deleted
)

func (n Note) String() string {
	return [...]string{"plain", "line too long", "unfinished line", "file rewritten", "file rotated", "file removed"}[n]
}

// Line is one line without its end, or a note. Text is valid until the next call.
type Line struct {
	Text []byte
	Note Note
}

// File follows one path. It is for one goroutine.
type File struct {
	path            string
	at              Position
	held            *os.File // the open file, which at belongs to; nil: not found yet
	removedReported bool     // the note Removed was returned
	size            int64    // of held when it was read last
	mtime           time.Time
	buf             []byte
	lines           []Line
}

// Open follows path from a position on; the zero Position is the start of the
// file. The file need not exist yet.
func Open(path string, at Position) *File { return &File{path: path, at: at} }

// Position is behind the last line that Poll or Finish returned.
func (f *File) Position() Position { return f.at }

// Close releases the file.
func (f *File) Close() error {
	if f.held == nil {
		return nil
	}
	err := f.held.Close()
	f.held = nil
	return err
}

// Poll returns the lines that were added since the last call, at most about 256 KiB;
// more reports whether there are further lines now. A file that does not exist yet has no
// lines. After an error (permission, stale handle, not a regular file) the next poll may
// succeed.
func (f *File) Poll() (lines []Line, more bool, err error) {
	f.lines = f.lines[:0]
	now, err := intake.Open(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.pollRemoved()
	case err != nil:
		return nil, false, err
	}
	rotated, err := f.hold(now)
	if err != nil {
		return nil, false, err
	}
	more, err = f.read()
	if rotated && !more && err == nil {
		f.unfinished()
		f.restart()
		f.note(Rotated)
		err = f.Close()
		more = true // the next poll opens the new file
	}
	return f.lines, more, err
}

// Finish returns the rest of a complete file: call it until more is false. A last line
// without newline has the note Unfinished.
func (f *File) Finish() (lines []Line, more bool, err error) {
	lines, more, err = f.Poll()
	if more || err != nil || f.held == nil {
		return lines, more, err
	}
	f.unfinished()
	return f.lines, false, nil
}

// pollRemoved reads further in an open file whose path does not exist any more.
func (f *File) pollRemoved() ([]Line, bool, error) {
	if f.held == nil {
		return nil, false, nil
	}
	more, err := f.read()
	if !more && err == nil && !f.removedReported {
		f.removedReported = true
		f.note(Removed)
	}
	return f.lines, more, err
}

// hold makes now, the file at the path, the held file if it is the one read before. Otherwise
// it reports that the file was rotated.
func (f *File) hold(now *os.File) (rotated bool, err error) {
	info, err := now.Stat()
	if err != nil {
		return false, errors.Join(err, now.Close())
	}
	if f.held != nil {
		old, err := f.held.Stat()
		if err == nil && !os.SameFile(old, info) {
			return true, now.Close()
		}
		// The same file, or a stale handle: use the new handle.
		_ = f.held.Close() // read only: nothing can be lost
		f.held = now
		return false, nil
	}
	f.removedReported = false
	if f.at.Offset > 0 && f.at.Inode != 0 && f.at.Inode != inode(info) {
		if old := f.renamed(); old != nil {
			f.held = old
			return true, now.Close()
		}
		f.restart()
		f.note(Rotated)
	}
	f.held = now
	f.at.Inode = inode(info)
	return false, nil
}

// renamed returns the file of the position if it was renamed within its folder while it was
// not watched, or nil.
func (f *File) renamed() *os.File {
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || inode(info) != f.at.Inode || info.Size() < f.at.Offset {
			continue
		}
		old, err := intake.Open(filepath.Join(filepath.Dir(f.path), e.Name()))
		if err != nil {
			continue
		}
		if before := make([]byte, f.at.Length); f.anchored(old, before) {
			return old
		}
		_ = old.Close()
	}
	return nil
}

func (f *File) anchored(file *os.File, before []byte) bool {
	n, err := file.ReadAt(before, f.at.Offset-int64(f.at.Length))
	return n == len(before) && (err == nil || errors.Is(err, io.EOF)) && hash(before) == f.at.Anchor
}

// restart sets the position to the beginning of the next file.
func (f *File) restart() {
	f.at = Position{}
	f.size, f.mtime = 0, time.Time{}
}

func (f *File) note(n Note) { f.lines = append(f.lines, Line{Note: n}) }

// read reads the next chunk of whole lines of the held file.
func (f *File) read() (more bool, err error) {
	info, err := f.held.Stat()
	if err != nil {
		return false, err
	}
	if info.Size() == f.size && info.ModTime().Equal(f.mtime) && f.size == f.at.Offset {
		return false, nil
	}
	if f.buf == nil {
		f.buf = make([]byte, anchorLength+chunkSize)
	}
	before := f.at.Length
	n, err := f.held.ReadAt(f.buf[:before+chunkSize], f.at.Offset-int64(before))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("%s: %w", f.path, err)
	}
	if n < before || before > 0 && hash(f.buf[:before]) != f.at.Anchor {
		f.restart()
		f.at.Inode = inode(info)
		f.note(Rewritten)
		return true, nil
	}
	more = n == before+chunkSize
	if !more { // otherwise the next call must read, even if the file did not change
		f.size, f.mtime = info.Size(), info.ModTime()
	}
	f.split(f.buf[:n], before)
	return more, nil
}

// split adds the lines in data[before:] and moves the position behind them.
func (f *File) split(data []byte, before int) {
	at := before
	for at < len(data) {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		if !f.at.Skip {
			f.line(data[at : at+end])
		}
		f.at.Skip = false
		at += end + 1
	}
	if f.at.Skip || len(data)-at > MaxLine { // the line is too long
		if !f.at.Skip {
			f.line(data[at:])
		}
		f.at.Skip = true
		at = len(data)
	}
	f.at.Offset += int64(at - before)
	f.at.Length = min(at, anchorLength)
	f.at.Anchor = hash(data[at-f.at.Length : at])
}

func (f *File) line(text []byte) {
	if len(text) > MaxLine {
		f.lines = append(f.lines, Line{Text: text[:MaxLine], Note: TooLong})
		return
	}
	f.lines = append(f.lines, Line{Text: bytes.TrimSuffix(text, []byte{'\r'})})
}

// unfinished adds the bytes behind the last newline of a complete file.
func (f *File) unfinished() {
	text := make([]byte, MaxLine)
	n, _ := f.held.ReadAt(text, f.at.Offset) // a failed read adds nothing
	if n == 0 || f.at.Skip {
		return
	}
	f.lines = append(f.lines, Line{Text: text[:n], Note: Unfinished})
}
