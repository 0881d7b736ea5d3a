package format

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// gasTurbFile reads the words and numbers of a file.
type gasTurbFile struct {
	text     string
	at       int // what was read
	lines    lineIndex
	tables   map[string]*gasTurbTable
	reynolds []float64 // RNI1, f1, RNI2, f2
	notes    []string
}

var gasTurbReynolds = regexp.MustCompile(`(?i)RNI\s*=\s*(\S+)\s+f\s*=\s*(\S+)\s+RNI\s*=\s*(\S+)\s+f\s*=\s*(\S+)`)

// read takes section after section: a line of words, then perhaps a table.
func (f *gasTurbFile) read() error {
	known := "" // the table that was read last
	for {
		line, at, ok := f.line()
		if !ok {
			return nil
		}
		word := strings.ToLower(strings.Join(strings.Fields(line), " "))
		switch {
		case word == "":
		case strings.HasPrefix(word, "reynolds"):
			if err := f.correction(line, at); err != nil {
				return err
			}
		case slices.Contains(gasTurbTables, word):
			known = strings.TrimSpace(line)
			if f.tables[word] != nil {
				return at.fault("the table %s is there twice", known)
			}
			t, err := f.table(known, at)
			if err != nil {
				return err
			}
			f.tables[word] = t
		case isNumber(strings.Fields(line)[0]):
			if known != "" {
				return at.fault("%s: more numbers than its key asks for", known)
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

func (f *gasTurbFile) correction(line string, at place) error {
	m := gasTurbReynolds.FindStringSubmatch(line)
	if m == nil {
		return at.fault(`the Reynolds correction reads "Reynolds: RNI=0.1 f=0.95 RNI=1 f=1"`)
	}
	for _, text := range m[1:] {
		v, err := parseNumber(text)
		if err != nil || !numeric.Finite(v) {
			return at.fault("Reynolds correction: %s is no number", text)
		}
		f.reynolds = append(f.reynolds[:len(f.reynolds):len(f.reynolds)], v)
	}
	if len(f.reynolds) != 4 {
		return at.fault("the Reynolds correction is there twice")
	}
	return nil
}

// number returns the next number, wherever it stands.
func (f *gasTurbFile) number(want string) (float64, place, error) {
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n", f.text[f.at]) >= 0 {
		f.at++
	}
	at := f.lines.place(f.at)
	rest := f.text[f.at:]
	if n := strings.IndexAny(rest, " \t\r\n"); n >= 0 {
		rest = rest[:n]
	}
	if rest == "" {
		return 0, at, at.fault("%s: the file ends before it", want)
	}
	v, err := parseNumber(rest)
	if err != nil {
		return 0, at, at.fault("%s: %v", want, err)
	}
	f.at += len(rest)
	return v, at, nil
}

// most is far above the rows and columns of any map (GSP's limits are 150 and 40).
const mostInTable = 999

// table reads a table whose name stood at a place.
func (f *gasTurbFile) table(name string, at place) (*gasTurbTable, error) {
	key, keyAt, err := f.number(name + ": its key")
	if err != nil {
		return nil, err
	}
	rows := math.Floor(key + 5e-7)
	cols := math.Round((key - rows) * 1000)
	if !(rows >= 2 && rows <= mostInTable && cols >= 2) {
		return nil, keyAt.fault("%s: its key %g is not rows + columns/1000, heads included", name, key)
	}
	t := &gasTurbTable{sheetTable: sheetTable{name: name, at: at}}
	read := func(n int, what string, into *[]float64) error {
		for i := range n {
			v, _, err := f.number(fmt.Sprintf("%s, %s, value %d (the key %s asks for %d rows of %d)", name, what, i+1, numeric.Text(key), int(rows)-1, int(cols)-1))
			if err != nil {
				return err
			}
			*into = append(*into, v)
		}
		return nil
	}
	if err := read(int(cols)-1, "heads of the columns", &t.cols); err != nil {
		return nil, err
	}
	for r := range int(rows) - 1 {
		row := sheetRow{x: t.cols}
		if row.nc, row.at, err = f.number(fmt.Sprintf("%s: head of row %d", name, r+1)); err != nil {
			return nil, err
		}
		if err := read(int(cols)-1, fmt.Sprintf("row %d (%s)", r+1, numeric.Text(row.nc)), &row.v); err != nil {
			return nil, err
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}
