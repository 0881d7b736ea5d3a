package format

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// npssParser reads the part of NPSS's language that map files are written in.
type npssParser struct {
	toks []npssToken
	i    int
	file *npssFile
	err  error // the first fault
}

// npssToken is a word, a number, a string or a sign.
type npssToken struct {
	kind byte // 'a' word, '0' number, '"' string, the sign itself, 0 at the end
	text string
	num  float64
	at   place
}

// deepestNPSS is how far blocks may be nested; maps nest five deep.
const deepestNPSS = 16

func parseNPSS(data []byte) (*npssFile, error) {
	toks, err := scanNPSS(string(data))
	if err != nil {
		return nil, err
	}
	p := &npssParser{toks: toks, file: &npssFile{scalars: map[string]float64{}}}
	p.body(0)
	if t := p.peek(0); t.kind != 0 {
		p.fail(t.at, "this } closes nothing")
	}
	return p.file, p.err
}

// fail keeps the first fault and passes over the rest of the file, so that all reading ends.
func (p *npssParser) fail(at place, format string, args ...any) {
	if p.err == nil {
		p.err = at.fault(format, args...)
	}
	p.i = len(p.toks)
}

func (p *npssParser) peek(ahead int) npssToken {
	if p.i+ahead < len(p.toks) {
		return p.toks[p.i+ahead]
	}
	return p.toks[len(p.toks)-1]
}

func (p *npssParser) next() npssToken {
	t := p.peek(0)
	p.i++
	return t
}

// accept passes over a sign if it comes next.
func (p *npssParser) accept(sign byte) bool {
	if p.peek(0).kind == sign {
		p.i++
		return true
	}
	return false
}

func (p *npssParser) expect(sign byte, where string) {
	if t := p.next(); t.kind != sign {
		p.fail(t.at, "%s: %c is due here, not %s", where, sign, t)
	}
}

func (t npssToken) String() string {
	if t.kind == 0 {
		return "the end of the file"
	}
	return strconv.Quote(t.text)
}

// body reads statements up to the closing }, or the end of the file.
func (p *npssParser) body(depth int) {
	for {
		t := p.peek(0)
		switch {
		case t.kind == 0:
			if depth > 0 {
				p.fail(t.at, "the file ends within a subelement: a } is missing")
			}
			return
		case t.kind == '}':
			return
		case depth > deepestNPSS:
			p.fail(t.at, "nested deeper than any map")
		case t.kind == 'a' && strings.EqualFold(t.text, "Subelement") && p.peek(1).kind == 'a' &&
			p.peek(2).kind == 'a' && p.peek(3).kind == '{':
			p.i += 4
			p.body(depth + 1)
			p.expect('}', "subelement")
		case t.kind == 'a' && strings.EqualFold(t.text, "Table") && p.peek(1).kind == 'a':
			p.table()
		case t.kind == 'a' && p.peek(1).kind == '=' && (p.peek(2).kind == '0' || p.peek(2).kind == '"') &&
			(p.peek(3).kind == ';' || p.peek(3).kind == 0):
			p.assign()
		default:
			p.skip()
		}
	}
}

// assign reads "name = value;".
func (p *npssParser) assign() {
	name, value := strings.ToLower(p.peek(0).text), p.peek(2)
	p.i += 4
	switch {
	case value.kind == '0':
		p.file.scalars[name] = value.num
	case name == "description" && p.file.description == "":
		p.file.description = value.text
	}
}

// skip passes over a statement or function that maps do not need.
func (p *npssParser) skip() {
	start := p.peek(0)
	for depth := 0; ; {
		switch t := p.peek(0); t.kind {
		case 0:
			if depth > 0 {
				p.fail(start.at, "the block of %s does not end: a } is missing", start)
			}
			return
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return // the enclosing body's
			}
			if depth--; depth == 0 {
				p.i++
				return
			}
		case ';':
			if depth == 0 {
				p.i++
				return
			}
		}
		p.i++
	}
}

// table reads "Table NAME(real A, real B) { ... }".
func (p *npssParser) table() {
	name := p.peek(1)
	t := &npssTable{name: name.text, at: name.at, interp: map[string]string{}, extrap: map[string]string{}}
	p.i += 2
	p.expect('(', "table "+t.name)
	for !p.accept(')') {
		w := p.next()
		switch {
		case w.kind == 0 || w.kind == '{' || w.kind == '}':
			p.fail(w.at, "table %s: the list of its arguments does not end", t.name)
			return
		case w.kind == 'a' && w.text != "real" && w.text != "int":
			t.args = append(t.args, w.text)
		}
	}
	if len(t.args) == 0 {
		p.fail(t.at, "table %s has no arguments; a map's table has a speed and Rline, beta or PR", t.name)
		return
	}
	p.expect('{', "table "+t.name)
	p.block(t, nil, t.at)
	if quantity(t.name, perfmap.Compressor) != "" && len(t.args) < 2 {
		p.fail(t.at, "table %s has one argument; a map's table has a speed and Rline, beta or PR", t.name)
	}
	p.file.tables = append(p.file.tables, t)
}

// block reads the inside and the } of a table or row that began at a place.
func (p *npssParser) block(t *npssTable, coords []float64, at place) {
	row := npssRow{sheetRow{at: at}, coords}
	for p.err == nil {
		w := p.next()
		switch {
		case w.kind == '}':
			if row.x != nil || row.v != nil {
				p.add(t, row)
			}
			return
		case w.kind == ';' || w.kind == ',':
		case w.kind == 0:
			p.fail(w.at, "table %s: the file ends within it: a } is missing", t.name)
		case w.kind != 'a':
			p.fail(w.at, "table %s: %s is in the place of a name", t.name, w)
		case len(coords) > deepestNPSS:
			p.fail(w.at, "table %s: nested deeper than any map", t.name)
		default:
			p.expect('=', "table "+t.name+": "+w.text)
			p.item(t, &row, w)
		}
	}
}

// item reads the text after "NAME =" in a table: 1 {...}, {...}, * or another statement.
func (p *npssParser) item(t *npssTable, row *npssRow, name npssToken) {
	last := t.args[len(t.args)-1]
	v := p.next()
	switch {
	case v.kind == '0' && p.accept('{'):
		if row.x != nil || row.v != nil {
			p.fail(name.at, "table %s: a block within a row", t.name)
		}
		p.block(t, append(slices.Clone(row.coords), v.num), name.at)
	case v.kind == '{':
		p.array(t, row, name)
	case v.kind == '*' && !strings.EqualFold(name.text, last):
		p.fail(v.at, "table %s: %s = *: only the axis %s can be that of the row before", t.name, name.text, last)
	case v.kind == '*' && len(t.rows) == 0:
		p.fail(v.at, "table %s: %s = * in the first row; there is none before it", t.name, name.text)
	case v.kind == '*':
		row.x = t.rows[len(t.rows)-1].x
	case v.kind == '"':
		if axis, ok := strings.CutSuffix(name.text, ".interp"); ok {
			t.interp[axis] = v.text
		} else if axis, ok := strings.CutSuffix(name.text, ".extrap"); ok {
			t.extrap[axis] = v.text
		}
	case v.kind == '0' || v.kind == 'a': // extrapIsError, printExtrap and the like
	default:
		p.fail(v.at, "table %s: %s = %s: a number, a list or * is due", t.name, name.text, v)
	}
}

// array reads the numbers of "NAME = {" up to its }.
func (p *npssParser) array(t *npssTable, row *npssRow, name npssToken) {
	v := []float64{}
	for !p.accept('}') {
		w := p.next()
		switch w.kind {
		case ',':
		case '0':
			v = append(v, w.num)
		default:
			p.fail(w.at, "table %s: %s: %s is in the place of a number", t.name, name.text, w)
			return
		}
	}
	into, last := &row.v, t.args[len(t.args)-1]
	if strings.EqualFold(name.text, last) {
		into = &row.x
	}
	if *into != nil {
		p.fail(name.at, "table %s: the row has %s already; a row has its axis %s and one list of values",
			t.name, name.text, last)
	}
	*into = v
}

// add takes a finished row.
func (p *npssParser) add(t *npssTable, r npssRow) {
	last := t.args[len(t.args)-1]
	switch n := len(t.rows) + 1; {
	case r.x == nil:
		p.fail(r.at, "table %s, row %d: its axis %s is missing", t.name, n, last)
	case r.v == nil:
		p.fail(r.at, "table %s, row %d: its values are missing", t.name, n)
	case len(r.v) != len(r.x):
		p.fail(r.at, "table %s, row %d (%s %s): %d values over %d of %s", t.name, n,
			t.args[max(0, len(t.args)-2)], numeric.Text(lastOr(r.coords)), len(r.v), len(r.x), last)
	}
	t.rows = append(t.rows, r)
}

func lastOr(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[len(v)-1]
}
