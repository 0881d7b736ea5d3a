// Package intake opens and reads files that a user names: on the command line, in an engine file, in a run folder. Such
// a path may name a device that never ends, a pipe without a writer, or a file that is far too large. Only regular
// files are read, and only up to a limit for their kind.
package intake

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Limit is the most bytes that a kind of file may have.
type Limit struct {
	What  string // with its article, such as "a map"
	Bytes int64
}

// A SizeError reports a file with more bytes than its kind may have.
type SizeError struct{ Limit Limit }

func (e *SizeError) Error() string {
	return fmt.Sprintf("over %s, the most that %s may have", bytes(e.Limit.Bytes), e.Limit.What)
}

// A KindError reports a path that is no regular file.
type KindError struct{ Mode fs.FileMode }

func (e *KindError) Error() string { return kind(e.Mode) + ", want a regular file" }

// Open opens a regular file for reading. Its error is a *fs.PathError, which wraps a *KindError if the path is no
// regular file. It never waits, not even for the writer of a pipe.
func Open(path string) (*os.File, error) {
	// Looked at first, because to open some devices is to act on them; and once more
	// when it is open, because the name may stand for something else by then.
	if err := Look(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|WithoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = Regular(path, info)
	}
	if err != nil {
		_ = f.Close() // not read yet
		return nil, err
	}
	return f, nil
}

// In opens an existing regular file below a root with a flag of [os.OpenFile]. It follows no link in the last place of
// the name, and no link anywhere that leads out of the root.
func In(root *os.Root, name string, flag int) (*os.File, error) {
	return unlinked(filepath.Join(root.Name(), name),
		func() (fs.FileInfo, error) { return root.Lstat(name) },
		func() (*os.File, error) { return root.OpenFile(name, flag|WithoutWaiting, 0) })
}

// OpenNamed is Open that follows no link in the last place of the path.
func OpenNamed(path string) (*os.File, error) {
	return unlinked(path,
		func() (fs.FileInfo, error) { return os.Lstat(path) },
		func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|WithoutWaiting, 0) })
}

// unlinked opens the regular file that is at a name itself.
func unlinked(path string, look func() (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, error) {
	for range 100 { // a file is seldom replaced between the look at it and its opening
		info, err := look()
		if err == nil {
			err = Regular(path, info)
		}
		if err != nil {
			return nil, err
		}
		f, err := open()
		if err != nil {
			return nil, err
		}
		opened, err := f.Stat()
		if err == nil && os.SameFile(info, opened) {
			return f, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("its file changes all the time")}
}

// Look returns the error that Open would return for the kind of a file, without opening it.
func Look(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return Regular(path, info)
}

// Read returns the content of a regular file. Its error is a *fs.PathError, which wraps a *SizeError if the file is too
// large.
func Read(path string, limit Limit) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read: no data can be lost
	return File(f, limit)
}

// File returns the content of an open file. Its error is that of Read.
func File(f *os.File, limit Limit) ([]byte, error) {
	path := f.Name()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit.Bytes {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &SizeError{limit}}
	}
	data, err := all(f, info.Size(), limit)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, nil
}

// All returns the rest of r. Its error is a *SizeError if the rest is too large.
func All(r io.Reader, limit Limit) ([]byte, error) { return all(r, 0, limit) }

// all reads about size bytes, or more if the file has grown.
func all(r io.Reader, size int64, limit Limit) ([]byte, error) {
	data := make([]byte, 0, size+512)
	r = io.LimitReader(r, limit.Bytes+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit.Bytes:
			return nil, &SizeError{limit}
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// Regular returns the error that Open would return for a file of a kind.
func Regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: &KindError{info.Mode()}}
}

// kind names the kind of a file that is not regular.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else than a file"
}

// bytes writes a size for people.
func bytes(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
