package format

import (
	"math"
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
	if err := p.body(0); err != nil {
		return nil, err
	}
	if t := p.peek(0); t.kind != 0 {
		return nil, t.at.fault("this } closes nothing")
	}
	return p.file, nil
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

func (p *npssParser) expect(sign byte, where string) error {
	if t := p.next(); t.kind != sign {
		return t.at.fault("%s: %c is due here, not %s", where, sign, t)
	}
	return nil
}

func (t npssToken) String() string {
	if t.kind == 0 {
		return "the end of the file"
	}
	return strconv.Quote(t.text)
}

// body reads statements up to the } that ends it, or the end of the file.
func (p *npssParser) body(depth int) error {
	for {
		t := p.peek(0)
		switch {
		case t.kind == 0:
			if depth > 0 {
				return t.at.fault("the file ends within a subelement: a } is missing")
			}
			return nil
		case t.kind == '}':
			return nil
		case depth > deepestNPSS:
			return t.at.fault("nested deeper than any map")
		case t.kind == 'a' && strings.EqualFold(t.text, "Subelement") && p.peek(1).kind == 'a' && p.peek(2).kind == 'a' && p.peek(3).kind == '{':
			p.i += 4
			if err := p.body(depth + 1); err != nil {
				return err
			}
			if err := p.expect('}', "subelement"); err != nil {
				return err
			}
		case t.kind == 'a' && strings.EqualFold(t.text, "Table") && p.peek(1).kind == 'a':
			if err := p.table(); err != nil {
				return err
			}
		case t.kind == 'a' && p.peek(1).kind == '=' && (p.peek(2).kind == '0' || p.peek(2).kind == '"') && (p.peek(3).kind == ';' || p.peek(3).kind == 0):
			p.assign()
		default:
			if err := p.skip(); err != nil {
				return err
			}
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
func (p *npssParser) skip() error {
	start := p.peek(0)
	for depth := 0; ; {
		switch t := p.peek(0); t.kind {
		case 0:
			if depth > 0 {
				return start.at.fault("the block of %s does not end: a } is missing", start)
			}
			return nil
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return nil // the enclosing body's
			}
			if depth--; depth == 0 {
				p.i++
				return nil
			}
		case ';':
			if depth == 0 {
				p.i++
				return nil
			}
		}
		p.i++
	}
}

// table reads "Table NAME(real A, real B) { ... }".
func (p *npssParser) table() error {
	p.i++
	t := &npssTable{name: p.peek(0).text, at: p.peek(0).at, interp: map[string]string{}, extrap: map[string]string{}}
	p.i++
	if err := p.expect('(', "table "+t.name); err != nil {
		return err
	}
	for !p.accept(')') {
		w := p.next()
		switch {
		case w.kind == 0 || w.kind == '{' || w.kind == '}':
			return w.at.fault("table %s: the list of its arguments does not end", t.name)
		case w.kind == 'a' && w.text != "real" && w.text != "int":
			t.args = append(t.args, w.text)
		}
	}
	if len(t.args) == 0 {
		return t.at.fault("table %s has no arguments; a map's table has a speed and Rline, beta or PR", t.name)
	}
	if err := p.expect('{', "table "+t.name); err != nil {
		return err
	}
	if err := p.block(t, nil, t.at); err != nil {
		return err
	}
	if quantity(t.name, perfmap.Compressor) != "" && len(t.args) < 2 {
		return t.at.fault("table %s has one argument; a map's table has a speed and Rline, beta or PR", t.name)
	}
	p.file.tables = append(p.file.tables, t)
	return nil
}

// block reads the inside and the } of a table or row that began at a place.
func (p *npssParser) block(t *npssTable, coords []float64, at place) error {
	row := npssRow{sheetRow{at: at}, coords}
	for {
		w := p.next()
		switch {
		case w.kind == '}':
			if row.x == nil && row.v == nil {
				return nil
			}
			return t.add(row)
		case w.kind == ';' || w.kind == ',':
		case w.kind == 0:
			return w.at.fault("table %s: the file ends within it: a } is missing", t.name)
		case w.kind != 'a':
			return w.at.fault("table %s: %s stands where a name is due", t.name, w)
		case len(coords) > deepestNPSS:
			return w.at.fault("table %s: nested deeper than any map", t.name)
		default:
			if err := p.item(t, &row, w); err != nil {
				return err
			}
		}
	}
}

// item reads "NAME = 1 {...}", "NAME = {...}", "NAME = *" or another statement of a table.
func (p *npssParser) item(t *npssTable, row *npssRow, name npssToken) error {
	if err := p.expect('=', "table "+t.name+": "+name.text); err != nil {
		return err
	}
	v := p.next()
	switch {
	case v.kind == '0' && p.accept('{'):
		inner := append(append([]float64{}, row.coords...), v.num)
		if row.x != nil || row.v != nil {
			return name.at.fault("table %s: a block within a row", t.name)
		}
		return p.block(t, inner, name.at)
	case v.kind == '{':
		return p.array(t, row, name)
	case v.kind == '*':
		if !strings.EqualFold(name.text, t.args[len(t.args)-1]) {
			return v.at.fault("table %s: %s = *: only the axis %s can be that of the row before", t.name, name.text, t.args[len(t.args)-1])
		}
		if len(t.rows) == 0 {
			return v.at.fault("table %s: %s = * in the first row; there is none before it", t.name, name.text)
		}
		row.x = t.rows[len(t.rows)-1].x
		return nil
	case v.kind == '"':
		if axis, ok := strings.CutSuffix(name.text, ".interp"); ok {
			t.interp[axis] = v.text
		} else if axis, ok := strings.CutSuffix(name.text, ".extrap"); ok {
			t.extrap[axis] = v.text
		}
		return nil
	case v.kind == '0' || v.kind == 'a':
		return nil // extrapIsError, printExtrap and the like
	}
	return v.at.fault("table %s: %s = %s: a number, a list or * is due", t.name, name.text, v)
}

// array reads the numbers of "NAME = {" up to its }.
func (p *npssParser) array(t *npssTable, row *npssRow, name npssToken) error {
	v := []float64{}
	for !p.accept('}') {
		w := p.next()
		switch w.kind {
		case ',':
		case '0':
			v = append(v, w.num)
		default:
			return w.at.fault("table %s: %s: %s stands where a number is due", t.name, name.text, w)
		}
	}
	into := &row.v
	if strings.EqualFold(name.text, t.args[len(t.args)-1]) {
		into = &row.x
	}
	if *into != nil {
		return name.at.fault("table %s: the row has %s already; a row has its axis %s and one list of values", t.name, name.text, t.args[len(t.args)-1])
	}
	*into = v
	return nil
}

// add takes a finished row.
func (t *npssTable) add(r npssRow) error {
	switch n := len(t.rows) + 1; {
	case r.x == nil:
		return r.at.fault("table %s, row %d: its axis %s is missing", t.name, n, t.args[len(t.args)-1])
	case r.v == nil:
		return r.at.fault("table %s, row %d: its values are missing", t.name, n)
	case len(r.v) != len(r.x):
		return r.at.fault("table %s, row %d (%s %s): %d values over %d of %s", t.name, n,
			t.args[max(0, len(t.args)-2)], numeric.Text(lastOr(r.coords)), len(r.v), len(r.x), t.args[len(t.args)-1])
	}
	t.rows = append(t.rows, r)
	return nil
}

func lastOr(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[len(v)-1]
}
