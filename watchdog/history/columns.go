package history

import (
	"fmt"
	"slices"
	"strings"
)

// columns reads a line of numbers, or a header.
func (p *Parser) columns(text string) {
	body := strings.TrimSpace(text)
	comment := strings.TrimLeft(body, "#%!;")
	isComment := len(comment) < len(body)
	p.split(comment)
	if p.isHeader() {
		p.state.Header = cleaned(p.fields)
		return
	}
	if isComment || len(p.fields) == 0 {
		return
	}
	if h := p.state.Header; h != nil && len(h) == len(p.fields) {
		p.state.Columns, p.state.Header = h, nil
		p.resolve()
	}
	switch {
	case len(p.names) == 0:
		p.unreadable(text, fmt.Sprintf("no header with the column %q came before it", p.key()))
		return
	case len(p.names) != len(p.fields):
		p.unreadable(text, fmt.Sprintf("%d fields where %d columns are named", len(p.fields), len(p.names)))
		return
	}
	r := &record{Line: clip(text)}
	for i, field := range p.fields {
		x, ok := number(field)
		if !ok {
			p.unreadable(text, fmt.Sprintf("%q in column %s is no number", clip(field), p.state.Columns[i]))
			return
		}
		r.set(p.names[i], x)
	}
	p.emit(r)
}

func (p *Parser) key() string {
	if p.spec.Key == "" {
		return defaultKey
	}
	return p.spec.Key
}

// isHeader reports whether the fields include the key column and the first is no number.
func (p *Parser) isHeader() bool {
	if len(p.fields) == 0 {
		return false
	}
	if _, ok := number(p.fields[0]); ok {
		return false
	}
	key := p.key()
	return slices.ContainsFunc(p.fields, func(f string) bool { return clean(f) == key })
}

// split splits a line at white space and commas into p.fields, without allocating.
func (p *Parser) split(s string) {
	p.fields = p.fields[:0]
	start := -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', ',', '\v', '\f', '\r':
			if start >= 0 {
				p.fields = append(p.fields, s[start:i])
				start = -1
			}
		default:
			if start < 0 {
				start = i
			}
		}
	}
	if start >= 0 {
		p.fields = append(p.fields, s[start:])
	}
}

func clean(field string) string { return strings.Trim(field, `"'`) }

func cleaned(fields []string) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = strings.Clone(clip(clean(f)))
	}
	return names
}

// resolve sets p.names for the present columns.
func (p *Parser) resolve() {
	p.names = p.names[:0]
	for _, c := range p.state.Columns {
		p.names = append(p.names, p.spec.name(c))
	}
}
