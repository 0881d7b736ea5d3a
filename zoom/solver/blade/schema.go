package blade

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// The help page on geometry lists the keys by the descriptions here.

// Schema returns the JSON Schema (draft 2020-12) of a geometry file of section tables.
func Schema() *jsonschema.Schema {
	blades := keys("A blade row.",
		may("name", scalar("of the row")),
		required("blades", count()),
		may("rotating", &jsonschema.Schema{Type: "boolean", Description: "whether it turns; default false"}),
		may("stacking_axis", number("axial place of the line on which the sections' centres of area stand; default 0")),
		may("tip_gap", number("between blade and casing; default none")),
		may("setting",
			number("degrees by which the row turns about its stacking axis, towards larger angles, for each degree "+
				"of the component's alpha, negative the other way; default 0, fixed")),
		may("incidence", number("reference incidence; default by correlation")),
		required("radius", columnOf("of each section")),
		required("chord", columnOf("of each section")),
		required("stagger", columnOf("of each section, from the axial direction")),
		required("beta_le",
			columnOf("metal angle at the leading edge from the axial direction, positive against the rotation")),
		required("beta_te", columnOf("the same at the trailing edge")),
		required("tm_over_c", columnOf("greatest thickness over chord")),
		required("max_thickness", keys("Where blades are thickest.",
			required("radius", columnOf("at which the next is given")),
			required("at", columnOf("where along the chord the blade is thickest, as a fraction")))))
	return titled("Peregrine geometry", keys("Flow path and blade rows.",
		may("geometry", scalar("name")), may("source", scalar("where the numbers come from")),
		required("units", units()), required("flowpath", annulus()),
		required("rows", &jsonschema.Schema{Type: "array", Items: blades})))
}

// PairsSchema returns the JSON Schema of a file with points on both sides of a blade.
func PairsSchema() *jsonschema.Schema {
	four := 4
	point := columnOf("")
	point.MinItems, point.MaxItems = &four, &four
	section := &jsonschema.Schema{Type: "array", Items: point}
	return titled("Peregrine blade points", keys("A solid blade row.",
		required("blade", scalar("name")), may("source", scalar("where the numbers come from")),
		required("units", units()), required("blades", count()),
		may("tip_gap", number("between blade and casing; default none")),
		required("flowpath", annulus()),
		required("sections",
			&jsonschema.Schema{
				Type: "array", Items: section, Description: "by section and point: z, r, theta1, theta2",
			})))
}

func units() *jsonschema.Schema {
	word := func(doc string, known map[string]float64) *jsonschema.Schema {
		s := &jsonschema.Schema{Description: doc}
		for _, w := range slices.Sorted(maps.Keys(known)) {
			s.Enum = append(s.Enum, w)
		}
		return s
	}
	return keys("Units of all lengths and angles.",
		required("length", word("m, cm, mm, in or ft", lengths)), required("angle", word("deg or rad", angles)))
}

func annulus() *jsonschema.Schema {
	wall := func() *jsonschema.Schema {
		return keys("A wall.", required("z", columnOf("axial distances of points of the wall")),
			required("r", columnOf("their radii")))
	}
	return keys("Hub and casing.", required("hub", wall()), required("casing", wall()))
}

func titled(title string, s *jsonschema.Schema) *jsonschema.Schema {
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	return s
}

func scalar(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "number"}, Description: doc}
}

func number(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Description: doc}
}

func columnOf(doc string) *jsonschema.Schema {
	two := 2
	return &jsonschema.Schema{Type: "array", MinItems: &two, Items: number(""), Description: doc}
}

func count() *jsonschema.Schema {
	one := 1.0
	return &jsonschema.Schema{Type: "integer", Minimum: &one, Description: "their number"}
}

// prop is a key of a group.
type prop struct {
	name     string
	schema   *jsonschema.Schema
	required bool
}

func required(name string, s *jsonschema.Schema) prop { return prop{name, s, true} }
func may(name string, s *jsonschema.Schema) prop      { return prop{name, s, false} }

// keys is a group that has no other keys.
func keys(doc string, props ...prop) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: doc, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, p := range props {
		s.Properties[p.name] = p.schema
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}
