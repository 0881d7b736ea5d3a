package history

// The text of a line: its fields, and its part that can be shown.

import (
	"bytes"
	"strings"
)

// splitter splits lines.
type splitter struct {
	fields    [][]byte
	groups    []int // by field: number of fields in the brackets that it opens; else 1
	semicolon bool  // the line has a semicolon, or tabs between decimal commas
}

// cut splits a line at each of a separator; fields may be empty.
func (p *splitter) cut(s []byte, sep byte) {
	p.fields, p.groups = p.fields[:0], p.groups[:0]
	for cell := range bytes.SplitSeq(s, []byte{sep}) {
		p.fields, p.groups = append(p.fields, clean(bytes.TrimSpace(cell))), append(p.groups, 1)
	}
}

// align gives each name in a header its field in a line below it by their places, as a table with blank cells has them.
// It reports whether all fields could be placed. Both lines begin at the margin.
func (p *splitter) align(header string, names []string, widths map[string]int, line []byte) bool {
	type span struct{ from, to int }
	var spans []span
	at := 0
	for i, name := range names {
		if next := strings.Index(header[at:], name); next >= 0 {
			spans = append(spans, span{at + next, at + next + len(name)})
			at += next + len(name)
			continue
		}
		wide := false
		for base := range widths {
			if strings.HasPrefix(name, base) {
				if i > 0 && strings.HasPrefix(names[i-1], base) {
					spans, wide = append(spans, spans[i-1]), true
				} else if next := strings.Index(header[at:], base); next >= 0 {
					spans, wide = append(spans, span{at + next, at + next + len(base)}), true
					at += next + len(base)
				}
			}
		}
		if !wide {
			return false
		}
	}
	filled := make([][]byte, len(names))
	next := 0
	for _, field := range p.fields {
		from := cap(line) - cap(field)
		best, most := -1, 0
		for i := next; i < len(spans); i++ {
			if n := min(from+len(field), spans[i].to) - max(from, spans[i].from); n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return false
		}
		filled[best], next = field, best+1
	}
	p.fields = filled
	return len(filled) > 0 && filled[0] != nil
}

// cells splits a line of a boxed table, | 1 | -3.2 |, into p.fields.
func (p *splitter) cells(line []byte) {
	p.fields, p.groups, p.semicolon = p.fields[:0], p.groups[:0], false
	for cell := range bytes.SplitSeq(bytes.Trim(line, "|"), []byte("|")) {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			p.fields, p.groups = append(p.fields, cell), append(p.groups, 1)
		}
	}
}

// split splits a line at white space, commas and semicolons into p.fields, without allocating. Brackets about several
// fields are removed; p.groups has their number at the first of them.
func (p *splitter) split(s []byte) {
	p.fields, p.groups, p.semicolon = p.fields[:0], p.groups[:0], false
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
		case c == ';':
			p.semicolon = true
			end(i)
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

// maxQuote is the largest part of a line in an event, bytes.
const maxQuote = 1000

// plain reports whether a line can be shown as it is.
func plain[T string | []byte](s T) bool {
	i := 0
	// checks that none of eight bytes is below a space or beyond a tilde; tabs are checked one by one
	for ; len(s)-i >= 8; i += 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		const each = 0x0101010101010101
		if (x-' '*each|x+each|x)&(0x80*each) != 0 {
			break
		}
	}
	for ; i < len(s); i++ {
		if (s[i] < ' ' || s[i] >= 0x7f) && s[i] != '\t' {
			return false
		}
	}
	return true
}

// clip returns a line that can be shown and sent: of limited length, valid UTF-8, without
// control characters.
func clip(s string) string {
	if len(s) > maxQuote {
		s = s[:maxQuote] + "..."
	}
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
