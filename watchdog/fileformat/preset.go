// Package fileformat knows the files of solvers that people use: how they are recognized, and how they are read. Each
// kind is a description in YAML, as users write them too.
package fileformat

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Preset is a kind of file.
type Preset struct {
	Name   string
	Doc    string // a description
	Sample string // the source against which it was checked
	Closes bool   // it has a closing sentence when all went well

	Detect []Mark // any of them is found in the first SniffLength bytes of such a file
	// Program finds the name of the program, its case, its start, and the number and the machine of its process in the
	// same bytes, by groups program, case, start, pid and host. Such a log has a verdict of its own, also if its
	// program solves nothing.
	Program []Mark
	// or a table: its header has a column with one of these names, the first of them that it has is the iteration
	Header []string
	File   history.File
	Act    *Act // nil: its runs are stopped by SIGTERM alone
}

// Mark is a regular expression by which files are recognized.
type Mark struct {
	*regexp.Regexp
	literals history.Literals
}

// in reports whether a text has the mark.
func (m Mark) in(text []byte) bool { return m.literals.MayMatch(text) && m.Match(text) }

// Origin is where a log comes from; empty if unknown.
type Origin struct {
	Program, Case string
	Start         time.Time // the last one, by the clock of its machine, without its zone
	Host          string    // machine of its process
	PID           int       // number of its process there
}

// startLayout is the date and time in the header of OpenFOAM's logs.
const startLayout = "Jan 02 2006 Time : 15:04:05"

// Origin returns where a log comes from that begins with head.
func (p *Preset) Origin(head []byte) (o Origin) {
	for _, mark := range p.Program {
		found := mark.FindSubmatch(head)
		for i, name := range mark.SubexpNames() {
			switch {
			case found == nil:
			case name == "program":
				o.Program = string(found[i])
			case name == "case":
				o.Case = string(found[i])
			case name == "host":
				o.Host = string(found[i])
			case name == "pid":
				o.PID, _ = strconv.Atoi(string(found[i])) // 0 where it is none
			}
		}
	}
	o.Start = p.Started(head)
	return o
}

// Started returns the last start that is named in a part of a log; zero: none is, or it is written otherwise.
func (p *Preset) Started(part []byte) (at time.Time) {
	for _, mark := range p.Program {
		group := mark.SubexpIndex("start")
		if group < 0 || !mark.literals.MayMatch(part) {
			continue
		}
		for _, found := range mark.FindAllSubmatch(part, -1) {
			text := strings.Join(strings.Fields(string(found[group])), " ")
			if t, err := time.Parse(startLayout, text); err == nil {
				at = t
			}
		}
	}
	return at
}

// script is the first line of a program for a shell; tables of PLUMED begin with "#! FIELDS".
var script = regex.Lazy(`\A#! ?/`)

// SniffLength is how much of a file is looked at to recognize it, bytes.
const SniffLength = 16 << 10

// Find returns the preset of a file that begins with head, nil if none is known.
func Find(head []byte) *Preset { return find(builtin(), head) }

// find leaves out scripts: they have the sentences of the logs that they search.
func find(list []Preset, head []byte) *Preset {
	if script().Match(head) {
		return nil
	}
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
	text, _, _ := bytes.Cut(head, []byte{0}) // no table has a NUL, and a binary file has many
	for rest, tried := text, 0; len(rest) > 0 && tried < mostHeaders; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if !numbers(rest) {
			continue
		}
		names := history.KeyIn(line, p.Header)
		if len(names) == 0 {
			continue
		}
		tried++
		found := *p
		found.File.Keys, found.File.Rename = names, map[string]string{}
		maps.Copy(found.File.Rename, p.File.Rename)
		for to, keys := range beside {
			for _, name := range history.KeyIn(line, keys) {
				found.File.Rename[name] = to
			}
		}
		for _, name := range names {
			found.File.Rename[name] = "iteration"
		}
		if !p.tabulates(line, rest, names) && found.reads(line, rest, len(head) < SniffLength) {
			return &found
		}
	}
	return nil
}

// beside are columns of runs in time beside the iteration. A time without a word may be the processor's.
var beside = map[string][]string{
	"time":      {"time"},
	"time_flow": {"physical time", "flow time", "solution time", "simulation time", "cur time"},
	"dt":        {"dt", "deltat", "delta t", "time step size"},
}

// padded is a row that begins with a number of a fixed width.
var padded = regex.Lazy(`\A\s*0\d`)

// The headers that are tried in a file, and the lines below one that may be units or comments.
const mostHeaders, mostBelow = 32, 8

// numbers reports whether a text is blank, or one of its next lines begins with a number: a table may follow.
func numbers(text []byte) bool {
	if blank(text) {
		return true
	}
	for range mostBelow {
		if startsNumber(text) {
			return true
		}
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return false
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// startsNumber reports whether a text begins with a digit, or with one behind a sign or a point.
func startsNumber(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\"|")
	digits := bytes.TrimLeft(text[:min(len(text), 3)], "+-.")
	return len(digits) > 0 && digits[0] >= '0' && digits[0] <= '9'
}

// reads reports whether rows of a table follow its header, and its key grows in them; an input file has one row. One
// row is enough, or none if the key comes first, at the end of a file whose header is a comment or has separators; but
// a row that begins with 0000010 names a file of fields.
func (p *Preset) reads(header, text []byte, ends bool) bool {
	all, marked := text, ends && bytes.ContainsAny(header, "#%!\",;\t|")
	if blank(text) {
		return marked && len(bytes.Fields(header)) > 1 && p.leads(header)
	}
	parser := history.NewParser(&history.FileSpec{File: p.File}, "", history.State{},
		func() time.Time { return time.Time{} })
	rows, first, grows := 0, 0.0, false
	take := func(s *history.Sample) {
		if at, known := s.At(); known && len(s.Numbers)+len(s.NonFinite)+len(s.Arrays) > 1 {
			if rows++; rows == 1 {
				first = at
			}
			grows = at > first
		}
	}
	none := func(*history.Sample) {}
	parser.Read(tail.Line{Text: header}, none)
	for below := 0; below < mostBelow && !blank(text); {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		before := rows
		if startsNumber(line) {
			parser.Read(tail.Line{Text: line}, take)
		} else {
			parser.Read(tail.Line{Text: line}, none)
		}
		if grows {
			return true
		}
		if rows == before {
			below++
		}
		text = rest
	}
	return rows == 1 && marked && blank(text) && !padded().Match(all)
}

// leads reports whether a header begins with its key, of three letters and more, and is no sentence.
func (p *Preset) leads(header []byte) bool {
	return !bytes.HasSuffix(bytes.TrimSpace(header), []byte(".")) &&
		slices.ContainsFunc(history.Readings(string(header)), func(names []string) bool {
			letters := strings.IndexFunc(names[0]+" ", func(r rune) bool { return !unicode.IsLetter(r) })
			return slices.Contains(p.File.Keys, names[0]) && letters > 2
		})
}

// Likely reports whether files are recognized by a column's name alone: such a file may be other data.
func (p *Preset) Likely() bool { return p.Name == "table" || p.Name == "openfoam-table" }

//go:embed formats/*.yaml
var formats embed.FS

// order is the order of recognition: the certain formats come before the likely ones.
var order = []string{
	"openfoam-log", "peregrine-history", "cfx-out", "su2-screen-6", "su2-screen", "fluent-transcript", "starccm-log",
	"code_saturne-residuals", "code_saturne-probes", "code_saturne-log", "nek5000-log", "elmer-log", "lammps-log",
	"abaqus-sta", "calculix-log", "calculix-cvg", "calculix-sta", "adflow-log", "fun3d-log", "fun3d-history",
	"pyfr-residual", "su2-steps", "su2-history", "cgns-convergence", "openfoam-table", "table",
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
