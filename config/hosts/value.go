package hosts

// Values of keys: how each kind is read, and its schema.

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// value is what a key holds.
type value interface {
	read(r *document.Reader, n ast.Node, path string)
	schema() *jsonschema.Schema // without the description
	form() string               // what may be said of it besides the key's own words; may be empty
}

// count is a whole number from 1.
type count struct {
	to   *int
	most float64
}

func (v count) read(r *document.Reader, n ast.Node, path string) { *v.to = r.Count(n, path, 1, v.most) }
func (v count) schema() *jsonschema.Schema {
	return whole(v.most)
}
func (v count) form() string { return fmt.Sprintf("1 to %d", int(v.most)) }

// storage is an amount of memory.
type storage struct {
	to    *int64
	least float64
	like  string // an example
}

const mostStorage = 1e15

func (v storage) read(r *document.Reader, n ast.Node, path string) {
	r.Storage(v.to, v.least, mostStorage)(n, path)
}
func (v storage) schema() *jsonschema.Schema {
	return numeric(document.Span{Dim: unit.Storage, Least: v.least, Most: mostStorage})
}
func (v storage) form() string { return "such as " + v.like }

// duration is a time.
type duration struct {
	to          *time.Duration
	least, most float64 // s
	like        string  // an example
}

func (v duration) read(r *document.Reader, n ast.Node, path string) {
	r.Duration(v.to, v.least, v.most)(n, path)
}
func (v duration) schema() *jsonschema.Schema {
	return numeric(document.Span{Dim: unit.Time, Least: v.least, Most: v.most})
}
func (v duration) form() string { return "such as " + v.like }

// choice is one of some words.
type choice[T ~string] struct {
	to    *T
	words []T
}

func (v choice[T]) read(r *document.Reader, n ast.Node, path string) {
	var word string
	r.Choice(&word, texts(v.words)...)(n, path)
	*v.to = T(word)
}
func (v choice[T]) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range v.words {
		s.Enum = append(s.Enum, string(w))
	}
	return s
}
func (choice[T]) form() string { return "" }

func texts[T ~string](words []T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

// rule is what a text must be; the zero rule is any.
type rule struct {
	shape *regexp.Regexp      // nil: any
	fault string              // what is said of another
	check func(string) string // what is wrong besides, as the schema cannot tell; nil: nothing
}

func (c rule) broken(text string) string {
	switch {
	case c.shape != nil && !c.shape.MatchString(text):
		return c.fault
	case c.check != nil:
		return c.check(text)
	}
	return ""
}

// schema is that of any scalar: a name such as 747 is a number to YAML.
func (c rule) schema() *jsonschema.Schema {
	s := &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	if c.shape != nil {
		s.Pattern = c.shape.String()
	}
	return s
}

// text is one word.
type text struct {
	to   *string
	want string
	rule rule
}

func (v text) read(r *document.Reader, n ast.Node, path string) {
	w, ok := r.Word(n, path, v.want)
	if !ok {
		return
	}
	if fault := v.rule.broken(w.Text); fault != "" {
		r.Fail(w.Pos, path, w.Text, "%s", fault)
		return
	}
	*v.to = w.Text
}
func (v text) schema() *jsonschema.Schema { return v.rule.schema() }
func (text) form() string                 { return "" }

// list is some words.
type list struct {
	to   *[]string
	want string
	rule rule
	once bool // none may be there twice
}

func (v list) read(r *document.Reader, n ast.Node, path string) {
	before := len(r.Problems)
	for i, w := range r.Words(n, path, v.want) {
		fault := v.rule.broken(w.Text)
		if fault == "" && v.once && slices.Contains(*v.to, w.Text) {
			fault = "it is there twice"
		}
		if fault != "" {
			r.Fail(w.Pos, document.Item(path, i), w.Text, "%s", fault)
			continue
		}
		*v.to = append(*v.to, w.Text)
	}
	if len(*v.to) == 0 && len(r.Problems) == before {
		r.Fail(document.Position(n), path, "", "an empty list; want %s, or no such key", v.want)
	}
}
func (v list) schema() *jsonschema.Schema {
	one := 1
	return &jsonschema.Schema{Type: "array", MinItems: &one, Items: v.rule.schema()}
}
func (list) form() string { return "" }

// group is a group of keys.
type group struct {
	want string
	keys []key
}

func (v group) read(r *document.Reader, n ast.Node, path string) {
	var keys []document.Key
	for _, k := range v.keys {
		keys = append(keys,
			document.Key{
				Name: k.name, Required: k.required, Read: func(n ast.Node, path string) { k.value.read(r, n, path) },
			})
	}
	r.Group(n, path, v.want, keys)
}
func (v group) schema() *jsonschema.Schema { return object(v.keys) }
func (group) form() string                 { return "" }

// pattern is a shell's pattern of names within a folder.
func pattern(text string) string {
	switch _, err := path.Match(text, ""); {
	case err != nil:
		return "no pattern; want one such as *.csv or restart-[0-9]*"
	case path.IsAbs(text) || slices.Contains(strings.Split(text, "/"), ".."):
		return "it leads out of the run's folder; want a pattern such as *.csv"
	}
	return ""
}
