package unit

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Kind is the kind of fault of a quantity.
type Kind int

const (
	NotNumber  Kind = iota // does not start with a number
	NotFinite              // NaN, infinite, or too large
	Unknown                // the unit is not known
	Mismatch               // the unit is of another dimension
	OutOfRange             // below absolute zero
)

// Error is the reason why a text is not the wanted quantity.
type Error struct {
	Kind   Kind
	Text   string    // the whole quantity as given
	Want   Dimension // expected dimension
	Reason string    // the error, and the expected text
}

func (e *Error) Error() string { return strconv.Quote(e.Text) + ": " + e.Reason }

// otherBase matches a number in base 16, 8 or 2 in the form of programming languages: 0x1F matches, 0.5 bar does not.
var otherBase = regex.Lazy(`^[-+]?0(x[0-9A-Fa-f]|o[0-7]|b[01])`)

// split takes the number off the front of a quantity.
func split(text string, dim Dimension) (x float64, rest string, err error) {
	trimmed := strings.TrimSpace(text)
	end := numberEnd(trimmed)
	want := "want " + describe(dim).phrase + " such as " + describe(dim).examples
	if end == 0 {
		if notFinite(trimmed) {
			return 0, "", &Error{Kind: NotFinite, Text: text, Want: dim, Reason: "not finite, " + want}
		}
		return 0, "", &Error{Kind: NotNumber, Text: text, Want: dim, Reason: "no number, " + want}
	}
	number, rest := trimmed[:end], strings.TrimSpace(trimmed[end:])
	if strings.HasPrefix(rest, ",") {
		return 0, "", &Error{Kind: NotNumber, Text: text, Want: dim, Reason: Comma(trimmed)}
	}
	if r, _ := utf8.DecodeRuneInString(rest); r == '_' || r == '\'' || r == '.' || unicode.IsDigit(r) ||
		strings.TrimLeft(number, "+-") == "0" && otherBase().MatchString(trimmed) {
		return 0, "", &Error{Kind: NotNumber, Text: text, Want: dim,
			Reason: "write the number in decimal, without separators: " + want}
	}
	x, err = strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, "", &Error{Kind: NotFinite, Text: text, Want: dim, Reason: "beyond the range of numbers"}
	}
	return x, rest, nil
}

// Written returns the unit of a quantity as it is written, "" for a bare number.
func Written(text string) string {
	_, name, err := split(text, None)
	if err != nil {
		return ""
	}
	return name
}

// Comma is the error for a number with commas, with the correct text.
func Comma(text string) string { return "a comma in a number: write " + Decimal(text) }

// Decimal writes a number with commas without them. Commas before three digits each separate thousands; any other comma
// is a decimal point.
func Decimal(text string) string {
	end := strings.IndexFunc(text, func(c rune) bool { return !strings.ContainsRune("+-,0123456789", c) })
	if end < 0 {
		end = len(text)
	}
	head, tail := text[:end], text[end:]
	if thousands().MatchString(head) {
		return strings.ReplaceAll(head, ",", "") + tail
	}
	return strings.Replace(head, ",", ".", 1) + tail
}

var thousands = regex.Lazy(`^[-+]?[1-9][0-9]*(,[0-9]{3})+$`)

// numberEnd returns the length of the decimal number at the front of s, 0 if s does not begin with a number.
func numberEnd(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	digits := 0
	for dot := false; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
			continue
		}
		if s[i] < '0' || s[i] > '9' {
			break
		}
		digits++
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if j < len(s) && s[j] >= '0' && s[j] <= '9' {
			for j < len(s) && s[j] >= '0' && s[j] <= '9' {
				j++
			}
			i = j
		}
	}
	return i
}

// notFinite reports whether a text spells NaN or an infinity, in YAML's form or the usual form.
func notFinite(text string) bool {
	word := strings.ToLower(strings.TrimLeft(text, "+-."))
	word, _, _ = strings.Cut(word, " ")
	return word == "nan" || word == "inf" || word == "infinity"
}

// unknown names an unknown unit, with the nearest known unit.
func unknown(word, rest string) error {
	if word == "" {
		r, n := utf8.DecodeRuneInString(rest)
		if n == 0 {
			return errors.New("the unit ends too early")
		}
		return badUnit(string(r))
	}
	if _, ok := lookup("deg" + word); ok {
		return errors.New("unknown unit " + strconv.Quote(word) + ", did you mean deg" + word + "?")
	}
	if near := spell.Nearest(word, names()); near != "" {
		return errors.New("unknown unit " + strconv.Quote(word) + ", did you mean " + near + "?")
	}
	return errors.New("unknown unit " + strconv.Quote(word))
}

func badUnit(part string) error {
	return errors.New("cannot read " + strconv.Quote(part) + " in a unit")
}
