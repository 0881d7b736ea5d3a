// Package atomic replaces files in one step.
//
// The new content is written to a temporary file on the same file system, which
// is then renamed over the old file. A reader finds the old file or the new one,
// never a part of either, whenever the writer is killed. If anything fails or
// panics, the old file stays and the temporary file is removed. A process that is killed
// while it writes leaves its temporary file, which [Sweep] removes.
//
// Errors name the file that was to be written, not the temporary one.
package atomic

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/fault"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// Prefix begins the names of temporary files.
const Prefix = ".tmp-"

// Sweep removes the temporary files from a folder whose writers have ended.
func Sweep(folder string) { process.RemoveLeft(folder, Prefix) }

// Abandoned reports whether a file name is that of a temporary file whose writer has ended.
func Abandoned(name string) bool { return process.Left(name, Prefix) }

// Option changes how a file is written.
type Option func(*settings)

type settings struct {
	mode   os.FileMode
	sync   bool
	first  bool
	folder string
	root   *os.Root // nil: none
}

// Mode sets the permissions of the file; the default is 0644. The process's
// umask does not change them.
func Mode(mode os.FileMode) Option { return func(s *settings) { s.mode = mode } }

// Sync flushes the file and its folder to the disk before the function returns. The content then survives a power
// failure. Without Sync the file only survives the death of the process.
func Sync(s *settings) { s.sync = true }

// First keeps an existing file: the error is then [fs.ErrExist]. Of several concurrent writers the first wins.
func First(s *settings) { s.first = true }

// Via sets the folder of the temporary file; the default is the folder of the
// file itself. It must be on the same file system.
func Via(folder string) Option { return func(s *settings) { s.folder = folder } }

// In keeps all names below a root, which path and the folder of the temporary file must be in: a link that leads out of
// the root is an error, and a link in the place of the file is replaced.
func In(root *os.Root) Option { return func(s *settings) { s.root = root } }

// WriteFile makes the file at path hold data.
func WriteFile(path string, data []byte, options ...Option) error {
	return Stream(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}, options...)
}

// Stream writes the output of fill to the file at path. The writer is buffered, so fill may write small pieces. An
// error of fill keeps the old file, and is returned with the path before it.
func Stream(path string, fill func(io.Writer) error, options ...Option) error {
	s := settings{mode: 0o644, folder: filepath.Dir(path)}
	for _, o := range options {
		o(&s)
	}
	f, err := s.temporary()
	if err != nil {
		return named(path, err)
	}
	return s.replace(path, f, fill)
}

// temporary makes the temporary file.
func (s settings) temporary() (*os.File, error) {
	name := Prefix + process.Self().Tag() + "-"
	if s.root == nil {
		return os.CreateTemp(s.folder, name+"*")
	}
	return s.root.OpenFile(s.within(filepath.Join(s.folder, name+rand.Text())), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// within returns a path below the root as the root names it.
func (s settings) within(path string) string {
	name, err := filepath.Rel(s.root.Name(), path)
	if err != nil {
		return path // which the root refuses
	}
	return name
}

// onNames calls a function on two names of the root, or else of the system.
func (s settings) onNames(of func(*os.Root, string, string) error, system func(from, to string) error,
	from, to string) error {
	if s.root == nil {
		return system(from, to)
	}
	return of(s.root, s.within(from), s.within(to))
}

func (s settings) remove(path string) error {
	if s.root == nil {
		return os.Remove(path)
	}
	return s.root.Remove(s.within(path))
}

// file is the part of an [os.File] that [settings.replace] needs.
type file interface {
	io.WriteCloser
	Name() string
	Chmod(os.FileMode) error
	Sync() error
}

// replace fills the temporary file f and renames it to path. If fill panics, the temporary file is removed.
func (s settings) replace(path string, f file, fill func(io.Writer) error) error {
	renamed := false
	defer func() {
		if !renamed {
			_ = f.Close() // for the second time, but where fill panics
			_ = s.remove(f.Name())
		}
	}()
	err := s.complete(path, f, fill)
	if e := f.Close(); err == nil {
		err = named(path, e)
	}
	switch {
	case err != nil:
		return err
	case s.first: // the deferred call removes the temporary name
		err = s.onNames((*os.Root).Link, os.Link, f.Name(), path)
	default:
		err = s.onNames((*os.Root).Rename, os.Rename, f.Name(), path)
		renamed = err == nil
	}
	if err != nil {
		return named(path, err)
	}
	if s.sync {
		return named(path, s.syncFolder(filepath.Dir(path)))
	}
	return nil
}

// complete writes all of f but its name.
func (s settings) complete(path string, f file, fill func(io.Writer) error) error {
	if err := pour(path, f, fill); err != nil {
		return err
	}
	if err := f.Chmod(s.mode); err != nil {
		return named(path, err)
	}
	if s.sync {
		return named(path, f.Sync())
	}
	return nil
}

// pour buffers the writes of fill. Its errors name path.
func pour(path string, to io.Writer, fill func(io.Writer) error) error {
	w := bufio.NewWriter(target{path, to})
	if err := fill(w); err != nil {
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == path {
			return err
		}
		return fmt.Errorf("%s: %w", path, err)
	}
	return w.Flush()
}

// target writes to a temporary file and reports errors under the final path.
type target struct {
	path string
	io.Writer
}

func (t target) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	return n, named(t.path, err)
}

// named replaces the path in an error of the file system.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	cause := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		cause = pe.Err
	}
	if le := (*os.LinkError)(nil); errors.As(err, &le) {
		cause = le.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: cause}
}

func (s settings) syncFolder(dir string) error {
	open := os.Open
	if s.root != nil {
		open, dir = s.root.Open, s.within(dir)
	}
	d, err := open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Content that arrives in parts, for example over a network that breaks.

// Resume is Stream for content that may arrive in parts. If fill fails, the part written so far is kept under a
// temporary name, and the next Resume of this process to the same path continues it. If the disk is full, the part is
// removed. Fill gets the temporary file, and writes at its end.
func Resume(path string, fill func(part *os.File) error, options ...Option) error {
	s := settings{mode: 0o644}
	for _, o := range options {
		o(&s)
	}
	sum := sha256.Sum256([]byte(filepath.Base(path))) // the name may have the greatest length already
	part := filepath.Join(filepath.Dir(path), Prefix+process.Self().Tag()+"-"+hex.EncodeToString(sum[:8]))
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return named(path, err)
	}
	err = fill(f)
	if err == nil {
		err = named(path, f.Chmod(s.mode))
	}
	if e := f.Close(); err == nil {
		err = named(path, e)
	}
	if err == nil {
		err = named(path, os.Rename(part, path))
	}
	if fault.Is(err) { // a full disk needs the room
		_ = os.Remove(part)
	}
	return err
}
