package expression

// Numbers with units, such as 1400 K. The units are found before the text is parsed, and replaced by spaces, so that
// places in it do not change.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/regex"
)

// Quantity is a number with a unit in an expression.
type Quantity struct {
	At   int    // runes before the number
	Unit string // as written
	Text string // number and unit
}

var (
	number = regex.Lazy(`^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
	word   = regex.Lazy(`^[A-Za-z%°µ][A-Za-z0-9%°µ²³^*·/-]*`)
	// A denominator in brackets is a unit if it has several words, as in g/(kN s); m/(x) divides by x.
	bracket = regex.Lazy(`^[A-Za-z%°µ][A-Za-z0-9%°µ²³^*·/-]*/\([A-Za-z]+[0-9²³]*(?: [A-Za-z]+[0-9²³]*)+\)`)
	next    = regex.Lazy(`^\s*(?:$|[)\]},:?<>=!&|;]|(?:and|or|in|not)\b)`)
)

// keywords of the language are no units: 5 in [1, 5] has no inches.
var keywords = []string{"and", "or", "not", "in", "if", "else", "matches", "contains", "startsWith", "endsWith", "let",
	"nil", "true", "false"}

// Units replaces the units of an expression by spaces and lists its numbers with units.
func Units(text string) (string, []Quantity) {
	var found []Quantity
	out := []byte(text)
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			i = closing(text, i)
			continue
		case letter(c):
			for i < len(text) && (letter(text[i]) || digit(text[i]) ||
				text[i] == '.' && i+1 < len(text) && letter(text[i+1])) {
				i++
			}
			continue
		}
		n := number().FindString(text[i:])
		if n == "" {
			i++
			continue
		}
		end := i + len(n)
		if u, at := unitAt(text, end); u != "" {
			found = append(found, Quantity{utf8.RuneCountInString(text[:i]), u, text[i : at+len(u)]})
			blank(out, at, at+len(u))
			end = at + len(u)
		}
		i = end
	}
	return widths(out), found
}

// Plain is an expression whose units are blanked.
func Plain(text string) string {
	plain, _ := Units(text)
	return plain
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// closing returns the place behind a text in quotes.
func closing(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == '\\' && text[i] != '`':
			j++
		case text[j] == text[i]:
			return j + 1
		}
	}
	return len(text)
}

// unitAt returns the unit behind a number, and its place; empty: the number has no unit.
func unitAt(text string, end int) (string, int) {
	at := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " \t"))
	u := bracket().FindString(text[at:])
	if u == "" || !known(u) {
		u = word().FindString(text[at:])
	}
	for u != "" && !known(u) {
		cut := strings.LastIndexAny(u, "/*·-^")
		u = u[:max(cut, 0)]
	}
	if slices.Contains(keywords, u) || u == "%" && !next().MatchString(text[at+1:]) { // 5 % 2 is a remainder
		return "", 0
	}
	return u, at
}

func known(u string) bool {
	return slices.Contains(keywords, u) || len(Dimensions(u)) > 0
}

// Dimensions lists the dimensions of a unit.
func Dimensions(u string) []unit.Dimension {
	var list []unit.Dimension
	for _, d := range unit.Dimensions() {
		if _, err := unit.New(u, d); err == nil {
			list = append(list, d)
		}
	}
	return list
}

// blank replaces bytes by spaces, one for each rune: the other bytes become 0, which widths removes.
func blank(out []byte, from, to int) {
	for i := from; i < to; i++ {
		if utf8.RuneStart(out[i]) {
			out[i] = ' '
		} else {
			out[i] = 0
		}
	}
}

func widths(out []byte) string { return strings.ReplaceAll(string(out), "\x00", "") }
