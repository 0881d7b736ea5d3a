package config

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Schema returns the JSON Schema (draft 2020-12) of the engine file for a
// catalogue, with units, bounds, defaults and documentation in the
// descriptions. Editors use it to complete and check while typing.
//
// It accepts every file that [Parse] accepts. It cannot tell what Parse alone
// does: whether names resolve, flow connects, or a unit that is one is of the right dimension.
func Schema(cat *Catalogue) *jsonschema.Schema {
	s := group("Engine file of Peregrine: a gas turbine, its design and its cases.",
		prop{
			"peregrine",
			&jsonschema.Schema{
				Type: "integer", Enum: []any{Format},
				Description: "Format of this file; the present one if it is absent.",
			}, false,
		},
		prop{"engine", text("Name of the engine."), true},
		prop{
			"design_case", &jsonschema.Schema{Types: []string{"string", "number"}, Pattern: caseShape.String(),
				Description: `Name of the design case, default "design".`}, false,
		},
		prop{"gas", gasSchema(), false},
		prop{"components", componentsSchema(cat), true},
		prop{
			"flow",
			list("Chains of components in the direction of the flow.",
				text("Such as: inlet -> fan.bypass -> duct. A name without a port means its port out (in), or else "+
					"its only free one.")), true,
		},
		prop{"bleeds", list("Streams outside the flow chains.", bleedSchema(cat.bleed())), false},
		prop{"shafts", named("Shafts by name.", nameShape.String(), shaftSchema(cat.shaft())), false},
		prop{"buses", named("Electric buses by name.", nameShape.String(), busSchema(cat.bus())), false},
		prop{"controls", named("Controls by name, which act in transients.", nameShape.String(), controlSchema(cat)),
			false},
		prop{"design", list("Balances of the design case.", designBalanceSchema()), false},
		prop{
			"cases", named("Cases by name, in the order in which they are reported.", caseShape.String(),
				caseSchema()), false,
		},
		prop{"limits", list("Limits that every case keeps.", ref("limit")), false},
		prop{
			"sweeps", named("Sweeps by name: a case solved at every point of a grid.", caseShape.String(),
				sweepSchema()), false,
		},
		prop{"solvers", solversSchema(), false},
		prop{
			"zoom", named("Components whose behaviour comes from a flow solver, by name.", nameShape.String(),
				zoomSchema(cat)), false,
		},
		functionsProp(),
		rulesProp(false),
	)
	titled(s, "Peregrine engine file")
	knownSolvers(s, cat)
	s.Defs = map[string]*jsonschema.Schema{"balance": balanceSchema(), "limit": limitSchema(),
		"quantity": quantityText()}
	for _, t := range cat.Types {
		s.Defs["component."+t.Name] = componentSchema(t)
	}
	for _, t := range cat.Controls {
		s.Defs["control."+t.Name] = kindOfControlSchema(t)
	}
	return s
}

// quantityText is a text of a number and, perhaps, a unit.
func quantityText() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: unit.Pattern(), Description: "A number and a unit."}
}

// titled makes a schema that of a file.
func titled(s *jsonschema.Schema, title string) *jsonschema.Schema {
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	return s
}

// SettingsSchema returns the JSON Schema of the settings file.
func SettingsSchema() *jsonschema.Schema {
	var props []prop
	for _, name := range settingNames {
		props = append(props, prop{name, text(settingDocs[name]), false})
	}
	return titled(group("Settings of the tool.", props...), "Peregrine settings")
}

// SolversSchema returns the JSON Schema of a file of solvers.
func SolversSchema() *jsonschema.Schema { return titled(solversSchema(), "Peregrine solvers") }

func solversSchema() *jsonschema.Schema {
	one := 1
	command := list("Program and arguments, never through a shell; a path is relative to the file.", text("A word."))
	command.MinItems = &one
	return named("Flow solvers of one's own, by name.", nameShape.String(),
		group("A program that serves the solver protocol, by command, or the description of any program, by external.",
			prop{"command", command, false},
			prop{"external", text("Description of any program; its path is relative to the file."), false},
			prop{"licence", licenceSchema(), false},
			prop{
				"environment",
				list("Variables, besides what every solver sees.",
					&jsonschema.Schema{Type: "string", Pattern: "^_*[A-Za-z][A-Za-z0-9_]*=",
						Description: "NAME=value."}), false,
			},
			prop{"version", text("Version of what the program calls: answers of another are not used."), false},
			prop{"doc", text("What it is."), false},
		))
}

// RulesSchema returns the JSON Schema of a file of rules.
func RulesSchema() *jsonschema.Schema {
	return titled(group("Rules for any runs.", functionsProp(), rulesProp(true)), "Peregrine rules")
}

// functionsProp and rulesProp are sections of an engine file, and of a file of rules.
func functionsProp() prop {
	body := text("What it is, in the language of conditions.")
	return prop{
		"functions", named("Functions that rules use: a head such as fell(x, n), and a condition or an expression.",
			functionShape.String(), body), false,
	}
}

func rulesProp(required bool) prop {
	return prop{"rules", list("Rules that warn of results, besides those built in.", ruleSchema()), required}
}

// prop is one key of a group.
type prop struct {
	name     string
	schema   *jsonschema.Schema
	required bool
}

func group(doc string, props ...prop) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: doc, Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: never()}
	for _, p := range props {
		s.Properties[p.name] = p.schema
		s.PropertyOrder = append(s.PropertyOrder, p.name)
		if p.required {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// text is any scalar: `engine: 747` is a name too, although YAML reads a number.
func text(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}, Description: doc}
}

func list(doc string, item *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Description: doc, Items: item}
}

// named is a group of entries whose names are the user's.
func named(doc, pattern string, entry *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Description: doc, AdditionalProperties: entry,
		PropertyNames: &jsonschema.Schema{Pattern: pattern}}
}

func words(doc string, choices ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: doc}
	for _, w := range choices {
		s.Enum = append(s.Enum, w)
	}
	return s
}

func with(s *jsonschema.Schema, def any) *jsonschema.Schema {
	data, err := json.Marshal(def)
	if err != nil {
		panic(err) // defaults are numbers, texts and flags
	}
	s.Default = data
	return s
}

// quantity is a number in SI within bounds, or a text of a number and a unit.
func quantity(doc string, dim unit.Dimension, least, most float64) *jsonschema.Schema {
	p := &Param{Kind: Number, Dim: dim, Doc: doc, Min: least, Max: most}
	return p.schema()
}

// schema returns what a parameter may be.
func (p *Param) schema() *jsonschema.Schema {
	var s *jsonschema.Schema
	switch p.Kind {
	case Number:
		number := &jsonschema.Schema{Type: "number"}
		if p.span().Bounded() {
			number.Minimum, number.Maximum = bound(p.Min), bound(p.Max)
		}
		s = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{number, ref("quantity")}}
	case Word:
		s = words("", p.Words...)
	case Flag:
		s = &jsonschema.Schema{Enum: []any{true, false, "true", "false"}}
	default:
		s = text("")
	}
	s.Description = p.describe()
	if p.Default != nil {
		with(s, p.Default)
	}
	return s
}

// bound returns a bound as JSON has it: there are no infinities.
func bound(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// describe writes a parameter's documentation: what, unit, bounds, whether it must be given.
func (p *Param) describe() string {
	var b strings.Builder
	b.WriteString(p.Doc)
	sep := func() {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
	}
	if p.Kind == Number {
		sep()
		fmt.Fprintf(&b, "%s such as %s", p.Dim.Phrase(), p.Dim.Examples())
		if bare := p.Dim.Bare(); bare != "" {
			fmt.Fprintf(&b, "; bare numbers are %s", bare)
		}
		if p.span().Bounded() {
			fmt.Fprintf(&b, "; %s", p.span())
		}
	}
	if p.Kind == File {
		sep()
		b.WriteString("a path, relative to the engine file")
	}
	if p.Required {
		sep()
		b.WriteString("required")
	}
	return b.String()
}

// params returns the parameters of a type as keys. None is required here, for
// --set may supply it.
func (t *Type) params() []prop {
	list := make([]prop, len(t.Params))
	for i := range t.Params {
		list[i] = prop{t.Params[i].Name, t.Params[i].schema(), false}
	}
	return list
}
