package history

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// columns reads a line of numbers, or a header.
func (p *Parser) columns(text []byte) {
	body := bytes.TrimSpace(text)
	comment := uncomment(body)
	isComment := len(comment) < len(body)
	switch {
	case !p.spec.Boxed:
		p.split(comment)
	case body[0] != '|': // a border, or text around the table
		return
	default:
		p.cells(body)
	}
	if p.isHeader(comment, text) {
		return
	}
	if isComment || len(p.fields) == 0 {
		return
	}
	text = bytes.TrimRight(text, "\r\n")
	switch {
	case p.spec.Boxed:
	case p.semicolon:
		p.cut(body, ';')
	case tabbedDecimals(body):
		p.semicolon = true
		p.cut(body, '\t')
	}
	if p.state.Fresh {
		p.fit(body, text)
	}
	if len(p.fields) != len(p.names) && len(p.names) > 0 {
		p.spread(p.state.Columns, body, text)
	}
	if fault := p.row(text); fault != nil && !p.spec.Prose && !(p.spec.Guess && !startsNumber(body)) {
		p.unreadable(text, fault)
	}
}

// tabbedDecimals reports whether tabs separate the numbers of a line, and commas are their decimal points.
func tabbedDecimals(body []byte) bool {
	comma := bytes.IndexByte(body, ',')
	return comma > 0 && bytes.IndexByte(body, '\t') > 0 && bytes.IndexByte(body, '.') < 0 &&
		len(body) > comma+1 && body[comma+1] >= '0' && body[comma+1] <= '9'
}

// startsNumber reports whether a line may begin with a number.
func startsNumber(body []byte) bool { return bytes.IndexByte([]byte("+-.0123456789"), body[0]) >= 0 }

// fit names the columns by the new header, if it is one of the line: by its reading with a name for each number or, if
// there is none, by its reading with a name for each cell or place.
func (p *Parser) fit(body, text []byte) {
	fields, groups := slices.Clone(p.fields), slices.Clone(p.groups)
	all := Readings(p.state.Header)
	for i := range 2 * len(all) {
		p.fields, p.groups = append(p.fields[:0], fields...), append(p.groups[:0], groups...)
		names, ok := p.fitted(all[i%len(all)])
		if !ok && i >= len(all) {
			ok = p.spread(names, body, text)
		}
		words := p.words()
		key := slices.IndexFunc(names, p.isKey)
		if !ok || len(words) == len(p.fields) || slices.Contains(words, key) {
			continue
		}
		p.state.Columns, p.state.Fresh, p.state.Words = names, false, words
		p.state.Log10, p.state.Small = p.spec.Guess && p.logarithms(), 0
		p.resolve()
		return
	}
	p.fields, p.groups = append(p.fields[:0], fields...), append(p.groups[:0], groups...)
}

// logarithms reports whether the residuals of the line are logarithms: some are negative, and all of their size.
func (p *Parser) logarithms() bool {
	negative := false
	for i, field := range p.fields {
		if residual, _ := Residual(p.state.Columns, i); residual != "" {
			x, _ := number(field)
			if size := math.Abs(x); size != 0 && (size < 0.01 || size > 30) {
				return false
			}
			negative = negative || x < 0
		}
	}
	return negative
}

// doubt takes back that residuals are logarithms, once two rows have one that is close to 0: a signed residual that
// falls begins as a logarithm does.
func (p *Parser) doubt() {
	for i, field := range p.fields {
		x, _ := p.number(field)
		if size := math.Abs(x); size == 0 || size >= 1e-3 || !p.names[i].log10 {
			continue
		}
		if _, named := Residual(p.state.Columns, i); !named {
			if p.state.Small++; p.state.Small == 2 {
				p.state.Log10 = false
				p.resolve()
			}
			return
		}
	}
}

// spread splits a line that has too few or too many fields so that each name has a field: at each comma or tab, so that
// a cell may be empty, or by the places of the names in the header where it has neither.
func (p *Parser) spread(names []string, body, text []byte) bool {
	if p.spec.Boxed {
		return false
	}
	if p.semicolon {
		if n := len(names); len(p.fields) == n+1 && len(p.fields[n]) == 0 {
			p.fields, p.groups = p.fields[:n], p.groups[:n]
		}
		return len(p.fields) == len(names)
	}
	cells := bytes.TrimLeft(bytes.Trim(text, " \r\n"), "\t ")
	separated := false
	for _, sep := range []byte(",\t") {
		if bytes.IndexByte(cells, sep) < 0 {
			continue
		}
		separated = true
		p.cut(bytes.Trim(text, " \r\n"), sep)
		if n := len(names); len(p.fields) == n || len(p.fields) == n+1 && len(p.fields[n]) == 0 {
			p.fields, p.groups = p.fields[:n], p.groups[:n]
			return true
		}
		p.split(body)
	}
	return !separated && len(p.fields) < len(names) && p.align(p.state.Header, names, p.spec.Widths, text)
}

// row reads a split line of numbers. On failure it returns a function for the reason; else nil.
func (p *Parser) row(text []byte) (fault func() string) {
	switch {
	case len(p.names) == 0:
		return func() string { return fmt.Sprintf("no header with the column %q came before it", p.key()) }
	case len(p.names) != len(p.fields):
		return func() string { return fmt.Sprintf("%d fields where %d columns are named", len(p.fields), len(p.names)) }
	}
	if p.state.Log10 {
		p.doubt()
	}
	s := &p.single
	s.clear("")
	for i, field := range p.fields {
		x, ok := p.number(field)
		switch {
		case ok:
			s.set(p.names[i], x)
		case !isBlank(field) && !slices.Contains(p.state.Words, i):
			return func() string {
				return fmt.Sprintf("%q in column %s is no number", clip(string(field)), p.state.Columns[i])
			}
		}
	}
	if len(s.Numbers)+len(s.NonFinite)+len(s.Arrays) == 0 {
		return nil
	}
	if p.quoted() {
		s.quote(text)
	}
	p.emit(s)
	return nil
}

// number reads a cell. Where semicolons or tabs separate cells, a comma may be the decimal point.
func (p *Parser) number(field []byte) (x float64, ok bool) {
	if x, ok = number(field); !ok && p.semicolon && bytes.Count(field, []byte(",")) == 1 {
		return number(bytes.Replace(field, []byte(","), []byte("."), 1))
	}
	return x, ok
}

// isBlank reports whether a cell has no value.
func isBlank(field []byte) bool {
	if len(bytes.Trim(field, "-")) == 0 {
		return true
	}
	return len(field) <= 4 && slices.Contains([]string{"n/a", "null", "none"}, strings.ToLower(string(field)))
}

// words are the columns that have words instead of numbers.
func (p *Parser) words() (list []int) {
	for i, field := range p.fields {
		if _, ok := p.number(field); !ok && (!isBlank(field) || bytes.ContainsAny(field, "aAlLnN")) {
			list = append(list, i)
		}
	}
	return list
}

// fitted fits a header to a line. A group (1 2 3) in the line with a single name in the header is the vector of
// components x, y, z.
func (p *Parser) fitted(header []string) ([]string, bool) {
	wide := slices.ContainsFunc(header, func(name string) bool { return p.spec.Widths[name] > 1 })
	if len(header) == len(p.fields) && !wide {
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

// isHeader reports whether a line is a header, and keeps it: it has the key column, and the first field is no number.
// Tecplot's list of variables goes on in lines of quoted names.
func (p *Parser) isHeader(line, text []byte) bool {
	if len(p.fields) == 0 {
		return false
	}
	if c := p.fields[0][0]; c >= '0' && c <= '9' { // quicker than number, in most lines
		return false
	}
	if _, ok := number(p.fields[0]); ok {
		return false
	}
	if p.spec.Guess && !p.spec.Boxed && (line[0] == '"' || line[0]|' ' == 'v') {
		if _, begins := variables(string(line)); begins {
			p.head(text)
			return true
		}
		if _, open := variables(p.state.Header); open && p.state.Fresh && line[0] == '"' {
			if len(p.state.Header)+len(line) < longestHeader {
				p.state.Header += " " + strings.ToValidUTF8(string(line), "\uFFFD")
			}
			return true
		}
	}
	mentioned := bytes.Contains(line, []byte(p.key())) ||
		slices.ContainsFunc(p.spec.Keys, func(k string) bool { return bytes.Contains(line, []byte(k)) })
	if !mentioned || !slices.ContainsFunc(Readings(string(line)),
		func(names []string) bool { return slices.ContainsFunc(names, p.isKey) }) {
		return false
	}
	p.head(text)
	return true
}

// head keeps a new header. Its place in its line counts.
func (p *Parser) head(text []byte) {
	if len(text) < longestHeader && string(text) != p.state.Header {
		p.state.Header, p.state.Fresh = strings.ToValidUTF8(string(text), "\uFFFD"), true
	}
}

// isKey reports whether a name marks a header.
func (p *Parser) isKey(name string) bool {
	return name == p.key() || slices.Contains(p.spec.Keys, name)
}

// resolve sets p.names for the present columns. Of columns with the same name the first counts.
func (p *Parser) resolve() {
	p.names = p.names[:0]
	for i := range p.state.Columns {
		n := p.enlist(p.spec.column(p.state.Columns, i, p.state.Log10))
		if slices.ContainsFunc(p.names, func(x *name) bool { return x.id == n.id && x.index == n.index }) {
			n = p.enlist(name{index: -1})
		}
		p.names = append(p.names, n)
	}
}

// Unit returns the unit that the present header gives a value; "" if it gives none.
func (p *Parser) Unit(value string) string {
	for i, n := range p.names {
		if text := p.state.Columns[i]; n.name == value && n.id >= 0 && !strings.HasSuffix(value, text) {
			return strings.Trim(strings.TrimPrefix(text, withoutUnit(text)), " ()[]")
		}
	}
	return ""
}
