package config

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
)

// Schema returns the JSON Schema (draft 2020-12) of the engine file for a
// catalogue, with units, bounds, defaults and documentation in the
// descriptions. Editors use it to complete and check while typing.
//
// It accepts every file that [Parse] accepts. It cannot tell what Parse alone
// does: whether names resolve, flow connects, or a unit that is one is of the right dimension.
func Schema(cat *Catalogue) *jsonschema.Schema {
	r := &reader{cat: cat, engine: &Engine{}}
	s := document.Object("Engine file of Peregrine: a gas turbine, its design and its cases.", r.sections())
	document.Titled("Peregrine engine file", s)
	knownSolvers(s, cat)
	balance := document.Object(balanceDoc, r.balanceKeys(new(draft), false)[:4])
	s.Defs = map[string]*jsonschema.Schema{"balance": balance, "limit": r.limitSchema(),
		document.QuantityName: document.QuantitySchema()}
	for _, t := range cat.Types {
		s.Defs["component."+t.Name] = t.schema(r.componentKeys(t, new(map[string]string))...)
	}
	for _, t := range cat.Controls {
		s.Defs["control."+t.Name] = document.Object(t.Doc, r.controlKeys(&draftControl{typ: t}))
	}
	return s
}

// knownSolvers narrows the zooms of a file without solvers of its own to those that are known.
func knownSolvers(s *jsonschema.Schema, cat *Catalogue) {
	if len(cat.Solvers) == 0 {
		return
	}
	known := document.Enum(cat.Solvers...)
	zoom := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"solver": known,
		"fidelity": known.CloneSchemas(),
		"prior":    {Items: document.Enum(append([]string{PriorCoarse}, cat.Solvers...)...)}}}
	s.If = &jsonschema.Schema{Required: []string{"solvers"}}
	s.Else = &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"zoom": {AdditionalProperties: zoom}}}
}
