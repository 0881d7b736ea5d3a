package blade

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schema (draft 2020-12) of a geometry file of section tables.
func Schema() *jsonschema.Schema {
	number := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "number", Description: doc}
	}
	list := func(doc string) *jsonschema.Schema {
		two := 2
		return &jsonschema.Schema{Type: "array", MinItems: &two, Items: number(""), Description: doc}
	}
	one := 1.0
	row := keys("A blade row: each list has one entry a section, hub to casing.", map[string]*jsonschema.Schema{
		"name":          text("Name."),
		"blades":        {Type: "integer", Minimum: &one, Description: "Number of blades."},
		"rotating":      {Type: "boolean", Description: "Whether it turns with the shaft; default false."},
		"stacking_axis": number("Axial place of the stacking axis; default 0."),
		"tip_gap":       number("Gap between blade and casing; default 0."),
		"incidence":     number("Design incidence on stream surfaces."),
		"radius":        list("Distances from the axis."), "chord": list("Chords."), "stagger": list("Stagger angles."),
		"beta_le": list("Blade angles at the leading edge."), "beta_te": list("Blade angles at the trailing edge."), "tm_over_c": list("Greatest thickness over chord."),
		"max_thickness": keys("Where along the chord the blade is thickest, by radius.", map[string]*jsonschema.Schema{
			"radius": list("Radii."), "at": list("Fractions of the chord."),
		}),
	}, "name", "rotating", "stacking_axis", "tip_gap", "incidence")
	wall := func() *jsonschema.Schema {
		return keys("A wall.", map[string]*jsonschema.Schema{"z": list("Axial places, rising."), "r": list("Radii.")})
	}
	s := keys("Flow path and blade rows.", map[string]*jsonschema.Schema{
		"geometry": text("Name."), "source": text("Where the numbers are from."),
		"units": keys("Units of all lengths and angles.", map[string]*jsonschema.Schema{
			"length": {Enum: []any{"m", "cm", "mm", "in", "ft"}}, "angle": {Enum: []any{"deg", "rad"}},
		}),
		"flowpath": keys("Hub and casing.", map[string]*jsonschema.Schema{"hub": wall(), "casing": wall()}),
		"rows":     {Type: "array", Items: row, Description: "Blade rows in the direction of the flow."},
	}, "geometry", "source")
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "Peregrine geometry"
	return s
}

func text(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "number"}, Description: doc}
}

// keys is a group that has no other keys, all but some of which must be there.
func keys(doc string, props map[string]*jsonschema.Schema, optional ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: doc, Properties: props, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for name := range props {
		if !slices.Contains(optional, name) {
			s.Required = append(s.Required, name)
		}
	}
	slices.Sort(s.Required)
	return s
}
