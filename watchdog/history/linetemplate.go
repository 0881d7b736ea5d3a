package history

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
)

// A line template describes a line from its beginning, by its text and by names in braces for its variable parts:
//
//	{*}:  Solving for {key}, Initial residual = {residual}, Final residual = {final}, No Iterations {inner}
//
//	{residual}   a number after optional spaces, or a vector (1 2 3)
//	{key}        a word, which is appended to the names of the numbers
//	{section}    a word, which precedes the keys of the lines that follow in the iteration
//	{text}       the event's text, to the next part of the template, or to the end of the line
//	{array}      numbers to the end of the line, the array that key names
//	{*}          any text
//	{end}        the end of the line
//
// The rest of the line after the last of them is ignored. {{ is a brace.
type lineTemplate struct {
	program program
	names   []string // of groups, from 1
}

var templateName = regex.Lazy(`^[A-Za-z][\w.\-]*$`)

// parseTemplate compiles a line template.
func parseTemplate(text string) (*lineTemplate, error) {
	t := &lineTemplate{program: program{anchored: true}, names: []string{""}}
	for rest := text; rest != ""; {
		open := strings.IndexByte(rest, '{')
		switch {
		case open < 0:
			t.literal(rest)
			rest = ""
		case open > 0:
			t.literal(rest[:open])
			rest = rest[open:]
		case strings.HasPrefix(rest, "{{"):
			t.literal("{")
			rest = rest[2:]
		default:
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed {
				return nil, fmt.Errorf("%q has no } behind it; {{ is a brace", rest)
			}
			if err := t.field(name); err != nil {
				return nil, err
			}
			rest = after
		}
	}
	if len(t.program.parts) == 0 {
		return nil, fmt.Errorf("the template is empty")
	}
	t.close()
	return t, nil
}

func (t *lineTemplate) literal(text string) {
	if n := len(t.program.parts); n > 0 && t.program.parts[n-1].kind == literal {
		t.program.parts[n-1].text = append(t.program.parts[n-1].text, text...)
		return
	}
	t.program.parts = append(t.program.parts, part{kind: literal, text: []byte(text)})
}

var (
	anyByte   = without("")
	blank     = &class{' ': true, '\t': true}
	valueByte = without(" \t,;|)]}>")
	keyByte   = without(" \t,;")
)

// without is the class of all bytes but some.
func without(some string) *class {
	set := &class{}
	fill(set, 0, 255)
	for _, b := range []byte(some) {
		set[b] = false
	}
	return set
}

// field appends the part for a name in braces.
func (t *lineTemplate) field(name string) error {
	parts := t.program.parts
	switch name {
	case "*":
		t.program.parts = append(parts, part{kind: lazy, class: anyByte, max: -1})
		return nil
	case "end":
		t.program.parts = append(parts, part{kind: run, class: blank, max: -1}, part{kind: finish})
		return nil
	}
	if !templateName().MatchString(name) {
		return fmt.Errorf("{%s} is none of {*}, {end} and a name of letters, digits, dots and dashes", name)
	}
	for _, known := range t.names {
		if known == name {
			return fmt.Errorf("{%s} occurs twice", name)
		}
	}
	group := len(t.names)
	t.names = append(t.names, name)
	switch name {
	case "text":
		t.program.parts = append(parts, part{kind: run, class: blank, max: -1}, part{kind: begin, group: group},
			part{kind: lazy, class: anyByte, max: -1}, part{kind: end, group: group})
	case "array":
		t.program.parts = append(parts, part{kind: run, class: blank, max: -1}, part{kind: begin, group: group},
			part{kind: run, class: anyByte, max: -1}, part{kind: end, group: group})
	case "key", "section":
		t.program.parts = append(parts, part{kind: vector, class: keyByte, min: 1, max: -1, group: group})
	default:
		t.program.parts = append(parts, part{kind: vector, class: valueByte, min: 1, max: -1, group: group})
	}
	return nil
}

// close completes the program. A text at the end of the template runs to the end of the line.
func (t *lineTemplate) close() {
	n := len(t.program.parts)
	if n >= 2 && t.program.parts[n-2].kind == lazy && t.program.parts[n-1].kind == end {
		t.program.parts = append(t.program.parts, part{kind: finish})
	}
	t.program.link()
}
