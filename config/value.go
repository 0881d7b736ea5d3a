package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// value reads a parameter's value and checks it against the parameter's bounds or words.
func (r *reader) value(w document.Word, path string, p *Param) (Value, bool) {
	v := Value{Set: true, Pos: w.Pos}
	switch p.Kind {
	case Number:
		x, ok := r.Quantity(w, path, p.span())
		if !ok {
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

// span is the range of a parameter's number.
func (p *Param) span() document.Span { return document.Span{Dim: p.Dim, Least: p.Min, Most: p.Max} }

// Want describes the values that a parameter takes, for a message or a manual: "a pressure such as
// 101325 Pa or 14.696 psi", "map or direct".
func (p *Param) Want() string {
	switch p.Kind {
	case Number:
		return p.span().Want()
	case Word:
		return spell.List(p.Words, "or")
	case Flag:
		return "true or false"
	case File:
		return "a path, relative to the engine file"
	}
	return "a text"
}

// defaults fills in missing parameters.
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

// entry reads an entry of type t with its fields: its own keys, and its parameters.
func (r *reader) entry(fields []document.Field, path string, t *Type, keys ...document.Key) Values {
	known := convert.All(keys, func(k document.Key) string { return k.Name })
	for i := range t.Params {
		known = append(known, t.Params[i].Name)
	}
	values := make(Values, len(t.Params))
	for i, f := range fields {
		if also := t.also(f.Key); also != "" && !slices.Contains(document.Keys(fields), also) {
			r.Fail(f.Pos, path, f.Key, "unknown key of %s, did you mean %s?", t.Article(), also)
			fields[i].Key = also
		}
	}
	for _, f := range r.Known(fields, path, " of "+t.Article(), known) {
		at := document.Join(path, f.Key)
		if i := slices.IndexFunc(keys, func(k document.Key) bool { return k.Name == f.Key }); i >= 0 {
			keys[i].Read(f.Value, at)
			continue
		}
		p := t.Param(f.Key)
		if p == nil {
			continue // unknown, which was reported
		}
		w, ok := r.Word(f.Value, at, p.Want())
		if !ok {
			values[p.Name] = Value{Pos: f.Pos} // given, though badly: not missing as well
			continue
		}
		if number := t.numberFor(p, w.Text); number != "" {
			r.Fail(w.Pos, at, w.Text, "unknown word, did you mean %s: %s?", number, w.Text)
			values[p.Name] = Value{Pos: f.Pos}
			continue
		}
		v, _ := r.value(w, at, p)
		values[p.Name] = v
	}
	return values
}

// also returns the parameter that another program calls by a name that is no parameter's here, or "".
func (t *Type) also(name string) string {
	for i := range t.Params {
		if slices.Contains(t.Params[i].Also, name) && t.Param(name) == nil {
			return t.Params[i].Name
		}
	}
	return ""
}

// numberFor returns the parameter whose name ends with that of a parameter of words, where a file gives that one a
// number: ram_recovery for recovery. Else it returns "".
func (t *Type) numberFor(p *Param, text string) string {
	if _, err := unit.Parse(text, unit.None); p.Kind != Word || err != nil {
		return ""
	}
	for i := range t.Params {
		if n := &t.Params[i]; n.Kind == Number && n.Dim == unit.None && strings.HasSuffix(n.Name, "_"+p.Name) {
			return n.Name
		}
	}
	return ""
}

// schema is the schema of an entry with these keys of its own. No parameter is required here, for --set may supply it.
func (t *Type) schema(keys ...document.Key) *jsonschema.Schema {
	for i := range t.Params {
		p := &t.Params[i]
		keys = append(keys, document.Key{Name: p.Name, Value: document.Value{Schema: p.schema}})
	}
	return document.Object(t.Doc, keys)
}

// schema is the schema of a parameter's value: its description, its unit and bounds, and whether it is required.
func (p *Param) schema() *jsonschema.Schema {
	s := document.TextSchema("")
	switch p.Kind {
	case Number:
		s = p.span().Schema()
	case Word:
		s = document.Enum(p.Words...)
	case Flag:
		s = document.FlagSchema()
	case File:
		s.Description = p.Want()
	}
	parts := []string{p.Doc, s.Description}
	if p.Required {
		parts = append(parts, "required")
	}
	s.Description = document.Joined(parts...)
	if p.Default != nil {
		s.Default = must(json.Marshal(p.Default))
	}
	return s
}

// must returns data of an encoding that cannot fail: defaults are numbers, texts and flags.
func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

// Article writes the type's name with its article: "a burner", "an inlet".
func (t *Type) Article() string {
	if t.Name != "" && slices.Contains([]byte("aeiou"), t.Name[0]) {
		return "an " + t.Name
	}
	return "a " + t.Name
}
