// Package tail reads the lines that another program appends to a file.
//
// It polls: change notification does not reach across network file systems,
// where solvers of any size write. Each poll opens the path again, because that
// is when a network file system shows what other machines have written, and
// compares it with what was read before:
//
//   - the file does not exist yet: nothing to read, no error;
//   - it is shorter, or its bytes before the offset are others: it was written
//     anew and is read from its start;
//   - the path names another file: it was rotated; the old file, which is still
//     open, is read to its end first;
//   - the path is gone: whatever is still appended to the open file is read.
//
// Only whole lines are handed out, and lines beyond MaxLine are cut, so that a
// binary file does no harm. No state is kept beyond a Position, which another
// process can take over.
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
)

// MaxLine is the length in bytes beyond which a line is cut; the rest of it is skipped.
const MaxLine = 64 << 10

// chunkSize bounds what one poll reads, hence memory and the size of a message
// that carries what was read.
const chunkSize = 256 << 10

// Note says what a Line tells besides its text.
type Note int

const (
	Plain      Note = iota
	TooLong         // the text is the first MaxLine bytes of a line
	Unfinished      // the last line has no newline, and no more will come; its text may be half of what was meant
	Rewritten       // no text: the file was cut or written anew; reading starts again at its beginning
	Rotated         // no text: another file took the path; reading starts at its beginning
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
	path  string
	at    Position
	held  *os.File // the file that at speaks of; nil: not found yet
	gone  bool     // Removed was told
	size  int64    // of held when it was read last
	mtime time.Time
	buf   []byte
	lines []Line
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

// Poll returns the lines that came since the last call, at most about 256 KiB
// of them; more reports whether there is more to read now. A file that does not
// exist yet has no lines. An error (permission, stale handle, not a regular
// file) may be gone at the next poll.
func (f *File) Poll() (lines []Line, more bool, err error) {
	f.lines = f.lines[:0]
	now, err := open(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.pollRemoved()
	case err != nil:
		return nil, false, err
	}
	rotated, err := f.take(now)
	if err != nil {
		return nil, false, err
	}
	more, err = f.read()
	if rotated && !more && err == nil {
		f.rest()
		f.start()
		f.note(Rotated)
		err = f.Close()
		more = true // the next poll opens the file that is there now
	}
	return f.lines, more, err
}

// Finish returns what is left when nobody writes any more: call it until more
// is false. An unfinished last line comes with the note Unfinished.
func (f *File) Finish() (lines []Line, more bool, err error) {
	lines, more, err = f.Poll()
	if more || err != nil || f.held == nil {
		return lines, more, err
	}
	f.rest()
	return f.lines, false, nil
}

// pollRemoved reads on in a file that has lost its name.
func (f *File) pollRemoved() ([]Line, bool, error) {
	if f.held == nil {
		return nil, false, nil
	}
	more, err := f.read()
	if !more && err == nil && !f.gone {
		f.gone = true
		f.note(Removed)
	}
	return f.lines, more, err
}

// take makes now, the file at the path, the held file if it is the one that was
// read before; otherwise it reports that the path names another file.
func (f *File) take(now *os.File) (rotated bool, err error) {
	info, err := now.Stat()
	if err != nil {
		return false, errors.Join(err, now.Close())
	}
	if f.held != nil {
		old, err := f.held.Stat()
		if err == nil && !os.SameFile(old, info) {
			return true, now.Close()
		}
		// The same file, or a handle that went stale: the new handle serves.
		_ = f.held.Close() // read only: nothing can be lost
		f.held = now
		return false, nil
	}
	f.gone = false
	if f.at.Offset > 0 && f.at.Inode != 0 && f.at.Inode != inode(info) {
		if old := f.renamed(); old != nil {
			f.held = old
			return true, now.Close()
		}
		f.start()
		f.note(Rotated)
	}
	f.held = now
	f.at.Inode = inode(info)
	return false, nil
}

// renamed finds, beside the path, the file that the position speaks of: it was
// renamed while nobody watched.
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
		old, err := open(filepath.Join(filepath.Dir(f.path), e.Name()))
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

// start sets the position to the beginning of a file that is yet to be opened.
func (f *File) start() {
	f.at = Position{}
	f.size, f.mtime = 0, time.Time{}
}

func (f *File) note(n Note) { f.lines = append(f.lines, Line{Note: n}) }

// read takes the next chunk of whole lines from the held file.
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
		f.start()
		f.at.Inode = inode(info)
		f.note(Rewritten)
		return true, nil
	}
	more = n == before+chunkSize
	if !more { // else there is more to read whatever the size
		f.size, f.mtime = info.Size(), info.ModTime()
	}
	f.split(f.buf[:n], before)
	return more, nil
}

// split hands out the lines in data[before:] and moves the position behind them.
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
	if f.at.Skip || len(data)-at > MaxLine { // the end of this line is not in sight
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

// rest hands out the bytes behind the last newline of a file that is complete.
func (f *File) rest() {
	text := make([]byte, MaxLine)
	n, _ := f.held.ReadAt(text, f.at.Offset) // a failed read leaves nothing to tell
	if n == 0 || f.at.Skip {
		return
	}
	f.lines = append(f.lines, Line{Text: text[:n], Note: Unfinished})
}

// open opens a regular file for reading. Anything else is refused: a named pipe
// would block for ever.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file (%s); only files can be watched", path, info.Mode().Type())
	}
	return os.Open(path)
}
