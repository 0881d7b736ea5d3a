package hosts

// The JSON Schema of the file, out of its keys.

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// Schema returns the JSON Schema (draft 2020-12) of a hosts file. It accepts every file that [Parse] accepts; what
// addresses, options, patterns and regular expressions mean Parse alone knows. The keys of a provider's launchers are
// in the definition of its name.
func Schema() *jsonschema.Schema {
	keys := launcherKeys(&Launcher{})
	provider := keys[0]
	entry := &jsonschema.Schema{
		Type: "object", Required: []string{provider.name},
		Properties: map[string]*jsonschema.Schema{provider.name: provider.schema()},
	}
	defs := map[string]*jsonschema.Schema{
		"quantity": {Type: "string", Pattern: unit.Pattern(), Description: "A number and a unit."},
	}
	for _, p := range providers {
		name := any(string(p))
		defs[string(p)] = object(keysOf(p, keys))
		entry.AllOf = append(entry.AllOf, &jsonschema.Schema{
			If: &jsonschema.Schema{Required: []string{provider.name},
				Properties: map[string]*jsonschema.Schema{provider.name: {Const: &name}}},
			Then: &jsonschema.Schema{Ref: "#/$defs/" + string(p)},
		})
	}
	all := &jsonschema.Schema{Type: "object", Description: "Launchers by name.", AdditionalProperties: entry,
		PropertyNames: &jsonschema.Schema{Pattern: nameShape.String(), Not: &jsonschema.Schema{Enum: []any{Local}}}}
	return &jsonschema.Schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "Peregrine hosts",
		Description: "Where runs may go.", Type: "object",
		Properties: map[string]*jsonschema.Schema{"launchers": all}, Required: []string{"launchers"},
		AdditionalProperties: never(), Defs: defs}
}

// keysOf are the keys that a provider's launchers have.
func keysOf(p Provider, keys []key) (taken []key) {
	for _, k := range keys {
		if k.takenBy(p) {
			taken = append(taken, k)
		}
	}
	return taken
}

func (k key) schema() *jsonschema.Schema {
	s := k.value.schema()
	s.Description = k.describe()
	return s
}

// object is a group of keys.
func object(keys []key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	for _, k := range keys {
		s.Properties[k.name] = k.schema()
		s.PropertyOrder = append(s.PropertyOrder, k.name)
		if k.required {
			s.Required = append(s.Required, k.name)
		}
	}
	return s
}

func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// numeric is a number within bounds, or a text of a number and a unit.
func numeric(s document.Span) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "number", Minimum: &s.Least, Maximum: &s.Most}, {Ref: "#/$defs/quantity"}}}
}

// whole is a whole number from 1.
func whole(most float64) *jsonschema.Schema {
	one := 1.0
	s := numeric(document.Span{Least: 1, Most: most})
	s.AnyOf[0].MultipleOf = &one
	return s
}
