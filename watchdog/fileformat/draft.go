package fileformat

// A description that is guessed from the beginning of a file, for its user to correct.

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// Draft is a description of a table or, without columns, of the lines of a log.
type Draft struct {
	Name    string   // of the format
	Files   string   // their names
	Columns []string // of a table
	Head    string   // the line that names them; empty: none does
	Key     string   // column of the iteration or the time; empty: unknown
	Time    bool     // it is the time

	Residuals   map[string]string // equations by column; empty for a residual of all
	Log10, Drop []string
	Lines       []string // templates
}

// Guess returns the likely description of a file that begins with head.
func Guess(head []byte) *Draft {
	d := &Draft{Residuals: map[string]string{}}
	rows := d.table(head)
	if rows == nil {
		d.Lines = templates(head)
		return d
	}
	if keys := history.KeyIn([]byte(d.Head), List()[len(order)-1].Header); len(keys) > 0 {
		d.Key = keys[0]
	}
	for i, column := range d.Columns {
		if d.Key == "" && slices.IsSortedFunc(rows, func(a, b row) int { return cmp.Compare(a[column], b[column]) }) &&
			rows[0][column] < rows[len(rows)-1][column] {
			d.Key = column
		}
		residual, log10 := history.Residual(d.Columns, i)
		if residual == "" && likely().MatchString(column) {
			residual = strings.ReplaceAll(column, " ", "_")
		}
		if residual != "" {
			d.Residuals[column] = strings.TrimPrefix(strings.TrimPrefix(residual, "residual"), "_")
			if log10 || slices.ContainsFunc(rows, func(r row) bool { return r[column] < -0.01 }) {
				d.Log10 = append(d.Log10, column)
			}
		}
	}
	d.Time = slices.ContainsFunc(rows, func(r row) bool { return r[d.Key] != math.Trunc(r[d.Key]) })
	return d
}

// row is a line of a table: its numbers by their columns.
type row map[string]float64

// table finds the columns of a table, with a header or without, and its first rows.
func (d *Draft) table(head []byte) []row {
	for rest := head; len(rest) > 0; {
		begin := rest
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		for _, names := range history.Readings(string(line)) {
			file := history.File{Format: history.Columns, Keys: names[:1], Guess: true}
			if startsNumber(line) { // no header
				for i := range names {
					names[i] = fmt.Sprintf("column_%d", i+1)
				}
				file.Columns = names
			} else if d.Head = strings.TrimSpace(string(line)); !numbers(rest) || len(rest) == 0 {
				continue
			}
			if rows := firstRows(file, names, begin); len(rows) > 1 {
				d.Columns = names
				return rows
			}
		}
	}
	return nil
}

// firstRows reads some rows of a table with such columns.
func firstRows(file history.File, names []string, text []byte) (rows []row) {
	file.Rename = map[string]string{}
	for _, name := range names { // nothing is guessed
		file.Rename[name] = name
	}
	p := history.NewParser(&history.FileSpec{File: file}, "", history.State{}, func() time.Time { return time.Time{} })
	for range mostHeaders {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		p.Read(tail.Line{Text: line}, func(s *history.Sample) {
			if slices.Equal(p.State().Columns, names) && len(s.Numbers) > 1 {
				r := row{}
				for _, n := range s.Numbers {
					r[p.Names()[n.Name]] = n.Value
				}
				rows = append(rows, r)
			}
		})
	}
	return rows
}

var (
	numberInLine = regex.Lazy(`(^|[^\w.+-])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?`)
	wordInLine   = regex.Lazy(`(^|[^\w.])[A-Za-z]`)
	wordBefore   = regex.Lazy(`([A-Za-z][\w-]*)[^A-Za-z0-9]*$`)
	normBefore   = regex.Lazy(`(?i)(?:\b(?:L\d|Linf|r|res\w*|err\w*|norm) *\( *|\|\| *)([a-z][\w-]*) *` +
		`(?:\)|\|\|)[^a-z0-9]*$`)
	likely = regex.Lazy(`(?i)err|norm|rms|defect|resid`) // names of residuals
)

// leastRepeats is how often a line must come, with other numbers, to belong to the iterations; mostNumbers, how many of
// its numbers are taken.
const leastRepeats, mostNumbers = 3, 20

// templates returns templates of the lines that come again and again with other numbers, in their order.
func templates(head []byte) (list []string) {
	count, first := map[string]int{}, map[string]float64{}
	for line := range bytes.Lines(head) {
		text := strings.TrimRight(string(line), " \r\n")
		places := numberInLine().FindAllStringSubmatchIndex(text, mostNumbers)
		template, at := "", 0
		for _, p := range places {
			before := text[at:p[3]] // the number's
			between := strings.ReplaceAll(strings.TrimRight(before, " \t"), "{", "{{")
			if trimmed := strings.TrimLeft(between, " \t"); at > 0 && trimmed != between && trimmed != "" {
				between = "{*}" + trimmed // the width of the number before varies
			}
			name := named(before)
			for strings.Contains(template, "{"+name+"}") {
				name += "x"
			}
			template += between + "{" + name + "}"
			at = p[1]
		}
		count[template]++
		if template != "" && count[template] == leastRepeats && wordInLine().MatchString(text) {
			list = append(list, template)
		}
		if strings.HasPrefix(template, "{value}") {
			x, _ := strconv.ParseFloat(text[places[0][3]:places[0][1]], 64) // 0 where Fortran wrote it
			first[template] = max(first[template], x)
		}
	}
	return numberedFirst(list, first)
}

// numberedFirst names the numbers at the beginnings of lines, given the greatest of each: the greatest of all is the
// iteration if no other number is.
func numberedFirst(list []string, first map[string]float64) []string {
	known := slices.ContainsFunc(list, func(s string) bool {
		return strings.Contains(s, "{iteration}") || strings.Contains(s, "{time}")
	})
	greatest := slices.Max(append(slices.Collect(maps.Values(first)), 0))
	for i, s := range list {
		rest, begins := strings.CutPrefix(s, "{value}")
		switch {
		case begins && !known && first[s] == greatest:
			list[i], known = "{iteration}"+rest, true
		case begins:
			list[i] = "{*}" + strings.TrimPrefix(rest, "{*}")
		}
	}
	return list
}

// named returns the name of a number in a log after a text.
func named(before string) string {
	word := "value"
	if m := normBefore().FindStringSubmatch(before); m != nil {
		return "residual_" + m[1]
	}
	if m := wordBefore().FindStringSubmatch(before); m != nil {
		word = m[1]
	}
	columns := []string{word}
	residual, _ := history.Residual(columns, 0)
	switch {
	case residual != "":
		return residual
	case likely().MatchString(word):
		return "residual_" + word
	case slices.Contains([]string{"iter", "iteration", "it", "step", "cycle", "nstep"}, strings.ToLower(word)):
		return "iteration"
	case slices.Contains([]string{"t", "time"}, strings.ToLower(word)):
		return "time"
	}
	return word
}

// Text returns the description in YAML.
func (d *Draft) Text() ([]byte, error) {
	columns, rename := yaml.MapSlice{{Key: "guess", Value: true}, {Key: "units", Value: true}}, yaml.MapSlice{}
	text := yaml.MapSlice{{Key: "name", Value: d.Name}, {Key: "files", Value: d.Files}}
	add := func(to *yaml.MapSlice, key string, value any) {
		*to = append(*to, yaml.MapItem{Key: key, Value: value})
	}
	if len(d.Columns) == 0 {
		var lines []any
		for _, line := range d.Lines {
			lines = append(lines, line)
			if len(d.Lines) > 1 && (strings.Contains(line, "{iteration}") || strings.Contains(line, "{time}")) {
				lines[len(lines)-1] = yaml.MapSlice{{Key: "line", Value: line}, {Key: "begins", Value: true}}
			}
		}
		add(&text, "lines", lines)
		return yaml.Marshal(text)
	}
	if d.Head != "" {
		add(&text, "detect", []string{`^\s*` + regexp.QuoteMeta(d.Head[:min(len(d.Head), 60)])})
		add(&columns, "keys", []string{d.Key})
	} else {
		add(&columns, "names", d.Columns)
	}
	add(&columns, "log10", d.Log10)
	add(&columns, "drop", d.Drop)
	add(&rename, d.Key, map[bool]string{false: "iteration", true: "time"}[d.Time])
	for _, column := range slices.Sorted(maps.Keys(d.Residuals)) {
		add(&rename, column, strings.TrimSuffix("residual_"+d.Residuals[column], "_"))
	}
	add(&text, "columns", slices.DeleteFunc(columns, func(i yaml.MapItem) bool {
		list, is := i.Value.([]string)
		return is && len(list) == 0
	}))
	add(&text, "rename", rename)
	return yaml.Marshal(text)
}
