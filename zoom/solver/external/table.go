package external

// Tables of numbers, as programs write them: columns between spaces, commas or semicolons, with or without a header,
// vectors in parentheses.

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// table holds the columns and rows of a table.
type table struct {
	names []string // of the columns; empty: no header
	rows  [][]string
}

// readTable reads all rows of a text that are as long as the last row. Shorter or longer rows may only be ahead of
// them. The header is the last line ahead of the first row that is no row and has as many words, comment or not.
// Parentheses around values are left out. A vector with the single name X has the columns X_x, X_y and X_z. A line that
// may have been a row before it was cut or spoiled is an error: without it the table would be another one.
func readTable(text []byte) (*table, error) {
	t := &table{}
	var heads, later [][]string // ahead of the first row; between rows or behind them
	var spoiled []string        // lines
	var first []string          // of the rows, with its parentheses
	commas := false             // in each of its words
	for line := range bytes.Lines(text) {
		raw := strings.TrimSpace(string(line))
		words := fields(raw)
		row := isRow(words)
		switch {
		case len(words) == 0:
		case row && line[len(line)-1] != '\n':
			return nil, fmt.Errorf("its last line %q has no end: a number may be cut", raw)
		case row && emptyCell().MatchString(raw):
			return nil, fmt.Errorf("%q has an empty cell", raw)
		case row && decimalComma(raw):
			return nil, fmt.Errorf("%q has decimal commas; write decimal points", raw)
		case row:
			if len(t.rows) == 0 {
				first, commas = vectors(raw), allCommas(strings.Fields(raw))
			}
			t.rows = append(t.rows, words)
		case spoiledRow(raw, t.width()):
			spoiled = append(spoiled, raw)
		case len(t.rows) == 0:
			heads = append(heads, headOf(raw))
		default:
			later = append(later, headOf(raw))
		}
	}
	switch {
	case len(t.rows) == 0:
		return nil, fmt.Errorf("no row of numbers")
	case len(spoiled) > 0:
		return nil, fmt.Errorf("%q is no row of numbers", spoiled[0])
	}
	width := t.width()
	if n := len(t.rows); n > 1 && width < len(t.rows[n-2]) {
		return nil, fmt.Errorf("its last row has %d of %d numbers", width, len(t.rows[n-2]))
	}
	begin := slices.IndexFunc(t.rows, func(r []string) bool { return len(r) == width })
	t.rows = t.rows[begin:]
	if i := slices.IndexFunc(t.rows, func(r []string) bool { return len(r) != width }); i >= 0 {
		return nil, fmt.Errorf("a row among others has %d of %d numbers: %s", len(t.rows[i]), width,
			strings.Join(t.rows[i], " "))
	}
	if n := len(heads); n > 0 && 2*len(heads[n-1]) == width && commas {
		return nil, fmt.Errorf("its %d columns have %d numbers: decimal commas, or commas between thousands", width/2,
			width)
	}
	for _, head := range slices.Backward(heads) {
		if len(head) == len(first) {
			head = spread(head, first)
		}
		if len(head) == width {
			t.names = head
			break
		}
	}
	for _, head := range later {
		if moved(t.names, head) {
			return nil, fmt.Errorf("it has two tables, of %s and of %s", strings.Join(t.names, " "),
				strings.Join(head, " "))
		}
	}
	return t, nil
}

var (
	emptyCell = regex.Lazy(`[,;]\s*[,;]`)
	comma     = regex.Lazy(`^[-+]?\d+,\d+([eEdD][-+]?\d+)?$`)
	thousands = regex.Lazy(`^[-+]?\d+,\d+(\.\d*)?([eEdD][-+]?\d+)?$`)
	// quoted is a cell in quotes: its text up to a comma, and the rest
	quoted = regex.Lazy(`"([^",;]*)[^"]*"`)
	// broken is a number that is too wide for its field, or what C libraries print for a value that is no number
	// or for a value that is missing
	broken = regex.Lazy(`(?i)^[-+]?(\*+|\d*\.?#.+|[qs]?nan[qs]?(\(.*\))?)$|^(-{1,2}|\?+|n/?a|null|none|nil)$`)
	// likeNumber is a word that begins as numbers do, also with typographic signs or digits of other scripts
	likeNumber = regex.Lazy(`(?i)^['=(]?[-+\x{2212}\x{2013}]?(\.?\p{Nd}|\*+$|[qs]?nan|inf|\.?#)`)
)

// moved reports whether the words are as many as the names, and have one of them at another place.
func moved(names, words []string) bool {
	return len(names) == len(words) && slices.ContainsFunc(names, func(name string) bool {
		at := slices.Index(words, name)
		return at >= 0 && names[at] != name
	})
}

// decimalComma reports whether a row has decimal commas: commas within words that other characters separate.
func decimalComma(line string) bool {
	words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t;", c) })
	return len(words) > 1 && slices.ContainsFunc(words, comma().MatchString)
}

// allCommas reports whether all words of a row have one comma.
func allCommas(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !thousands().MatchString(w) })
}

// spoiledRow reports whether a line that is no row may have been one: all its words look like numbers or are broken,
// and it is as long as a row or has a broken one; or commas or semicolons part it into as many cells as a row, of which
// the first is a number.
func spoiledRow(line string, width int) bool {
	line = quoted().ReplaceAllString(line, "$1")
	words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t,;|", c) })
	text := func(w string) bool { return !likeNumber().MatchString(w) && !broken().MatchString(w) }
	if !slices.ContainsFunc(words, text) {
		return len(words) == width || slices.ContainsFunc(words, broken().MatchString)
	}
	cells := strings.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ';' })
	if len(cells) != width || width < 2 {
		return false
	}
	_, err := number(strings.TrimSpace(cells[0]))
	return err == nil
}

// width returns the length of the last row; 0: there is none.
func (t *table) width() int {
	if len(t.rows) == 0 {
		return 0
	}
	return len(t.rows[len(t.rows)-1])
}

// fields returns the words of a row.
func fields(line string) []string {
	return strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t,;()|", c) })
}

// isRow reports whether all words are numbers; NaN counts as a number.
func isRow(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { _, err := number(w); return err != nil })
}

// number reads a number as programs write it, also with the D of Fortran. A number beyond those of this machine is
// infinite, and "-nan" is no number as "nan" is.
func number(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil && strings.ContainsAny(word, "dD") {
		v, err = strconv.ParseFloat(strings.NewReplacer("d", "e", "D", "e").Replace(word), 64)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return v, nil
	case err != nil && strings.EqualFold(strings.TrimLeft(word, "+-"), "nan"):
		return math.NaN(), nil
	}
	return v, err
}

// headOf returns the words of a header. If commas or tabs separate them, a name may have spaces.
func headOf(line string) []string {
	line = strings.TrimSpace(strings.TrimLeft(line, "#%!; \t"))
	for _, between := range []string{",", ";", "\t"} {
		if strings.Contains(line, between) && (between == "\t" || !strings.Contains(line, "\t")) &&
			!strings.Contains(line, "(") {
			parts := strings.Split(line, between)
			for i := range parts {
				parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
			}
			return parts
		}
	}
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.Trim(words[i], `"'`)
	}
	return words
}

// vectors returns the words of a row, with a vector in parentheses as a single word.
func vectors(line string) (words []string) {
	depth := 0
	for _, w := range strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", ",", " ", ";", " ", "|",
		" ").Replace(line)) {
		switch {
		case w == "(":
			if depth++; depth == 1 {
				words = append(words, "")
			}
		case w == ")":
			depth--
		case depth > 0:
			words[len(words)-1] += " " + w
		default:
			words = append(words, w)
		}
	}
	return words
}

// spread gives each part of a vector a name.
func spread(head, first []string) (names []string) {
	for i, w := range first {
		parts := strings.Fields(w)
		if len(parts) == 1 {
			names = append(names, head[i])
			continue
		}
		for k := range parts {
			suffix := strconv.Itoa(k + 1)
			if len(parts) == 3 {
				suffix = "xyz"[k : k+1]
			}
			names = append(names, head[i]+"_"+suffix)
		}
	}
	return names
}

// column returns the values of a column, by its name or by its number from 1.
func (t *table) column(name string) ([]float64, error) {
	i := slices.Index(t.names, name)
	if n, err := strconv.Atoi(name); i < 0 && err == nil {
		i = n - 1
		if i < 0 || i >= len(t.rows[0]) {
			return nil, fmt.Errorf("no column %d; it has %d", n, len(t.rows[0]))
		}
	}
	switch {
	case i >= 0 && len(t.names) > 0 && t.names[i] == name && slices.Contains(t.names[i+1:], name):
		return nil, fmt.Errorf("two columns are called %q; name one by its number", name)
	case i < 0 && len(t.names) == 0:
		return nil, fmt.Errorf("no header names its %d columns; name one by its number", len(t.rows[0]))
	case i < 0:
		return nil, fmt.Errorf("no column %q%s", name,
			spell.Hint(name, slices.DeleteFunc(slices.Clone(t.names), unreadable)))
	}
	values := make([]float64, len(t.rows))
	for k, row := range t.rows {
		values[k], _ = number(row[i]) // it is a row
	}
	return values, nil
}

// unreadable reports whether a name is unlikely to be written by a person: the text before was no table.
func unreadable(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
