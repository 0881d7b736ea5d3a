package external

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of a description. It accepts every description that [Parse] accepts;
// what names, units, expressions and files mean Parse alone knows.
func Schema() *jsonschema.Schema {
	s := schemaOf("a description", "How a program is run as a flow solver.")
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "Peregrine description of a solver"
	return s
}

// schemaOf is the schema of a group of keys.
func schemaOf(name, doc string) *jsonschema.Schema {
	i := slices.IndexFunc(Groups, func(g Group) bool { return g.Name == name })
	s := &jsonschema.Schema{Type: "object", Description: doc, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, k := range Groups[i].Keys {
		value := schemaOfForm(k.Form)
		value.Description = k.Doc
		s.Properties[k.Name] = value
		s.PropertyOrder = append(s.PropertyOrder, k.Name)
		if k.Required {
			s.Required = append(s.Required, k.Name)
		}
	}
	return s
}

// schemaOfForm is the schema of what a key's form says.
func schemaOfForm(form string) *jsonschema.Schema {
	scalar := func() *jsonschema.Schema {
		return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	}
	list := func(item *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: item}
	}
	named := func(value *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", PropertyNames: &jsonschema.Schema{Pattern: nameShape.String()},
			AdditionalProperties: value}
	}
	either := func(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: of} }
	switch form {
	case "quantities by name":
		return named(schemaOf("a quantity", ""))
	case "planes by name":
		return named(schemaOf("a plane", ""))
	case "source":
		return schemaOf("a source", "")
	case "outputs by name":
		return named(schemaOf("an output", ""))
	case "expressions by name":
		return named(either(scalar(), schemaOf("a value", "")))
	case "values by name":
		return named(either(scalar(), list(scalar()), &jsonschema.Schema{Type: "object", Required: []string{"file"}}))
	case "list of files":
		return list(schemaOf("a file", ""))
	case "list of steps":
		return list(schemaOf("a step", ""))
	case "list of signs":
		return list(schemaOf("a sign", ""))
	case "list of witnesses":
		return list(schemaOf("a witness", ""))
	case "list of kept files":
		return list(schemaOf("a kept file", ""))
	case "steering":
		return schemaOf("steering", "")
	case "list of steered files":
		return list(schemaOf("a steered file", ""))
	case "objects by name":
		return named(schemaOf("an object", ""))
	case "expression or mark":
		return either(scalar(), schemaOf("a mark", ""))
	case "watched, a signal or {touch: PATH}":
		return either(scalar(), &jsonschema.Schema{Type: "object", Required: []string{"touch"}})
	case "list of watched files":
		// `peregrine help watch` has their keys
		return list(&jsonschema.Schema{Type: "object", Required: []string{"file"}})
	case "list of NAME=value", "list of patterns", "list of words", "list of names":
		return list(scalar())
	case "last, first, min, max, mean or {mean: N}":
		return either(scalar(), &jsonschema.Schema{Type: "object", Required: []string{"mean"}})
	case "true or false":
		return &jsonschema.Schema{Enum: []any{true, false, "true", "false"}}
	}
	if words, closed := choices[form]; closed {
		s := &jsonschema.Schema{Type: "string"}
		for _, w := range words {
			s.Enum = append(s.Enum, w)
		}
		return s
	}
	if !slices.Contains(scalars, form) {
		panic("external: no schema of a value that is " + form)
	}
	return scalar()
}

// scalars are the forms of single words, texts and numbers.
var scalars = []string{
	"name", "text", "unit", "number", "expression", "path", "time", "pattern", "name or number",
	"regular expression (RE2)", "pointer", "class of a run",
}

// choices are the forms that are one of a few words.
var choices = map[string][]string{
	"mass or area":         {"mass", "area"},
	"absolute or relative": {"absolute", frameRelative},
	"W, Ps, Ts, Pt, Tt, axial, tangential or alpha": {"W", "Ps", "Ts", "Pt", "Tt", "axial", "tangential", "alpha"},
	"scalar, profile, text or file":                 {"scalar", "profile", "text", "file"},
	"scalar or profile":                             {"scalar", "profile"},
	"csv, columns, json, sections or stl":           {formatCSV, formatColumns, formatJSON, formatSections, formatSTL},
	"openfoam, assignments or whole":                {"openfoam", "assignments", "whole"},
	"replace or in_place":                           {writeReplace, writeInPlace},
	"float, int, bool or text":                      {"float", "int", "bool", "text"},
	"numerics, answer or monitor":                   {"numerics", "answer", "monitor"},
	"cold or restart":                               {whenCold, whenRestart},
}
