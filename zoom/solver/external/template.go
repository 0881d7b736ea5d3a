package external

// Templates: text with values in double braces.
//
//	{{ N }}               a number in the fewest digits that read back as it, SI; a list with spaces; a text unchanged
//	{{ N in rad/s }}      in a unit
//	{{ N as %12.5e }}     in a format: e, f or g, d for a whole number, s for a text
//	{{ N in rad/s as %.9f }}
//	{{ mean(inlet_Pt) }}  an expression
//	{{ "{{" }}            two braces

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	expr "github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// template is a compiled template.
type template struct {
	raw   string // as it was written
	parts []part
}

// part is a text, or a value.
type part struct {
	text   string
	value  *expression // nil: a text
	unit   *unit.Unit  // nil: SI
	format string      // empty: the fewest digits that read back
}

// templateFault is a fault at a byte of a template's text.
type templateFault struct {
	at      int
	text    string
	message string
}

var (
	formatPart = regex.Lazy(`^(.*\S)\s+as\s+(%\S*)\s*$`)
	unitPart   = regex.Lazy(`^(.*\S)\s+in\s+([^"'\[\]]+?)\s*$`)
	formats    = regex.Lazy(`^%[-+ 0#]*[0-9]{0,3}(\.[0-9]{1,3})?([eEfFgGds])$`)
)

// parseTemplate compiles a text, and returns all its faults.
func parseTemplate(text string, names scope) (*template, []*templateFault) {
	t := &template{raw: text}
	var faults []*templateFault
	for at := 0; at < len(text); {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			t.parts = append(t.parts, part{text: text[at:]})
			break
		}
		if open > 0 {
			t.parts = append(t.parts, part{text: text[at : at+open]})
		}
		open += at
		inside, length := braced(text[open+2:])
		if length < 0 {
			faults = append(faults,
				&templateFault{open, "{{", `no }} behind it on its line; write {{ "{{" }} for two braces`})
			at = open + 2
			continue
		}
		p, fault := parsePart(inside, names)
		if fault != nil {
			fault.at += open + 2
			faults = append(faults, fault)
		}
		t.parts = append(t.parts, p)
		at = open + 2 + length + 2
	}
	return t, faults
}

// braced returns the text before the next }} outside of quotes, and its length; -1: the line has none.
func braced(text string) (string, int) {
	quote := rune(0)
	for i, c := range text {
		switch {
		case c == '\n':
			return "", -1
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.HasPrefix(text[i:], "}}"):
			return text[:i], i
		}
	}
	return "", -1
}

// parsePart compiles the text within braces. The places of its faults are bytes of that text.
func parsePart(inside string, names scope) (part, *templateFault) {
	p, rest := part{}, inside
	if m := formatPart().FindStringSubmatch(rest); m != nil {
		rest, p.format = m[1], m[2]
		if !formats().MatchString(p.format) {
			return p, &templateFault{
				strings.Index(inside, p.format), p.format,
				"no format of a value; want one such as %12.5e, %.9f, %g, %6d or %s",
			}
		}
	}
	unitText := ""
	if m := unitPart().FindStringSubmatch(rest); m != nil {
		rest, unitText = m[1], m[2]
	}
	lead := len(rest) - len(strings.TrimLeft(rest, " \t"))
	text := strings.TrimSpace(rest)
	value, err := names.compile(text)
	for _, bad := range expr.Faults(err) {
		at := len(string([]rune(text)[:bad.At]))
		return p, &templateFault{lead + at, cmp.Or(bad.Text, text), bad.Reason}
	}
	p.value = value
	if unitText != "" {
		if fault := p.in(unitText, names); fault != "" {
			return p, &templateFault{strings.LastIndex(inside, unitText), unitText, fault}
		}
	}
	if fault := p.fits(); fault != "" {
		return p, &templateFault{lead, p.format, fault}
	}
	return p, nil
}

// in sets the unit in which a value is written. It returns the reason if that is impossible.
func (p *part) in(text string, names scope) string {
	m, named := names[p.value.name]
	switch {
	case !named || !m.known:
		return "only a name that has a unit can be in another one; give the expression a name and its unit under values"
	case m.shape != plugin.Scalar && m.shape != plugin.Profile:
		return "a text has no unit"
	}
	u, err := unit.Derived(text)
	if err != nil {
		return err.(*unit.Error).Reason
	}
	if !u.Alike(m.unit) {
		return fmt.Sprintf("%s is in %s, which is no such unit", p.value.name, orPlain(m.unit.Name()))
	}
	p.unit = &u
	return ""
}

func orPlain(name string) string {
	if name == "" {
		return "no unit"
	}
	return name
}

// fits returns why a value's format is none for it.
func (p *part) fits() string {
	if p.format == "" {
		return ""
	}
	text := p.value.shape == plugin.Text || p.value.shape == plugin.FileName
	if text != strings.HasSuffix(p.format, "s") {
		return fmt.Sprintf("%s is a %s, for which this is no format", p.value.text, p.value.shape)
	}
	return ""
}

// render writes the text of a run.
func (t *template) render(env environment) (string, error) {
	var b strings.Builder
	for i := range t.parts {
		p := &t.parts[i]
		if p.value == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := env.value(p.value)
		if err != nil {
			return "", err
		}
		text, err := p.write(v)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.value.text, err)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// write returns the text of a value.
func (p *part) write(v any) (string, error) {
	switch x := v.(type) {
	case string:
		if p.format != "" {
			return fmt.Sprintf(p.format, x), nil
		}
		return x, nil
	case []float64:
		words := make([]string, len(x))
		for i := range x {
			var err error
			if words[i], err = p.number(x[i]); err != nil {
				return "", err
			}
		}
		return strings.Join(words, " "), nil
	}
	return p.number(v.(float64))
}

func (p *part) number(x float64) (string, error) {
	if p.unit != nil {
		x = p.unit.FromSI(x)
	}
	switch {
	case p.format == "":
		return numeric.Text(x), nil
	case !strings.HasSuffix(p.format, "d"):
		return fmt.Sprintf(p.format, x), nil
	case x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return "", fmt.Errorf("%s is no whole number, as the format %s wants", numeric.Text(x), p.format)
	}
	return fmt.Sprintf(p.format, int64(x)), nil
}

// fixed returns the text of a template without values; false: it has some.
func (t *template) fixed() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].value == nil:
		return t.parts[0].text, true
	}
	return "", false
}

// lineOf returns line and column, from 1, of a byte of a text, and the line.
func lineOf(text string, at int) (line, column int, source string) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	source, _, _ = strings.Cut(text[begin:], "\n")
	return strings.Count(text[:at], "\n") + 1, utf8.RuneCountInString(text[begin:at]) + 1, strings.TrimSuffix(source,
		"\r")
}
