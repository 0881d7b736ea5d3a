package history

import (
	"bytes"
	"fmt"
	"slices"
)

// columns reads a line of numbers, or a header.
func (p *Parser) columns(text []byte) {
	body := bytes.TrimSpace(text)
	comment := bytes.TrimLeft(body, "#%!;")
	isComment := len(comment) < len(body)
	switch {
	case !p.spec.Boxed:
		p.split(comment)
	case body[0] != '|': // a border, or text around the table
		return
	default:
		p.cells(body)
	}
	if p.isHeader() {
		p.state.Header = cleaned(p.fields)
		return
	}
	if isComment || len(p.fields) == 0 {
		return
	}
	if h := p.state.Header; h != nil {
		words := p.words()
		if names, ok := p.fitted(h); ok && len(words) < len(p.fields) {
			p.state.Columns, p.state.Header, p.state.Words = names, nil, words
			p.resolve()
		}
	}
	fault := p.row(text)
	if fault != nil && !p.spec.Prose {
		p.unreadable(text, fault)
	}
}

// row reads a split line of numbers. On failure it returns a function for the reason; else nil.
func (p *Parser) row(text []byte) (fault func() string) {
	switch {
	case len(p.names) == 0:
		return func() string { return fmt.Sprintf("no header with the column %q came before it", p.key()) }
	case len(p.names) != len(p.fields):
		return func() string { return fmt.Sprintf("%d fields where %d columns are named", len(p.fields), len(p.names)) }
	}
	s := &p.single
	s.clear("")
	for i, field := range p.fields {
		x, ok := number(field)
		switch {
		case ok:
			s.set(p.names[i], x)
		case !slices.Contains(p.state.Words, i):
			return func() string {
				return fmt.Sprintf("%q in column %s is no number", clip(string(field)), p.state.Columns[i])
			}
		}
	}
	if p.quoted() {
		s.quote(text)
	}
	p.emit(s)
	return nil
}

// words are the columns that have words instead of numbers.
func (p *Parser) words() (list []int) {
	for i, field := range p.fields {
		if _, ok := number(field); !ok {
			list = append(list, i)
		}
	}
	return list
}

// fitted fits a header to a line. A group (1 2 3) in the line with a single name in the header is the vector of
// components x, y, z.
func (p *Parser) fitted(header []string) ([]string, bool) {
	if len(header) == len(p.fields) {
		return header, true
	}
	if len(header) == 1 && p.spec.Unnamed {
		header = slices.Clone(header)
		for at := 1; at < len(p.fields); at += max(1, p.groups[at]) {
			header = append(header, fmt.Sprintf("value_%d", len(header)-1))
		}
	}
	var names []string
	at := 0
	for _, name := range header {
		width := 1
		if at < len(p.groups) && p.groups[at] > 1 {
			width = p.groups[at]
		}
		width = max(width, p.spec.Widths[name])
		for k := range width {
			if width == 1 {
				names = append(names, name)
			} else {
				names = append(names, name+component(k, width))
			}
		}
		at += width
	}
	return names, len(names) == len(p.fields)
}

// component returns the suffix of a vector's or tensor's name for number k of it.
func component(k, of int) string {
	if of <= 3 {
		return "_" + "xyz"[k:k+1]
	}
	return fmt.Sprintf("[%d]", k)
}

func (p *Parser) key() string {
	switch {
	case p.spec.Key == "" && len(p.spec.Keys) > 0:
		return p.spec.Keys[0]
	case p.spec.Key == "":
		return defaultKey
	}
	return p.spec.Key
}

// isHeader reports whether the fields include the key column and the first is no number.
func (p *Parser) isHeader() bool {
	if len(p.fields) == 0 {
		return false
	}
	if c := p.fields[0][0]; c >= '0' && c <= '9' { // quicker than number, in most lines
		return false
	}
	if _, ok := number(p.fields[0]); ok {
		return false
	}
	key := p.key()
	return slices.ContainsFunc(p.fields, func(f []byte) bool {
		name := clean(f)
		return string(name) == key || slices.ContainsFunc(p.spec.Keys, func(k string) bool { return k == string(name) })
	})
}

// cells splits a line of a boxed table, | 1 | -3.2 |, into p.fields.
func (p *Parser) cells(line []byte) {
	p.fields, p.groups = p.fields[:0], p.groups[:0]
	for cell := range bytes.SplitSeq(bytes.Trim(line, "|"), []byte("|")) {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			p.fields, p.groups = append(p.fields, cell), append(p.groups, 1)
		}
	}
}

// split splits a line at white space and commas into p.fields, without allocating. Brackets about several fields are
// removed; p.groups has their number at the first of them.
func (p *Parser) split(s []byte) {
	p.fields, p.groups = p.fields[:0], p.groups[:0]
	start, depth, group := -1, 0, -1 // group: index of the first field of the present group
	end := func(i int) {
		if start >= 0 {
			p.fields, p.groups = append(p.fields, s[start:i]), append(p.groups, 1)
			start, depth = -1, 0
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' && start < 0: // a name in quotes may have spaces
			start = i
			if end := bytes.IndexByte(s[i+1:], '"'); end >= 0 {
				i += end + 1
			}
		case c == ' ' || c == '\t' || c == ',' || c == '\v' || c == '\f' || c == '\r':
			end(i)
		case c == '(' && start < 0:
			group = len(p.fields)
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			end(i)
			if group >= 0 && group < len(p.fields) {
				p.groups[group] = len(p.fields) - group
			}
			group = -1
		default:
			if start < 0 {
				start = i
			}
		}
	}
	end(len(s))
}

func clean(field []byte) []byte { return bytes.Trim(field, `"'`) }

func cleaned(fields [][]byte) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = clip(string(clean(f)))
	}
	return names
}

// resolve sets p.names for the present columns.
func (p *Parser) resolve() {
	p.names = p.names[:0]
	for i := range p.state.Columns {
		p.names = append(p.names, p.enlist(p.spec.column(p.state.Columns, i)))
	}
}
