package document

// Keys of a group: a declaration has the name of a key, its description and its value. The reader, the schema and the
// help pages all use it.

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
)

// Key is a key of a group.
type Key struct {
	Name     string
	Required bool
	Doc      string
	Value
	Without string // meaning of a missing key if the field's value does not show it; empty: no text
}

// Required is a required key.
func (r *Reader) Required(name, doc string, v Value) Key {
	return Key{Name: name, Required: true, Doc: doc, Value: v}
}

// Optional is an optional key.
func (r *Reader) Optional(name, doc string, v Value) Key { return Key{Name: name, Doc: doc, Value: v} }

// Or returns a key with the meaning of its absence.
func (k Key) Or(without string) Key {
	k.Without = without
	return k
}

// Schema is the schema of the key's value, with the key's description.
func (k Key) Schema() *jsonschema.Schema {
	s := k.Value.Schema()
	without := k.Without
	if without != "" {
		without = "default: " + without
	}
	s.Description = Joined(k.Doc, s.Description, without)
	return s
}

// Object is the schema of a group of keys.
func Object(doc string, keys []Key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: doc, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: Never()}
	for _, k := range keys {
		s.Properties[k.Name] = k.Schema()
		s.PropertyOrder = append(s.PropertyOrder, k.Name)
		if k.Required {
			s.Required = append(s.Required, k.Name)
		}
	}
	return s
}

// Never is the schema that no value satisfies.
func Never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// Titled makes a schema that of a file.
func Titled(title string, s *jsonschema.Schema) *jsonschema.Schema {
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	return s
}

// QuantityName is the name of the definition that schemas of numbers with units refer to, and QuantitySchema is that
// definition.
const QuantityName = "quantity"

// QuantitySchema is the schema of a text of a number and, perhaps, a unit.
func QuantitySchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: unit.Pattern(), Description: "A number and a unit."}
}

// Ref refers to a definition of a schema.
func Ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// Group is a group of keys of a file, with their values.
type Group struct {
	r    *Reader
	path string
	at   Pos
	keys []Key
	list []Field
}

// Section is a group of known keys.
func (r *Reader) Section(want string, keys []Key) Value {
	return Value{Schema: func() *jsonschema.Schema { return Object("", keys) },
		Read: func(n ast.Node, path string) { r.Group(n, path, want, keys) }}
}

// Group reads a group with fixed keys, in the order of their declaration: unknown and missing keys are problems.
func (r *Reader) Group(n ast.Node, path, want string, keys []Key) *Group {
	g := r.Open(n, path, want, keys)
	for _, k := range keys {
		g.Read(k.Name)
	}
	return g
}

// Open reports unknown and missing keys of a group whose values Read reads.
func (r *Reader) Open(n ast.Node, path, want string, keys []Key) *Group {
	g := &Group{r: r, path: path, keys: keys, list: r.Fields(n, path, want)}
	if g.list == nil {
		return g
	}
	g.at = Position(n)
	names := convert.All(keys, func(k Key) string { return k.Name })
	g.list = r.Known(g.list, path, "", names)
	for _, k := range keys {
		if k.Required && !g.Has(k.Name) {
			r.Fail(g.at, path, "", "no key %s", k.Name)
		}
	}
	return g
}

// Read reads the values of keys that are present.
func (g *Group) Read(names ...string) {
	for _, name := range names {
		n := g.Node(name)
		if i := slices.IndexFunc(g.keys, func(k Key) bool { return k.Name == name }); n != nil && i >= 0 {
			g.keys[i].Read(n, Join(g.path, name))
		}
	}
}

// Node is the value of a key, nil if the key is missing.
func (g *Group) Node(name string) ast.Node {
	for _, f := range g.list {
		if f.Key == name {
			return f.Value
		}
	}
	return nil
}

// Has reports whether a key is present.
func (g *Group) Has(name string) bool { return g.Node(name) != nil }

// Given returns the present keys among names, in the order of the file.
func (g *Group) Given(names ...string) (given []string) {
	for _, f := range g.list {
		if slices.Contains(names, f.Key) {
			given = append(given, f.Key)
		}
	}
	return given
}

// Fail records a problem at the value of a key.
func (g *Group) Fail(name, format string, args ...any) {
	g.r.Fail(Position(g.Node(name)), Join(g.path, name), "", format, args...)
}

// ByWord is the schema of an entry whose further keys depend on the word of key k. For each word they are those of the
// definition with that name behind a prefix. An editor shows only the keys of the given word.
func ByWord(k Key, prefix string, words ...string) *jsonschema.Schema {
	only := func(s *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Required: []string{k.Name}, Properties: map[string]*jsonschema.Schema{k.Name: s}}
	}
	entry := only(k.Schema())
	entry.Type = "object"
	for _, w := range words {
		word := any(w)
		entry.AllOf = append(entry.AllOf, &jsonschema.Schema{If: only(&jsonschema.Schema{Const: &word}),
			Then: Ref(prefix + w)})
	}
	return entry
}

// At is the path of a key.
func (g *Group) At(name string) string { return Join(g.path, name) }
