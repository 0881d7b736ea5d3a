// Package fileformat knows the files of solvers that people use: how they are recognized, and how they are read. Each
// kind is a description in YAML, as users write them too.
package fileformat

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Preset is a kind of file.
type Preset struct {
	Name   string
	Doc    string // a description
	Sample string // the source against which it was checked
	Closes bool   // it has a closing sentence when all went well

	Detect []Mark // any of them is found in the first SniffLength bytes of such a file
	// Program finds the name of the program and of its case in the same bytes, by groups program and case. Such a log
	// has a verdict of its own, also if its program solves nothing.
	Program []Mark
	// or its first words: a line of the file begins with any of them, which becomes the iteration
	Header []string
	File   history.File
}

// Mark is a regular expression by which files are recognized.
type Mark struct {
	*regexp.Regexp
	literals history.Literals
}

// in reports whether a text has the mark.
func (m Mark) in(text []byte) bool { return m.literals.MayMatch(text) && m.Match(text) }

// Origin returns the program that wrote a log that begins with head, and its case; empty if unknown.
func (p *Preset) Origin(head []byte) (program, situation string) {
	for _, mark := range p.Program {
		found := mark.FindSubmatch(head)
		for i, name := range mark.SubexpNames() {
			switch {
			case found == nil:
			case name == "program":
				program = string(found[i])
			case name == "case":
				situation = string(found[i])
			}
		}
	}
	return program, situation
}

// SniffLength is how much of a file is looked at to recognize it, bytes.
const SniffLength = 16 << 10

// Find returns the preset of a file that begins with head, nil if none is known.
func Find(head []byte) *Preset { return find(builtin(), head) }

func find(list []Preset, head []byte) *Preset {
	for i := range list {
		if p := list[i].recognize(head); p != nil {
			return p
		}
	}
	return nil
}

// FindUser returns the user's preset for a file. The file's first bytes decide or, if no preset recognizes them, the
// file's name. A preset without either is for every file that the user has named.
func FindUser(list []Preset, name string, named bool, head []byte) *Preset {
	if p := find(list, head); p != nil {
		return p
	}
	for i := range list {
		p := &list[i]
		byName, _ := path.Match(path.Base(p.File.Pattern), filepath.Base(name)) // a bad pattern does not pass Parse
		if p.File.Pattern == anyFile {
			byName = named && len(p.Detect)+len(p.Header) == 0
		}
		if byName {
			return p
		}
	}
	return nil
}

// recognize returns the preset for reading a file that begins with head; nil if the file is of another kind.
func (p *Preset) recognize(head []byte) *Preset {
	if slices.ContainsFunc(p.Detect, func(m Mark) bool { return m.in(head) }) {
		return p
	}
	if len(p.Header) == 0 {
		return nil
	}
	for rest := head; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		body := bytes.TrimLeft(bytes.TrimSpace(line), "#%!; \t\"")
		for _, key := range p.Header {
			if bytes.HasPrefix(body, []byte(key)) && (len(body) == len(key) ||
				bytes.ContainsAny(body[len(key):len(key)+1], "\" \t,")) &&
				!bytes.HasSuffix(body, []byte(":")) && numbers(rest) { // "time values:" begins a list
				found := *p
				found.File.Key = key
				found.File.Rename = map[string]string{key: "iteration"}
				for from, to := range p.File.Rename {
					found.File.Rename[from] = to
				}
				return &found
			}
		}
	}
	return nil
}

// numbers reports whether a text is empty, or its next line without comments begins with a number: a table follows.
func numbers(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimLeft(line, " \t\r\n\""); len(line) > 0 && !bytes.ContainsAny(line[:1], "#%!;") {
			return bytes.ContainsAny(line[:1], "+-.0123456789")
		}
	}
	return true
}

//go:embed formats/*.yaml
var formats embed.FS

// order is the order of recognition: the certain formats come before the likely ones.
var order = []string{
	"openfoam-log", "peregrine-history", "cfx-out", "su2-screen", "fluent-transcript", "code_saturne-residuals",
	"code_saturne-probes",
	"su2-history", "cgns-convergence", "openfoam-table", "table",
}

// builtin are the descriptions that are part of the program. They are read on first use, because a solver process that
// the program starts for a run does not use them.
var builtin = sync.OnceValue(func() []Preset {
	var list []Preset
	for _, name := range order {
		file := "formats/" + name + ".yaml"
		p, err := Parse(file, Text(name))
		if err != nil {
			panic(fmt.Sprintf("built-in format: %v", err))
		}
		list = append(list, *p)
	}
	return list
})

// List returns the built-in presets, in the order in which they are tried.
func List() []Preset { return slices.Clone(builtin()) }

// Text returns the description of a built-in preset; nil if unknown.
func Text(name string) []byte {
	data, err := formats.ReadFile("formats/" + name + ".yaml")
	if err != nil || strings.Contains(name, "/") {
		return nil
	}
	return data
}
