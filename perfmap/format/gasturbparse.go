package format

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// gasTurbFile reads the words and numbers of a file.
type gasTurbFile struct {
	text     string
	at       int // position of the reader
	lines    lineIndex
	tables   map[string]*gasTurbTable
	reynolds []float64 // RNI1, f1, RNI2, f2
	notes    []string
	err      error // the first fault
}

// fail keeps the first fault and passes over the rest of the file, so that all reading ends.
func (f *gasTurbFile) fail(at place, format string, args ...any) {
	if f.err == nil {
		f.err = at.fault(format, args...)
	}
	f.at = len(f.text)
}

var gasTurbReynolds = regex.Lazy(`(?i)RNI\s*=\s*(\S+)\s+f\s*=\s*(\S+)\s+RNI\s*=\s*(\S+)\s+f\s*=\s*(\S+)`)

// read takes section after section: a line of words, then perhaps a table.
func (f *gasTurbFile) read() error {
	known := "" // the table that was read last
	for {
		line, at, ok := f.line()
		if !ok {
			return f.err
		}
		word := strings.ToLower(strings.Join(strings.Fields(line), " "))
		switch {
		case word == "":
		case strings.HasPrefix(word, "reynolds"):
			f.correction(line, at)
		case slices.Contains(gasTurbTables, word):
			known = strings.TrimSpace(line)
			if f.tables[word] != nil {
				f.fail(at, "the table %s is listed twice", known)
			}
			f.tables[word] = f.table(known, at)
		case isNumber(strings.Fields(line)[0]):
			if known != "" {
				f.fail(at, "%s: more numbers than its key asks for", known)
			} // else of a table that is left out
		default:
			known = ""
			f.notes = append(f.notes, fmt.Sprintf("line %d (%s) is left out", at.line, oneComment(line)))
		}
	}
}

func isNumber(s string) bool { _, err := parseNumber(s); return err == nil }

// line returns the next line.
func (f *gasTurbFile) line() (text string, at place, ok bool) {
	if f.at >= len(f.text) {
		return "", place{}, false
	}
	at = f.lines.place(f.at)
	text, _, found := strings.Cut(f.text[f.at:], "\n")
	f.at += len(text)
	if found {
		f.at++
	}
	return strings.TrimSuffix(text, "\r"), at, true
}

func (f *gasTurbFile) correction(line string, at place) {
	m := gasTurbReynolds().FindStringSubmatch(line)
	if m == nil {
		f.fail(at, `the Reynolds correction reads "Reynolds: RNI=0.1 f=0.95 RNI=1 f=1"`)
		return
	}
	for _, text := range m[1:] {
		v, err := parseNumber(text)
		if err != nil || !numeric.Finite(v) {
			f.fail(at, "Reynolds correction: %s is no number", text)
		}
		f.reynolds = append(f.reynolds, v)
	}
	if len(f.reynolds) != 4 {
		f.fail(at, "the Reynolds correction is listed twice")
	}
}

// number returns the next number, in any line.
func (f *gasTurbFile) number(format string, args ...any) (float64, place) {
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n", f.text[f.at]) >= 0 {
		f.at++
	}
	at := f.lines.place(f.at)
	word := f.text[f.at:]
	if n := strings.IndexAny(word, " \t\r\n"); n >= 0 {
		word = word[:n]
	}
	v, err := parseNumber(word)
	f.at += len(word)
	if word == "" {
		err = errors.New("the file ends before it")
	}
	if err != nil {
		f.fail(at, "%s: %v", fmt.Sprintf(format, args...), err)
	}
	return v, at
}

// most is far above the rows and columns of any map (GSP's limits are 150 and 40).
const mostInTable = 999

// table reads a table whose name stood at a place.
func (f *gasTurbFile) table(name string, at place) *gasTurbTable {
	key, keyAt := f.number("%s: its key", name)
	rows := math.Floor(key + 5e-7)
	cols := math.Round((key - rows) * 1000)
	if !(rows >= 2 && rows <= mostInTable && cols >= 2) {
		f.fail(keyAt, "%s: its key %g is not rows + columns/1000, heads included", name, key)
		return nil
	}
	read := func(what string) (v []float64) {
		for i := 0; i < int(cols)-1 && f.err == nil; i++ {
			x, _ := f.number("%s, %s, value %d (the key %s asks for %d rows of %d)",
				name, what, i+1, numeric.Text(key), int(rows)-1, int(cols)-1)
			v = append(v, x)
		}
		return v
	}
	t := &gasTurbTable{sheetTable{name: name, at: at}, read("heads of the columns")}
	for r := 0; r < int(rows)-1 && f.err == nil; r++ {
		row := sheetRow{x: t.cols}
		row.nc, row.at = f.number("%s: head of row %d", name, r+1)
		row.v = read(fmt.Sprintf("row %d (%s)", r+1, numeric.Text(row.nc)))
		t.rows = append(t.rows, row)
	}
	return t
}
