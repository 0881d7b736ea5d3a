package external

// The groups of keys of a description. Each key is declared once, beside its variable; the reader, the schema and the
// help page follow from the declarations.

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	expr "github.com/peregrine-sim/peregrine/config/expression"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Group is a group of keys of a description.
type Group struct {
	Name string // such as "a step"
	Form string // an example
	Keys []document.Key
}

// read reads a group.
func (r *reader) read(g Group, n ast.Node, path string) *document.Group {
	return r.Group(n, path, g.Name+" such as "+g.Form, g.Keys)
}

// item reads a group as an item of a list.
func (r *reader) item(g Group) document.Value {
	return document.Value{Schema: g.schema, Read: func(n ast.Node, path string) { r.read(g, n, path) }}
}

func (g Group) schema() *jsonschema.Schema { return document.Object("", g.Keys) }

// Values by their form.

func anyScalar() *jsonschema.Schema { return document.TextSchema("") }

// word reads a single scalar.
func word(form string, read func(n ast.Node, path string)) document.Value {
	return document.Value{Form: form, Schema: anyScalar, Read: read}
}

// listOf reads a list of items with a schema.
func listOf(what string, item func() *jsonschema.Schema, read func(n ast.Node, path string)) document.Value {
	schema := func() *jsonschema.Schema { return document.ListOf(item()) }
	return document.Value{Form: "list of " + what, Schema: schema, Read: read}
}

// byName reads a group of entries with a schema, by names of the user's.
func byName(what string, entry func() *jsonschema.Schema, read func(n ast.Node, path string)) document.Value {
	schema := func() *jsonschema.Schema { return document.NamedSchema(nameShape(), entry()) }
	return document.Value{Form: what + " by name", Schema: schema, Read: read}
}

// orGroup reads a scalar, or a group that needs a key.
func orGroup(form, key string, read func(n ast.Node, path string)) document.Value {
	schema := func() *jsonschema.Schema { return document.Either(anyScalar(), needing(key)) }
	return document.Value{Form: form, Schema: schema, Read: read}
}

// needing returns the schema of a group that needs a key.
func needing(key string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{key}}
}

// valuesSchema returns the schema of a value of a request.
func valuesSchema() *jsonschema.Schema {
	return document.Either(anyScalar(), document.ListOf(anyScalar()), needing("file"))
}

// number reads a plain number in a unit, which is read before.
func (r *reader) number(dst **float64, u *unit.Unit) document.Value {
	return word("number", func(n ast.Node, path string) {
		var x float64
		before := len(r.Problems)
		if r.Number(&x).Read(n, path); len(r.Problems) > before {
			return
		}
		if *u != (unit.Unit{}) {
			x = u.ToSI(x)
		}
		*dst = &x
	})
}

// expression reads an expression over the given names.
func (r *reader) expression(dst **expression, names scope) document.Value {
	v := r.Scalar("an expression such as N * pi / 30", func(w document.Word, path string) {
		e, err := names.compile(w.Text)
		for _, bad := range expr.Faults(err) {
			r.Fail(w.AtRune(bad.At), path, cmp.Or(bad.Text, w.Text), "%s", bad.Reason)
		}
		*dst = e
	})
	return v.Called("expression")
}

func (r *reader) unit(dst *unit.Unit) document.Value {
	v := r.Scalar("a unit such as kg/s", func(w document.Word, path string) {
		u, err := unit.Derived(w.Text)
		var bad *unit.Error
		if errors.As(err, &bad) {
			r.Fail(w.Pos, path, w.Text, "%s", bad.Reason)
		}
		*dst = u
	})
	return v.Called("unit")
}

// inFolder reads the name of a file in the run folder.
func (r *reader) inFolder(dst *string, fault func(string) string) document.Value {
	v := r.Scalar("the path of a file in the run folder", func(w document.Word, path string) {
		if reason := fault(w.Text); reason != "" {
			r.Fail(w.Pos, path, w.Text, "%s", reason)
			return
		}
		*dst = strings.TrimSuffix(w.Text, "/")
	})
	return v.Called("path")
}

func (r *reader) time(dst *time.Duration) document.Value {
	v := r.Scalar("a time such as 10 min", func(w document.Word, path string) {
		x, err := unit.Parse(w.Text, unit.Time)
		if err != nil || x <= 0 || x > 1e8 {
			r.Fail(w.Pos, path, w.Text, "want a time such as 60 s or 10 min")
			return
		}
		*dst = time.Duration(x * float64(time.Second))
	})
	return v.Called("time")
}

// pattern reads a regular expression of lines.
func (r *reader) pattern(dst **regexp.Regexp, check func(re *regexp.Regexp) string) document.Value {
	v := r.Scalar("a regular expression", func(w document.Word, path string) {
		re, err := regexp.Compile("(?m:" + w.Text + ")")
		if err != nil {
			r.Fail(w.Pos, path, w.Text, "%v", err)
			return
		}
		if fault := check(re); fault != "" {
			r.Fail(w.Pos, path, w.Text, "%s", fault)
		}
		*dst = re
	})
	return v.Called("regular expression (RE2)")
}

func anyPattern(*regexp.Regexp) string { return "" }

// onePlace checks that an expression has a single group, or a group called value.
func onePlace(re *regexp.Regexp) string {
	if re.NumSubexp() == 0 || re.NumSubexp() > 1 && re.SubexpIndex(group) < 0 {
		return "want one group, or one called value, as in 'W = (\\S+)' or 'W = (?P<value>\\S+)'"
	}
	return ""
}
