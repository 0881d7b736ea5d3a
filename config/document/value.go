package document

// The kinds of values. Each is declared once, with its destination field: its reading and its JSON Schema follow from
// the declaration.

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Value is the value of a key or of an item of a list.
type Value struct {
	Form   string // for a list of keys, such as "text" or "map or direct"
	Read   func(n ast.Node, path string)
	Schema func() *jsonschema.Schema // its description: unit, bounds, examples
	set    func(x any)               // gives the field a default
}

// With returns the value with a change of its schema.
func (v Value) With(change func(s *jsonschema.Schema)) Value {
	schema := v.Schema
	v.Schema = func() *jsonschema.Schema {
		s := schema()
		change(s)
		return s
	}
	return v
}

// Says returns the value with a text before the description of its schema.
func (v Value) Says(doc string) Value {
	return v.With(func(s *jsonschema.Schema) { s.Description = Joined(doc, s.Description) })
}

// Like returns the value with an example in place of the description of its schema.
func (v Value) Like(example string) Value {
	return v.With(func(s *jsonschema.Schema) { s.Description = "such as " + example })
}

// NotEmpty returns a list, or a group, whose schema refuses an empty value.
func (v Value) NotEmpty() Value {
	one := 1
	return v.With(func(s *jsonschema.Schema) {
		if s.Type == "array" {
			s.MinItems = &one
		} else {
			s.MinProperties = &one
		}
	})
}

// Default gives the field of the value its default, in the type of the field and in SI: 60.0 for a time of 60 s.
func (v Value) Default(x any) Value {
	if v.set != nil {
		v.set(x)
	}
	return v.Implied(x)
}

// Implied returns the value with the default of a missing key.
func (v Value) Implied(x any) Value {
	return v.With(func(s *jsonschema.Schema) {
		data, err := json.Marshal(x)
		if err != nil {
			panic(err) // defaults are numbers, texts and flags
		}
		s.Default = data
	})
}

// Reading returns the value with another reader.
func (v Value) Reading(read func(n ast.Node, path string)) Value {
	v.Read = read
	return v
}

// Called returns the value under another name in lists of keys.
func (v Value) Called(form string) Value {
	v.Form = form
	return v
}

// Kind is the form of a value for a list of keys: of a choice, its words.
func (v Value) Kind() string {
	if v.Form != "" {
		return v.Form
	}
	words := convert.All(v.Schema().Enum, func(w any) string { return fmt.Sprint(w) })
	return spell.List(words, "or")
}

// Then returns the value with a check after reading.
func (v Value) Then(check func(n ast.Node, path string)) Value {
	read := v.Read
	v.Read = func(n ast.Node, path string) {
		read(n, path)
		check(n, path)
	}
	return v
}

// scalar is the schema of any scalar: `name: 747` is a text too, although YAML reads a number.
func scalar() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
}

// ListOf is the schema of a list.
func ListOf(item *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: item}
}

// NamedSchema is the schema of a group whose keys are the user's; shape may be nil.
func NamedSchema(shape *regexp.Regexp, entry *jsonschema.Schema) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", AdditionalProperties: entry}
	if shape != nil {
		s.PropertyNames = &jsonschema.Schema{Pattern: shape.String()}
	}
	return s
}

// Either is the schema of several alternatives.
func Either(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }

// Enum is the schema of a fixed set of words.
func Enum(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// Rule is a condition on a text; the zero Rule accepts any text.
type Rule struct {
	Shape *regexp.Regexp      // nil: any
	Fault string              // message for a text of another shape
	Check func(string) string // further error of the text, which the schema cannot express; nil: no check
}

func (c Rule) broken(text string) string {
	switch {
	case c.Shape != nil && !c.Shape.MatchString(text):
		return c.Fault
	case c.Check != nil:
		return c.Check(text)
	}
	return ""
}

// schema has the types whose values can match the shape.
func (c Rule) schema() *jsonschema.Schema {
	if c.Shape == nil {
		return scalar()
	}
	s := &jsonschema.Schema{Type: "string", Pattern: c.Shape.String()}
	for _, t := range []struct{ kind, like string }{{"number", "0"}, {"boolean", "true"}} {
		if c.Shape.MatchString(t.like) {
			s.Types = append(s.Types, t.kind)
		}
	}
	if s.Types != nil {
		s.Type, s.Types = "", append([]string{"string"}, s.Types...)
	}
	return s
}

// TextSchema is the schema of a text with a description.
func TextSchema(doc string) *jsonschema.Schema {
	s := scalar()
	s.Description = doc
	return s
}

// Scalar is any text, which use takes.
func (r *Reader) Scalar(want string, use func(w Word, path string)) Value {
	return Value{Form: "text", Schema: scalar, Read: func(n ast.Node, path string) {
		if w, ok := r.Word(n, path, want); ok {
			use(w, path)
		}
	}}
}

// Text is any text.
func (r *Reader) Text(dst *string, want string) Value { return r.Shaped(dst, want, Rule{}) }

// Shaped is a text that keeps a rule.
func (r *Reader) Shaped(dst *string, want string, rule Rule) Value {
	return Value{Form: "text", Schema: rule.schema, set: func(x any) { *dst = x.(string) },
		Read: func(n ast.Node, path string) {
			w, ok := r.Word(n, path, want)
			if !ok {
				return
			}
			*dst = w.Text // a faulty text is a single problem; places that name the text report no more
			if fault := rule.broken(w.Text); fault != "" {
				r.Fail(w.Pos, path, w.Text, "%s", fault)
			}
		}}
}

// Texts is a list of texts that keep a rule.
func (r *Reader) Texts(dst *[]string, want, item string, rule Rule) Value {
	return Value{Form: "list of words", Schema: func() *jsonschema.Schema { return ListOf(rule.schema()) },
		Read: func(n ast.Node, path string) {
			for i, it := range r.Items(n, path, want) {
				before := len(r.Problems)
				var text string
				if r.Shaped(&text, item, rule).Read(it, Item(path, i)); len(r.Problems) == before {
					*dst = append(*dst, text)
				}
			}
		}}
}

// Choice is a word of a fixed set.
func (r *Reader) Choice(dst *string, words ...string) Value { return Choice(r, dst, words...) }

// Choice is a word of a fixed set with its own type.
func Choice[T ~string](r *Reader, dst *T, words ...T) Value {
	texts := Texts(words)
	return Value{Schema: func() *jsonschema.Schema { return Enum(texts...) },
		set: func(x any) { *dst = T(x.(string)) },
		Read: func(n ast.Node, path string) {
			w, ok := r.Word(n, path, spell.List(texts, "or"))
			if !ok {
				return
			}
			if i := slices.Index(words, T(w.Text)); i >= 0 {
				*dst = words[i]
				return
			}
			r.Fail(w.Pos, path, w.Text, "unknown word%s", r.Hint(w.Text, texts))
		}}
}

// Texts returns words of a type of their own as texts.
func Texts[T ~string](words []T) []string {
	return convert.All(words, func(w T) string { return string(w) })
}

// FlagSchema is the schema of true or false.
func FlagSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Enum: []any{true, false, "true", "false"}}
}

// Flag is true or false.
func (r *Reader) Flag(dst *bool) Value {
	return Value{Form: "true or false", set: func(x any) { *dst = x.(bool) },
		Schema: FlagSchema,
		Read: func(n ast.Node, path string) {
			word := ""
			r.Choice(&word, "true", "false").Read(n, path)
			*dst = word == "true"
		}}
}

// Measure is a number of a dimension within bounds, in SI: a quantity.
func (r *Reader) Measure(dst *float64, dim unit.Dimension, least, most float64) Value {
	s := Span{dim, least, most}
	return Value{Form: "quantity", Schema: s.Schema, set: func(x any) { *dst = inGo(x) },
		Read: func(n ast.Node, path string) {
			if w, ok := r.Word(n, path, s.Want()); ok {
				if x, ok := r.Quantity(w, path, s); ok {
					*dst = x
				}
			}
		}}
}

// inGo is a default as Go writes it: Default(2) or Default(0.5).
func inGo(x any) float64 {
	if n, whole := x.(int); whole {
		return float64(n)
	}
	return x.(float64)
}

// Storage is an amount of memory, bytes.
func (r *Reader) Storage(dst *int64, least, most float64) Value {
	var x float64
	v := r.Measure(&x, unit.Storage, least, most)
	v.set = func(x any) { *dst = int64(inGo(x)) }
	before := v.Read
	v.Read = func(n ast.Node, path string) {
		x = float64(*dst)
		before(n, path)
		*dst = int64(x)
	}
	return v
}

// Duration is a time, whose bounds are in s.
func (r *Reader) Duration(dst *time.Duration, least, most float64) Value {
	var x float64
	v := r.Measure(&x, unit.Time, least, most)
	v.set = func(x any) { *dst = time.Duration(math.Round(inGo(x) * float64(time.Second))) }
	before := v.Read
	v.Read = func(n ast.Node, path string) {
		x = dst.Seconds()
		before(n, path)
		*dst = time.Duration(math.Round(x * float64(time.Second)))
	}
	return v
}

// Count is a whole number within bounds.
func (r *Reader) Count(dst *int, least, most float64) Value {
	s := Span{unit.None, least, most}
	v := Value{Form: "whole number", set: func(x any) { *dst = x.(int) }, Schema: func() *jsonschema.Schema {
		one, number := 1.0, s.Schema()
		number.AnyOf[0].MultipleOf = &one
		number.Description = strconv.FormatFloat(least, 'f', -1, 64) + " to " + strconv.FormatFloat(most, 'f', -1, 64)
		return number
	}}
	v.Read = func(n ast.Node, path string) {
		before := len(r.Problems)
		var x float64
		if r.Measure(&x, unit.None, least, most).Read(n, path); len(r.Problems) > before {
			return
		}
		if x != math.Trunc(x) {
			r.Fail(Position(n), path, numeric.Text(x), "want a whole number")
			return
		}
		*dst = int(x)
	}
	return v
}

// Number is a plain number, whose unit the file gives elsewhere.
func (r *Reader) Number(dst *float64) Value {
	return Value{Form: "number", Schema: func() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} },
		Read: func(n ast.Node, path string) {
			if w, ok := r.Word(n, path, "a number"); ok {
				if x, ok := r.plainNumber(w, path); ok {
					*dst = x
				}
			}
		}}
}

// Numbers is a list of plain numbers.
func (r *Reader) Numbers(dst *[]float64) Value {
	return Value{Form: "list of numbers", Schema: func() *jsonschema.Schema { return ListOf(r.Number(nil).Schema()) },
		Read: func(n ast.Node, path string) {
			items := r.Items(n, path, "numbers such as [1, 2.5, 3]")
			*dst = make([]float64, len(items))
			for i, it := range items {
				r.Number(&(*dst)[i]).Read(it, Item(path, i))
			}
		}}
}

// Whole is a whole number from least upwards. The text what describes it in a message for a smaller number. The value
// math.MinInt32 for least allows any number.
func (r *Reader) Whole(dst *int, least int, what string) Value {
	v := Value{Form: "whole number", set: func(x any) { *dst = x.(int) }, Schema: func() *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "integer"}
		if least != math.MinInt32 {
			bound := float64(least)
			s.Minimum = &bound
		}
		return s
	}}
	v.Read = func(n ast.Node, path string) {
		before := len(r.Problems)
		var x float64
		switch r.Number(&x).Read(n, path); {
		case len(r.Problems) > before:
		case x != math.Trunc(x) || math.Abs(x) > math.MaxInt32:
			r.Fail(Position(n), path, n.GetToken().Value, "want a whole number")
		case x < float64(least):
			r.Fail(Position(n), path, n.GetToken().Value, "want %s, from %d", what, least)
		default:
			*dst = int(x)
		}
	}
	return v
}

// Each is a list whose items are all read alike.
func (r *Reader) Each(want string, item Value) Value {
	return Value{Schema: func() *jsonschema.Schema { return ListOf(item.Schema()) },
		Read: func(n ast.Node, path string) {
			for i, it := range r.Items(n, path, want) {
				item.Read(it, Item(path, i))
			}
		}}
}

// OneOrMore is an item, or a list of them.
func (r *Reader) OneOrMore(want, doc string, item Value) Value {
	many := r.Each(want, item).NotEmpty().Says(doc)
	schema := func() *jsonschema.Schema { return Either(item.Schema(), many.Schema()) }
	return Value{Schema: schema, Read: func(n ast.Node, path string) {
		list, isList := n.(*ast.SequenceNode)
		switch {
		case !isList:
			item.Read(n, path)
		case len(list.Values) == 0:
			r.Fail(Position(n), path, "", "an empty list, want %s", want)
		default:
			many.Read(n, path)
		}
	}}
}

// List is a list. The function item declares each item with its destination.
func List[T any](r *Reader, dst *[]T, want string, item func(x *T) Value) Value {
	return Value{Schema: func() *jsonschema.Schema { return ListOf(item(new(T)).Schema()) },
		Read: func(n ast.Node, path string) {
			for i, it := range r.Items(n, path, want) {
				var x T
				before := len(r.Problems)
				if item(&x).Read(it, Item(path, i)); len(r.Problems) == before {
					*dst = append(*dst, x)
				}
			}
		}}
}

// Map is a group whose keys are the user's names. The function item declares each entry with its destination. A name
// that does not match shape is a problem with the text fault; shape may be nil.
func Map[T any](r *Reader, dst *map[string]T, want string, shape *regexp.Regexp, fault string,
	item func(x *T) Value) Value {
	return Value{Schema: func() *jsonschema.Schema { return NamedSchema(shape, item(new(T)).Schema()) },
		Read: func(n ast.Node, path string) {
			*dst = map[string]T{}
			for _, f := range r.Fields(n, path, want) {
				if shape != nil && !shape.MatchString(f.Key) {
					r.Fail(f.Pos, path, f.Key, "%s", fault)
					continue
				}
				var x T
				before := len(r.Problems)
				if item(&x).Read(f.Value, Join(path, f.Key)); len(r.Problems) == before {
					(*dst)[f.Key] = x
				}
			}
		}}
}

// Joined puts a semicolon between texts that are not empty.
func Joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "; ")
}
