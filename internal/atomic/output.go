package atomic

// Output files that a user names. Such a path may name a pipe, a terminal or a link.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// standardOutput is the path that names the standard output on every system.
const standardOutput = "-"

// Output writes what fill writes to the place that a user named. A regular file, and what does not exist yet, is made
// as [Stream] does; so is the target of a symbolic link, which stays. Pipes and devices are written through: they are
// not replaced by a file, and keep what was written before an error. The path - is the standard output.
func Output(path string, fill func(io.Writer) error, options ...Option) error {
	if path == standardOutput {
		return pour("standard output", os.Stdout, fill)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case err == nil && !(info.Mode().IsRegular() && notInherited(info)):
		return through(path, info, fill)
	}
	target, err := linked(path)
	if err != nil {
		return err
	}
	return Stream(target, fill, options...)
}

// notInherited reports whether a file is neither standard output nor standard error of this process. /dev/stdout may
// name such a file. If it were replaced, later output would be lost.
func notInherited(info os.FileInfo) bool { return inherited(info) == nil }

// inherited returns standard output or standard error if it is a file, or nil.
func inherited(info os.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if stream, err := f.Stat(); err == nil && os.SameFile(stream, info) {
			return f
		}
	}
	return nil
}

// ToStandardOutput reports whether a path names the standard output of this process.
func ToStandardOutput(path string) bool {
	if path == standardOutput {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && inherited(info) == os.Stdout
}

// through writes into an existing file, without replacing it.
func through(path string, info os.FileInfo, fill func(io.Writer) error) (err error) {
	f := inherited(info)
	if f == nil {
		if f, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return err
		}
		defer func() {
			if e := f.Close(); err == nil {
				err = named(path, e)
			}
		}()
	}
	return pour(path, f, fill)
}

// linked follows symbolic links to their target, which need not exist.
func linked(path string) (string, error) {
	const most = 40 // as Linux follows
	at := path
	for range most {
		to, err := os.Readlink(at)
		if err != nil { // no link
			return at, nil
		}
		if !filepath.IsAbs(to) {
			// not cleaned: .. behind a link is the parent of its target
			to = filepath.Dir(at) + string(filepath.Separator) + to
		}
		at = to
	}
	return "", named(path, errors.New("too many links"))
}
