// Package examples holds the example engines with their files, so that the program can write them where a user works.
package examples

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

//go:embed *.yaml bmf cluster geometry maps openfoam fortran logs trace
var files embed.FS

// Example is an engine, the log of a solver, a trace, a BMF program, or a cluster.
type Example struct {
	Name  string // path of its main file, without extension
	Title string // engine's name, or a description
	Main  string // path of its main file
}

var (
	title   = regex.Lazy(`(?m)^engine: (.+)$`)
	comment = regex.Lazy(`^# (.+?)\.?\n`)
)

// List returns the examples, by name.
func List() ([]Example, error) {
	var list []Example
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		e := Example{Name: strings.TrimSuffix(name, path.Ext(name)), Main: name}
		switch path.Ext(name) {
		case ".log":
			e.Title = logTitle
		case ".picl":
			e.Title = traceTitle
		case ".bmf":
			if e.Title, err = programTitle(name); err != nil {
				return err
			}
		case ".yaml":
			text, err := files.ReadFile(name)
			if err != nil {
				return err
			}
			found := title().FindSubmatch(text)
			if path.Dir(name) == "cluster" {
				found = comment().FindSubmatch(text)
			}
			if found == nil { // a file of another example
				return nil
			}
			e.Title = string(found[1])
		default:
			return nil
		}
		list = append(list, e)
		return nil
	})
	return list, err
}

// programTitle is the first line of a BMF program, which is a comment.
func programTitle(name string) (string, error) {
	text, err := files.ReadFile(name)
	line, _, _ := strings.Cut(strings.TrimPrefix(string(text), "-- "), "\n")
	return "BMF program: " + line, err
}

// logTitle and traceTitle describe the only log and the only trace that are examples of their own.
const (
	logTitle   = "Log of an OpenFOAM run that diverges"
	traceTitle = "Trace of four processes in a ring"
)

// whole are folders whose files belong together.
var whole = map[string]bool{"openfoam": true, "fortran": true, "trace": true, "bmf": true}

// Files returns an example's files by path: its main file and the files that it names.
func (e Example) Files() (map[string][]byte, error) {
	text, err := files.ReadFile(e.Main)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{e.Main: text}
	folders := map[string]bool{}
	if whole[path.Dir(e.Main)] {
		folders[path.Dir(e.Main)] = true
	}
	for pass := range 2 { // first the files that it names, then those beside them
		err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || found[name] != nil {
				return err
			}
			top, _, nested := strings.Cut(name, "/")
			if !nested || !folders[top] && (pass == 1 || !strings.Contains(string(text), name)) {
				return nil
			}
			folders[top] = folders[top] || whole[top]
			found[name], err = files.ReadFile(name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
