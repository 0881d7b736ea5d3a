// Package foldertest plants links, pipes and folders at names that a program opens below a folder that others may
// write, and holds what happens to the files of a victim against what they were.
package foldertest

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// secret is the content of the victim's file: longer than most that a program writes, with lines that are no JSON.
var secret = bytes.Repeat([]byte("a line of the victim\n"), 500)

// Victim is a private folder with a file and a folder with a file.
type Victim struct{ dir string }

// NewVictim makes the folder.
func NewVictim(t *testing.T) Victim {
	t.Helper()
	v := Victim{t.TempDir()}
	must.OK(t, os.Mkdir(v.folder(), 0o700))
	for _, path := range []string{v.file(), filepath.Join(v.folder(), "file")} {
		must.OK(t, os.WriteFile(path, secret, 0o600))
	}
	must.OK(t, os.Chmod(v.dir, 0o700))
	return v
}

func (v Victim) file() string   { return filepath.Join(v.dir, "file") }
func (v Victim) folder() string { return filepath.Join(v.dir, "folder") }

// Check reports what has changed in the folder since NewVictim.
func (v Victim) Check(t *testing.T, what string) {
	t.Helper()
	want := map[string]fs.FileMode{".": 0o700, "file": 0o600, "folder": 0o700, "folder/file": 0o600}
	must.OK(t, filepath.WalkDir(v.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(v.dir, path)
		must.OK(t, err)
		info, err := e.Info()
		must.OK(t, err)
		mode, there := want[name]
		delete(want, name)
		switch {
		case !there:
			t.Errorf("%s: it made %s", what, name)
		case info.Mode().Perm() != mode:
			t.Errorf("%s: %s has the mode %v", what, name, info.Mode())
		case !e.IsDir() && !bytes.Equal(must.Value(fs.ReadFile(os.DirFS(v.dir), name))(t), secret):
			t.Errorf("%s: %s has another content", what, name)
		}
		return nil
	}))
	if len(want) > 0 {
		t.Errorf("%s: it removed %v", what, slices.Sorted(maps.Keys(want)))
	}
}

// Plant is a thing that is put in the place of a file or folder.
type Plant struct {
	Name string
	put  func(path string, v Victim) error
}

// Plants are all of them.
var Plants = []Plant{
	{"a link to a file", func(path string, v Victim) error { return os.Symlink(v.file(), path) }},
	{"a link to a folder", func(path string, v Victim) error { return os.Symlink(v.folder(), path) }},
	{"a dangling link", func(path string, v Victim) error { return os.Symlink(filepath.Join(v.dir, "none"), path) }},
	{"a hard link", func(path string, v Victim) error { return os.Link(v.file(), path) }},
	{"a pipe", func(path string, _ Victim) error { return syscall.Mkfifo(path, 0o666) }},
	{"a folder", func(path string, _ Victim) error { return os.MkdirAll(filepath.Join(path, "in it"), 0o777) }},
}

// At puts the plant at a path, whose folders it makes.
func (p Plant) At(t *testing.T, path string, v Victim) {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.OK(t, os.RemoveAll(path))
	must.OK(t, p.put(path, v))
}

// Names returns the names below a folder that use opens, makes or removes, except names of temporary files and folders,
// which hold a random number. The folders below it must exist already: call use before.
func Names(t *testing.T, dir string, use func()) []string {
	t.Helper()
	fd := must.Value(syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK))(t)
	defer func() { _ = syscall.Close(fd) }()
	folders := map[int32]string{}
	must.OK(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		id, err := syscall.InotifyAddWatch(fd, path,
			syscall.IN_OPEN|syscall.IN_CREATE|syscall.IN_MOVE|syscall.IN_DELETE)
		folders[int32(id)] = must.Value(filepath.Rel(dir, path))(t)
		return err
	}))
	use()
	names := map[string]bool{}
	buffer := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(fd, buffer)
		if err == syscall.EAGAIN {
			break
		}
		must.OK(t, err)
		for at := 0; at < n; {
			head := buffer[at : at+syscall.SizeofInotifyEvent]
			length := int(binary.NativeEndian.Uint32(head[12:]))
			name := strings.TrimRight(string(buffer[at+len(head):at+len(head)+length]), "\x00")
			at += len(head) + length
			if int32(binary.NativeEndian.Uint32(head)) < 0 {
				t.Fatal("too many names to hold")
			}
			if name != "" && !strings.HasPrefix(name, ".tmp-") && !strings.HasPrefix(name, ".certificate-") {
				names[filepath.Join(folders[int32(binary.NativeEndian.Uint32(head))], name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}
