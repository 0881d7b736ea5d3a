package config

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// quantity reads a number with a unit.
func (r *reader) quantity(w document.Word, path string, dim unit.Dimension) (float64, bool) {
	v, err := unit.Parse(w.Text, dim)
	if err != nil {
		var e *unit.Error
		if !errors.As(err, &e) {
			panic(err) // unit.Parse promises the type
		}
		r.Fail(w.Pos, path, w.Text, "%s", e.Reason)
		return 0, false
	}
	return v, true
}

// number returns a reader of a number with a unit and bounds into dst.
func (r *reader) number(dst *float64, dim unit.Dimension, least, most float64) func(ast.Node, string) {
	p := &Param{Kind: Number, Dim: dim, Min: least, Max: most}
	return func(n ast.Node, path string) {
		if w, ok := r.Word(n, path, p.Want()); ok {
			if v, ok := r.value(w, path, p); ok {
				*dst = v.Num
			}
		}
	}
}

// wholeNumber reads a count within bounds; it is 0 if there is none, which was reported.
func (r *reader) wholeNumber(n ast.Node, path string, least, most float64) int {
	before := len(r.Problems)
	var x float64
	r.number(&x, unit.None, least, most)(n, path)
	if len(r.Problems) > before {
		return 0
	}
	if x != math.Trunc(x) {
		r.Fail(document.Position(n), path, numeric.Text(x), "want a whole number")
		return 0
	}
	return int(x)
}

// value reads a parameter's value and checks it against the parameter's bounds or words.
func (r *reader) value(w document.Word, path string, p *Param) (Value, bool) {
	v := Value{Set: true, Pos: w.Pos}
	switch p.Kind {
	case Number:
		x, ok := r.quantity(w, path, p.Dim)
		if !ok || !r.within(x, w, path, p) {
			return v, false
		}
		v.Num = x
	case Word:
		if !slices.Contains(p.Words, w.Text) {
			r.Fail(w.Pos, path, w.Text, "unknown word%s", r.Hint(w.Text, p.Words))
			return v, false
		}
		v.Text = w.Text
	case Flag:
		if w.Text != "true" && w.Text != "false" {
			r.Fail(w.Pos, path, w.Text, "want true or false")
			return v, false
		}
		v.Flag = w.Text == "true"
	default:
		v.Text = w.Text
	}
	return v, true
}

// within reports a number outside its parameter's bounds.
func (r *reader) within(x float64, w document.Word, path string, p *Param) bool {
	if p.Min == 0 && p.Max == 0 {
		return true
	}
	switch {
	case x < p.Min && p.Min == 0:
		r.Fail(w.Pos, path, w.Text, "negative, want %s", p.span())
	case x < p.Min:
		r.Fail(w.Pos, path, w.Text, "too small, want %s", p.span())
	case x > p.Max:
		r.Fail(w.Pos, path, w.Text, "too large, want %s", p.span())
	default:
		return true
	}
	return false
}

// span writes a parameter's bounds: "0 to 1", "at least 0 kg/s".
func (p *Param) span() string {
	bare := p.Dim.Bare()
	if bare != "" {
		bare = " " + bare
	}
	least := strconv.FormatFloat(p.Min, 'g', 6, 64)
	most := strconv.FormatFloat(p.Max, 'g', 6, 64)
	switch {
	case math.IsInf(p.Max, 1) || p.Max == math.MaxFloat64:
		return "at least " + least + bare
	case math.IsInf(p.Min, -1) || p.Min == -math.MaxFloat64:
		return "at most " + most + bare
	}
	return least + " to " + most + bare
}

// Want describes the values that a parameter takes, for a message or a manual: "a pressure such as
// 101325 Pa or 14.696 psi", "map or direct".
func (p *Param) Want() string {
	switch p.Kind {
	case Number:
		return p.Dim.Phrase() + " such as " + p.Dim.Examples()
	case Word:
		return spell.List(p.Words, "or")
	case Flag:
		return "true or false"
	case File:
		return "a path, relative to the engine file"
	}
	return "a text"
}

// defaults fills in what was not given.
func (t *Type) defaults(v Values) {
	for i := range t.Params {
		p := &t.Params[i]
		if v.Has(p.Name) || p.Default == nil {
			continue
		}
		switch d := p.Default.(type) {
		case float64:
			v[p.Name] = Value{Num: d}
		case int:
			v[p.Name] = Value{Num: float64(d)}
		case string:
			v[p.Name] = Value{Text: d}
		case bool:
			v[p.Name] = Value{Flag: d}
		default:
			panic("config: default of " + t.Name + "." + p.Name + " is no float64, string or bool")
		}
	}
}

// values reads the parameters of an entry of type t among its fields. The keys
// in own are the entry's own and are left out.
func (r *reader) values(fields []document.Field, path string, t *Type, own ...string) Values {
	known := slices.Clone(own)
	for i := range t.Params {
		known = append(known, t.Params[i].Name)
	}
	values := make(Values, len(t.Params))
	for _, f := range fields {
		if slices.Contains(own, f.Key) {
			continue
		}
		p := t.Param(f.Key)
		if p == nil {
			r.unknown(f, path, t, known)
			if near := t.Param(spell.Nearest(f.Key, slices.Values(known))); near != nil && !values.Has(near.Name) {
				values[near.Name] = Value{Pos: f.Pos} // misspelt, not missing as well
			}
			continue
		}
		at := document.Join(path, f.Key)
		w, ok := r.Word(f.Value, at, p.Want())
		if !ok {
			values[p.Name] = Value{Pos: f.Pos} // given, though badly: not missing as well
			continue
		}
		v, _ := r.value(w, at, p)
		values[p.Name] = v
	}
	return values
}

// unknown reports a key that an entry of type t does not have.
func (r *reader) unknown(f document.Field, path string, t *Type, known []string) {
	if _, err := strconv.ParseFloat(f.Key, 64); err == nil {
		r.Fail(f.Pos, path, f.Key, "a number for a key; a comma ends a value, decimals take a point")
		return
	}
	r.Fail(f.Pos, path, f.Key, "unknown key of %s%s", t.Article(), r.Hint(f.Key, known))
}

// missing reports the required parameters that neither the file nor --set gave.
func (r *reader) missing(at document.Pos, path string, t *Type, values Values) {
	for i := range t.Params {
		if p := &t.Params[i]; p.Required && !values.Has(p.Name) {
			r.Fail(at, path, "", "no key %s, which %s must have: %s", p.Name, t.Article(), p.Want())
		}
	}
}

// Article writes the type's name with its article: "a burner", "an inlet".
func (t *Type) Article() string {
	if t.Name != "" && slices.Contains([]byte("aeiou"), t.Name[0]) {
		return "an " + t.Name
	}
	return "a " + t.Name
}
