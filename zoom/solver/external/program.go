package external

// Programs of steps: whether this machine can start them, and their identity as part of the solver's version.

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/checksum"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
)

// startable returns the reason why a program cannot be started here, as far as it is visible without starting it.
func startable(name string) error {
	path, err := hosting.Find(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be executed: chmod +x it", name)
	case err != nil && strings.Contains(name, "/"):
		return fmt.Errorf("there is no program %s", name)
	case err != nil:
		return fmt.Errorf("there is no program %s in PATH", name)
	case runtime.GOOS != "linux":
		return nil
	}
	f, err := intake.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 4)
	if n, _ := io.ReadFull(f, head); n == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	switch {
	case strings.HasPrefix(string(head), "#!"):
		return nil
	case string(head) != elf.ELFMAG:
		return fmt.Errorf("%s is no program of this system, and no script with #! in its first line", path)
	}
	e, err := elf.NewFile(f)
	if err != nil {
		return fmt.Errorf("%s is no whole program: %w", path, err)
	}
	if here, known := machines[runtime.GOARCH]; known && !slices.Contains(here, e.Machine) {
		return fmt.Errorf("%s is a program for %s; this machine is %s", path, e.Machine, runtime.GOARCH)
	}
	return nil
}

// machines lists the ELF machines of programs that run here, by the architecture of this program.
var machines = map[string][]elf.Machine{
	"amd64": {elf.EM_X86_64, elf.EM_386},
	"arm64": {elf.EM_AARCH64, elf.EM_ARM},
}

// identityTime is the time in which a command of `identity` must end.
const identityTime = 30 * time.Second

// stamps returns the stamps of all files that Code hashes, as a text. A missing file has its error.
func (d *Description) stamps() string {
	var b strings.Builder
	paths := append(d.mentioned(), d.File)
	programs := []string{}
	for _, s := range d.steps {
		programs = append(programs, s.program)
	}
	for _, w := range d.identity {
		if w.command != nil {
			programs = append(programs, w.command[0])
		}
	}
	for _, name := range programs {
		path, err := hosting.Find(name)
		if err != nil {
			path = name
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(at string, _ fs.DirEntry, err error) error {
			info, serr := os.Stat(at)
			if err = errors.Join(err, serr); err != nil {
				fmt.Fprintln(&b, at, err)
				return nil
			}
			fmt.Fprintln(&b, at, intake.Stamp(info))
			return nil
		})
	}
	return b.String()
}

// Code returns all that determines the answers besides the request: a hash of the description, of the files that it
// names, of the programs of its steps, and of the entries of `identity`. It runs the commands of that list.
func (d *Description) Code(ctx context.Context) (string, error) {
	h := sha256.New()
	add := func(what, content string) { fmt.Fprintf(h, "%s %d\n%s\n", what, len(content), content) }
	add("description", string(d.text))
	for _, path := range d.mentioned() {
		sum, err := checksum.Of(path)
		if err != nil {
			return "", err
		}
		rest, err := filepath.Rel(d.folder(), path)
		if err != nil {
			return "", err
		}
		add("file", rest+" "+sum)
	}
	for _, s := range d.steps {
		if err := addProgram(add, s.program); err != nil {
			return "", d.fault(s.pos, err)
		}
	}
	for _, w := range d.identity {
		if w.command == nil {
			continue
		}
		if err := addProgram(add, w.command[0]); err != nil {
			return "", d.fault(w.pos, err)
		}
		text, err := d.output(ctx, w.command)
		if err != nil {
			return "", d.fault(w.pos, err)
		}
		add("output", text)
	}
	return codeVersion + hex.EncodeToString(h.Sum(nil)), nil
}

func addProgram(add func(what, content string), name string) error {
	path, err := hosting.Find(name)
	if err != nil {
		return err
	}
	sum, err := checksum.Of(path)
	add("program", sum)
	return err
}

func (d *Description) fault(at document.Pos, err error) error {
	return &document.Problem{File: d.File, Pos: at, Message: err.Error(), Cause: err}
}

// mentioned returns the absolute paths of all files and folders that the description names.
func (d *Description) mentioned() (paths []string) {
	for _, p := range d.files {
		if p.copied != "" {
			paths = append(paths, p.copied)
		}
		if p.source != "" {
			paths = append(paths, p.source)
		}
	}
	for _, s := range d.steps {
		for _, t := range s.command[1:] {
			if text, fixed := t.fixed(); fixed && filepath.IsAbs(text) && isFile(text) {
				paths = append(paths, text)
			}
		}
	}
	for _, w := range d.identity {
		if w.file != "" {
			paths = append(paths, w.file)
		}
	}
	return paths
}

// Files returns the absolute paths of the files that the description names, but not of the folders, and of the programs
// that it names by a path.
func (d *Description) Files() []string {
	paths := d.mentioned()
	for _, s := range d.steps {
		paths = append(paths, s.program)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) || !isFile(path) })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// output returns the output of a command in an empty folder.
func (d *Description) output(ctx context.Context, words []string) (text string, err error) {
	folder, err := private.Temporary("identity")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	out, err := os.Create(filepath.Join(folder, "output"))
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Close() }()
	ctx, cancel := context.WithTimeout(ctx, identityTime)
	defer cancel()
	command := process.Exec{Words: words, Folder: folder, Environment: d.variables(), Output: out, Patience: patience}
	if _, err := command.Run(ctx); err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s did not end within %v", strings.Join(words, " "), identityTime)
	}
	data, err := intake.Read(out.Name(), templateLimit)
	return string(data), err
}

// variables returns the environment of the commands.
func (d *Description) variables() []string { return append(hosting.Environment(), d.environment...) }
