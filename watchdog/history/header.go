package history

// A header is ambiguous until a row is below it: names may have blanks in them, units behind them, and commas, tabs or
// two blanks between them, whatever is between the numbers. The reading is used that has a name for each number.

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// longestHeader limits the header that is kept, bytes.
const longestHeader = 64 << 10

var unitBehind = regex.Lazy(`(\S)\s+(\([^()]*\)|\[[^\[\]]*\])`)

// Readings returns the lists of names that a line may be, the likely ones first.
func Readings(line string) (list [][]string) {
	text := string(uncomment([]byte(line)))
	if names, ok := variables(text); ok {
		text = names
	}
	add := func(cells []string) {
		for i, name := range cells {
			cells[i] = clip(name)
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" { // a separator at the end
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 && !slices.Contains(cells, "") {
			list = append(list, cells)
		}
	}
	cells := func(sep string) []string {
		names := strings.Split(text, sep)
		for i, n := range names {
			names[i] = strings.TrimSpace(strings.Trim(strings.TrimSpace(n), `"'`))
		}
		return names
	}
	words := func(text string) {
		var s splitter
		s.split([]byte(text))
		add(cleaned(s.fields))
	}
	if strings.Contains(text, "|") {
		text = strings.Trim(text, "| \t\r")
		add(cells("|"))
		return list
	}
	if strings.Contains(text, ";") {
		add(cells(";"))
		return list
	}
	words(text)
	for _, sep := range []string{",", "\t"} {
		if strings.Contains(text, sep) {
			add(cells(sep))
		}
	}
	add(strings.Split(gap().ReplaceAllString(text, "\n"), "\n"))
	if unitBehind().MatchString(text) {
		words(unitBehind().ReplaceAllString(text, "$1"))
	}
	return list
}

var gap = regex.Lazy(`\s*(\t|\s\s)\s*`)

// uncomment takes blanks and the signs of a comment off a line.
func uncomment(line []byte) []byte {
	body := bytes.TrimSpace(line)
	if rest, ok := bytes.CutPrefix(body, []byte("//")); ok {
		return rest
	}
	return bytes.TrimLeft(body, "#%!;")
}

// variables returns the names of a line of Tecplot's, VARIABLES = "a", "b", as they are there.
func variables(line string) (names string, ok bool) {
	const word = "variables"
	line = strings.TrimLeft(line, " \t")
	if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
		return "", false
	}
	return strings.CutPrefix(strings.TrimLeft(line[len(word):], " \t"), "=")
}

// KeyIn returns the columns of a header that have the first of some names that it has, in any case, with or without
// unit, and with the monitor to which STAR-CCM+ says that a column belongs. Names of a single letter are those of a
// first column, as they are.
func KeyIn(line []byte, keys []string) (columns []string) {
	text := string(uncomment(line))
	if _, tecplot := variables(text); !tecplot && strings.Contains(text, "=") || strings.HasSuffix(text, ":") {
		return nil
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && r != 'e' && r != 'E' }) {
		return nil // numbers
	}
	lower := strings.ToLower(text)
	known := slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		word, _, _ := strings.Cut(key, " ")
		return !strings.Contains(lower, word)
	})
	if len(known) == 0 {
		return nil
	}
	all := slices.DeleteFunc(Readings(text), func(names []string) bool { return slices.ContainsFunc(names, isNumber) })
	for _, key := range known {
		for _, names := range all {
			for i, name := range names {
				is := canonical(name) == key && (i == 0 || len(names) > 2)
				if len(key) == 1 {
					is = i == 0 && name == key
				}
				if is && !slices.Contains(columns, name) {
					columns = append(columns, name)
				}
			}
		}
		if len(columns) > 0 {
			return columns
		}
	}
	return nil
}

func isNumber(text string) bool {
	_, ok := number([]byte(text))
	return ok
}

// canonical returns a name in small letters, without unit, with a blank between its words.
func canonical(name string) string {
	name = strings.TrimRight(withoutMonitor(name), ":. ")
	if strings.HasSuffix(name, ")") || strings.HasSuffix(name, "]") {
		name = unitAtEnd().ReplaceAllString(name, "")
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == '_' || r == '-' || r == ' '
	}), " ")
}

var unitAtEnd = regex.Lazy(`\s*(\([^()]*\)|\[[^\[\]]*\])$`)
