package tail

// The choice of the file to read: the file at the path, a renamed file, a copy.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// MaxLine is the largest length of a line, bytes; the rest of a longer line is skipped.
const MaxLine = 64 << 10

// RotateWait is the default of Options.RotateWait.
const RotateWait = 5 * time.Second

// maxLate is the largest number of rotated files that are kept open for late writes.
const maxLate = 8

// Note describes a Line, or an occurrence between two lines.
type Note int

const (
	Plain      Note = iota
	TooLong         // the text is the first MaxLine bytes of a line
	Unfinished      // the last line of a complete file has no newline; its text may be cut
	Rewritten       // no text: the file was truncated or rewritten; reading restarts at its beginning
	Rotated         // no text: another file is read now, from its beginning
	Removed         // no text: the file was deleted
	Wide            // no text: the file is in UTF-16 and is not read further
)

func (n Note) String() string {
	return [...]string{"plain", "line too long", "unfinished line", "file rewritten", "file rotated", "file removed",
		"file in UTF-16 is not read"}[n]
}

// Line is a line without its end, or a note. Text is valid until the function that takes it returns.
type Line struct {
	Text []byte
	Note Note
}

// Options are how files are followed.
type Options struct {
	RotateWait time.Duration // how long a rotated file is kept open after its last change; default RotateWait
	Clock      clock.Clock   // default: the real clock
	System     System        // default: the real file system
}

// File follows a path. It is for one goroutine.
type File struct {
	path    string
	options Options
	network bool     // of its folder, as it was when a file was opened
	cursor  cursor   // the file that is read
	late    []lately // rotated files that may still be written to, the oldest first

	resumed   bool      // no line was read yet: the file of the position may be missing
	finishing bool      // no further wait
	copied    bool      // a copy is read: it will not grow
	removed   bool      // the note Removed was given
	shrunk    int       // polls in a row that found the file changed
	since     time.Time // since when the other half of a rotated file's last line is waited for
	noticed   time.Time // since when a network file system is waited for, to show all that was rotated
}

// lately is a rotated file that may still be written to.
type lately struct {
	cursor
	until time.Time
}

// Open follows path from a position on; the zero Position is the start of the
// file. The file need not exist yet.
func Open(path string, at Position, o Options) *File {
	o.Clock = clock.Or(o.Clock)
	o.RotateWait = cmp.Or(o.RotateWait, RotateWait)
	if o.System == nil {
		o.System = disk{}
	}
	f := &File{path: path, options: o, resumed: true}
	for _, p := range at.Late {
		f.late = append(f.late, lately{cursor: cursor{Position: p}})
	}
	at.Late = nil
	f.cursor.Position = at
	return f
}

// Position returns the position after the last line that Poll or Finish has given.
func (f *File) Position() Position {
	p := f.cursor.Position
	for _, l := range f.late {
		p.Late = append(p.Late, l.Position)
	}
	return p
}

// Close releases the files.
func (f *File) Close() error {
	err := f.cursor.close()
	for i := range f.late {
		err = errors.Join(err, f.late[i].close())
	}
	return err
}

// Poll gives take the lines that were added since the last call, at most about 256 KiB; more reports whether further
// lines exist now. A missing file has no lines. After an error (permission, stale handle, not a regular file) the next
// poll may succeed.
func (f *File) Poll(take func(Line)) (more bool, err error) {
	if f.cursor.file == nil {
		f.network = f.options.System.Network(f.path)
	}
	if f.readLate(take) {
		return true, nil
	}
	if f.cursor.file == nil {
		if opened, err := f.begin(take); !opened || err != nil {
			return false, err
		}
	}
	info, there, err := f.look()
	if err != nil {
		return false, err
	}
	more, err = f.cursor.read(f, info, take)
	switch {
	case errors.Is(err, errChanged):
		return f.changed(take)
	case err != nil:
		return false, fmt.Errorf("%s: %w", f.path, err)
	}
	f.shrunk, f.resumed = 0, false
	if more || there == atPath {
		f.since, f.noticed = time.Time{}, time.Time{}
		f.removed = f.removed && more
		return more, nil
	}
	return f.advance(there, take)
}

// Finish is Poll for a complete file: call it until more is false. It never waits. A last line without newline has the
// note Unfinished.
func (f *File) Finish(take func(Line)) (more bool, err error) {
	f.finishing = true
	more, err = f.Poll(take)
	if more || err != nil || f.cursor.file == nil {
		return more, err
	}
	f.cursor.unfinished(take)
	return false, nil
}

// waits reports whether a wait continues, at most RotateWait since its start.
func (f *File) waits(since *time.Time) bool {
	if f.finishing || !f.network && since != &f.since {
		return false
	}
	now := f.options.Clock.Now()
	if since.IsZero() {
		*since = now
	}
	return now.Sub(*since) < f.options.RotateWait
}

// place is the relation of the path to the file in reading.
type place int

const (
	atPath    place = iota // the path is this file's
	elsewhere              // the path is another file's
	nowhere                // the path does not exist
)

// look describes the file in reading, and reports whether it is still at the path. On a network file system it opens
// the path.
func (f *File) look() (info Info, there place, err error) {
	if f.network {
		return f.lookNetwork()
	}
	info, err = f.options.System.Info(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		there = nowhere
	case err != nil:
		return Info{}, 0, err
	case !f.mine(info):
		there = elsewhere
	default:
		return info, atPath, nil
	}
	info, err = f.held(&f.cursor)
	return info, there, err
}

func (f *File) lookNetwork() (info Info, there place, err error) {
	file, err := f.options.System.Open(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		there = nowhere
	case err != nil:
		return Info{}, 0, err
	default:
		if info, err = file.Info(); err != nil {
			return Info{}, 0, errors.Join(err, file.Close())
		}
		if f.mine(info) {
			_ = f.cursor.file.Close() // read only: no data are lost
			f.cursor.file = file
			return info, atPath, nil
		}
		_ = file.Close()
		there = elsewhere
	}
	f.anew(&f.cursor)
	info, err = f.held(&f.cursor)
	return info, there, err
}

// mine reports whether a file is the file in reading.
func (f *File) mine(info Info) bool {
	if info.Inode != 0 {
		return info.Inode == f.cursor.Inode
	}
	held, err := f.cursor.file.Info()
	return err != nil || held.same(info) // a stale handle: use the path
}

// held describes an open file. The next poll opens a file with a stale handle anew.
func (f *File) held(c *cursor) (Info, error) {
	info, err := c.file.Info()
	if err != nil {
		return Info{}, errors.Join(err, c.close())
	}
	return info, nil
}

// anew opens a renamed file by its present name, because a network file system shows the data of other machines only
// then.
func (f *File) anew(c *cursor) {
	if name := f.named(c.Inode); name != "" {
		if file, err := f.options.System.Open(name); err == nil {
			_ = c.file.Close() // read only
			c.file = file
		}
	}
}

// begin opens the file of the position. If it is missing, begin opens the next file.
func (f *File) begin(take func(Line)) (opened bool, err error) {
	info, err := f.options.System.Info(f.path)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !gone:
		return false, err
	case f.cursor.Inode == 0 || !gone && info.Inode == f.cursor.Inode:
		if gone {
			return false, nil
		}
		return f.open(f.path)
	}
	if name := f.find(f.cursor.Position); name != "" {
		return f.open(name)
	}
	if f.network && f.waits(&f.noticed) { // its new name may not be visible yet
		return false, nil
	}
	return f.lost(take)
}

// open opens a file for reading from the position on.
func (f *File) open(name string) (opened bool, err error) {
	file, err := f.options.System.Open(name)
	if errors.Is(err, fs.ErrNotExist) { // since a moment ago
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := file.Info()
	if err != nil {
		return false, errors.Join(err, file.Close())
	}
	_ = f.cursor.close() // read only
	f.cursor.file, f.cursor.Inode = file, info.Inode
	f.removed, f.since = false, time.Time{}
	return true, nil
}

// lost continues with the next file, because the file of the position is missing.
func (f *File) lost(take func(Line)) (opened bool, err error) {
	name := f.next()
	if name == "" {
		return false, nil
	}
	was, opened, err := f.replace(name)
	if !opened {
		return false, err
	}
	take(Line{Note: Rotated})
	return true, was.close()
}

// replace starts another file from its beginning.
func (f *File) replace(name string) (was cursor, opened bool, err error) {
	was = f.cursor
	f.cursor = cursor{}
	if opened, err = f.open(name); !opened {
		f.cursor = was
		return was, false, err
	}
	f.cursor.Left, was.Left = append(was.Left, Left{was.Inode, was.HeadLength, was.Head}), nil
	if n := len(f.cursor.Left) - maxLate; n > 0 {
		f.cursor.Left = slices.Clone(f.cursor.Left[n:])
	}
	return was, true, nil
}

// changed continues after the file was truncated or rewritten: in its copy, if one exists, and else at its start.
func (f *File) changed(take func(Line)) (more bool, err error) {
	if f.shrunk++; f.network && f.shrunk < 2 { // sizes may be stale
		return f.finishing, nil
	}
	f.shrunk = 0
	if name := f.copyOf(f.cursor.Position); name != "" {
		f.copied, err = f.open(name)
		return f.copied, err
	}
	if f.network && f.waits(&f.noticed) { // a copy may not be visible yet
		return false, nil
	}
	if f.resumed {
		f.resumed = false
		if name := f.younger(); name != "" {
			return f.lost(take)
		}
	}
	take(Line{Note: Rewritten})
	f.cursor = cursor{Position: Position{Inode: f.cursor.Inode, Left: f.cursor.Left}, file: f.cursor.file}
	return true, nil
}

// advance continues from a file that was rotated and read to its end to the next younger one.
func (f *File) advance(there place, take func(Line)) (more bool, err error) {
	name := f.younger()
	if name == "" && there == nowhere {
		if !f.removed {
			f.removed = true
			take(Line{Note: Removed})
		}
		return false, nil
	}
	// On a network file system other rotated files may not be visible yet.
	if f.network && f.waits(&f.noticed) || f.cursor.rest && !f.copied && f.waits(&f.since) {
		return false, nil
	}
	name = cmp.Or(name, f.path)
	was, opened, err := f.replace(name)
	if !opened {
		return false, err
	}
	f.leave(was, take)
	take(Line{Note: Rotated})
	f.copied = false
	return true, nil
}

// leave keeps a file open for late writes, unless half a line of it was given up.
func (f *File) leave(was cursor, take func(Line)) {
	if was.rest || f.copied {
		was.unfinished(take)
		_ = was.close() // read only
		return
	}
	f.late = append(f.late, lately{was, f.options.Clock.Now().Add(f.options.RotateWait)})
	if len(f.late) > maxLate {
		_ = f.late[0].close()
		f.late = f.late[1:]
	}
}

// readLate reads late writes to rotated files, and closes the files at rest.
func (f *File) readLate(take func(Line)) (more bool) {
	kept := f.late[:0]
	for i := range f.late {
		l := f.late[i]
		further, keep := f.readOne(&l, take)
		more = more || further
		if keep {
			kept = append(kept, l)
			continue
		}
		if l.rest {
			l.unfinished(take)
		}
		_ = l.close() // read only
	}
	clear(f.late[len(kept):])
	f.late = kept
	return more
}

func (f *File) readOne(l *lately, take func(Line)) (more, keep bool) {
	now := f.options.Clock.Now()
	if l.file == nil { // after a restart
		if l.until.IsZero() {
			l.until = now.Add(f.options.RotateWait)
		}
		name := f.find(l.Position)
		if name == "" { // on a network file system it may not be visible yet
			return false, f.network && !f.finishing && now.Before(l.until)
		}
		file, err := f.options.System.Open(name)
		if err != nil {
			return false, !f.finishing && now.Before(l.until)
		}
		l.file = file
	} else if f.network {
		f.anew(&l.cursor)
	}
	was := l.seen.Size
	info, err := l.file.Info()
	if err == nil {
		more, err = l.read(f, info, take)
	}
	if err != nil { // for example a stale size
		return false, !f.finishing && now.Before(l.until)
	}
	if l.seen.Size != was {
		l.until = now.Add(f.options.RotateWait)
	}
	return more, more || !f.finishing && now.Before(l.until)
}

func (f *File) folder() string { return filepath.Dir(f.path) }
