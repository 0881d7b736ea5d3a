package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxIndex limits the arrays that column names such as Pt[1000000000] make.
const maxIndex = 1 << 14

// maxNames limits the names of a file: some come from its lines.
const maxNames = 1 << 14

// name is where a sample stores a value, and its factor to SI.
type name struct {
	id    int // index of Parser.known; -1: not stored
	name  string
	index int // in an array; -1: a value
	scale float64
	log10 bool // the file has the value's logarithm
	first bool // a residual: the first of an iteration counts
}

// value converts a number of the file.
func (n *name) value(x float64) float64 {
	if n.log10 {
		x = math.Pow(10, x)
	}
	return x * n.scale
}

// name resolves a value's name in the file.
func (f *File) name(text string) name {
	n := name{name: text, index: -1, scale: 1}
	if open := strings.LastIndexByte(text, '['); open > 0 && strings.HasSuffix(text, "]") {
		if i, err := strconv.Atoi(text[open+1 : len(text)-1]); err == nil && i >= 0 && i < maxIndex {
			n.name, n.index = text[:open], i
		}
	}
	n.name = f.renamed(n.name)
	if !technical(n.name) {
		n.name = f.Prefix + n.name
	}
	if factor, ok := f.Scale[n.name]; ok {
		n.scale = factor
	}
	return n
}

// column resolves the name of column i. Guessed residuals may be logarithms.
func (f *File) column(columns []string, i int, logarithms bool) (n name) {
	text := columns[i]
	if like(text, f.Drop) && text != f.Key && !slices.Contains(f.Keys, text) {
		return name{index: -1}
	}
	residual, log10 := Residual(columns, i)
	_, named := f.Rename[text]
	switch {
	case f.Guess && residual != "" && !named:
		n = name{name: f.renamed(residual), index: -1, scale: 1, log10: log10 || logarithms}
	case f.Units && !ofTwo(columns, text):
		n = f.name(withoutUnit(text))
	default:
		n = f.name(text)
	}
	n.log10 = n.log10 || like(text, f.Log10)
	return n
}

// technical reports whether a name belongs to the solver's work and not to its flow. Such names have the same meaning
// in all files of a run.
func technical(name string) bool { return KindOf(name) != "value" }

// KindOf returns the word by which a name belongs to the solver's work, such as residual; "value" for a name of the
// flow.
func KindOf(name string) string {
	word, _, _ := strings.Cut(name, "_")
	if slices.Contains([]string{"iteration", "time", "residual", "final", "inner", "target", "continuity",
		"courant", "timescale", "steps", "dt", "clock", "cpu"}, word) {
		return word
	}
	return "value"
}

// ofEquation reports whether a name belongs to an equation's numbers: with its name appended, as in final_Ux.
func ofEquation(name string) bool {
	word, _, _ := strings.Cut(name, "_")
	return slices.Contains([]string{"residual", "final", "inner"}, word)
}

// renamed returns Peregrine's name for a name in the file. A star in a rule matches any text and inserts it in the new
// name.
func (f *File) renamed(name string) string {
	if to, ok := f.Rename[name]; ok {
		return to
	}
	for _, from := range slices.Sorted(maps.Keys(f.Rename)) {
		before, after, star := strings.Cut(from, "*")
		if star && len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name,
			after) {
			return strings.Replace(f.Rename[from], "*", name[len(before):len(name)-len(after)], 1)
		}
	}
	return name
}

// enlist completes a name by its index, and keeps it as long as the parser lives.
func (p *Parser) enlist(n name) *name {
	if n.name == "" {
		n.id = -1
		return &n
	}
	n.id = p.intern(n.name)
	n.first = strings.HasPrefix(n.name, "residual")
	return &n
}

// named resolves a name of the file and keeps it.
func (p *Parser) named(text string) *name {
	if n, ok := p.resolved[text]; ok {
		return n
	}
	if len(p.resolved) >= maxNames {
		clear(p.resolved)
	}
	n := p.enlist(p.spec.name(text))
	p.resolved[strings.Clone(text)] = n
	return n
}

// intern returns the index of a name; -1 beyond the limit of names.
func (p *Parser) intern(name string) int {
	if id, ok := p.ids[name]; ok {
		return id
	}
	if len(p.known) >= maxNames {
		if !p.tooMany {
			p.tooMany = true
			p.message(fmt.Sprintf("more than %d names of values: the others are not used", maxNames), "")
		}
		return -1
	}
	p.ids[name] = len(p.known)
	p.known = append(p.known, name)
	return len(p.known) - 1
}
