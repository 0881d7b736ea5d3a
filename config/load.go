package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// engineForm is the form of an engine file. A real file has some hundred lines.
var engineForm = document.Form{What: "an engine file", Begins: "engine: and a name", Bytes: 1 << 20, Words: 30_000}

// Load reads, checks and resolves the engine file at path, with the --set options ("burner.FAR=0.02") applied over it.
// Files that the engine names must exist. If the engine has problems the error is an [*document.Errors] with all of
// them; otherwise it is the error of reading the file.
func Load(path string, cat *Catalogue, sets []string) (*Engine, error) {
	data, err := intake.Read(path, engineForm.Limit())
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: document.NewReader(path, engineForm), cat: cat}
	r.read(data, sets)
	r.files()
	return r.result()
}

// Parse is [Load] for an engine file in memory. The name is used in messages and in Engine.File. Parse does not look
// for files that the engine names.
func Parse(name string, data []byte, cat *Catalogue, sets []string) (*Engine, error) {
	r := &reader{Reader: document.NewReader(name, engineForm), cat: cat}
	r.read(data, sets)
	return r.result()
}

func (r *reader) result() (*Engine, error) {
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return r.engine, nil
}

// digest identifies an engine by the content that was read.
func digest(data []byte, sets []string) string {
	h := sha256.New()
	h.Write(data)
	for _, set := range sets {
		fmt.Fprintf(h, "\x00%s", set)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// read fills the engine. It reads the sections in the order of their dependencies, whatever their order in the file.
func (r *reader) read(data []byte, sets []string) {
	r.engine = &Engine{File: r.File, Digest: digest(data, sets), Sets: sets, DesignCase: "design"}
	r.names = make(map[string]name)
	r.excused = make(map[string]bool)
	r.joined = make(map[Endpoint]document.Word)
	root := r.Tree(data)
	if root == nil {
		return
	}
	r.defaultGas()
	g := r.Open(root, "", "an engine: a group of keys, first engine: and a name", r.sections())
	g.Read("peregrine", "engine", "design_case", "gas", "components", "shafts", "buses", "bleeds", "controls",
		"solvers")
	r.sets(sets)
	r.complete()
	if !g.Has("components") { // no other section can be checked
		return
	}
	g.Read("flow")
	r.connected(g.Has("flow"))
	r.driven()
	g.Read("design", "cases", "limits")
	r.designPoints()
	g.Read("sweeps")
	r.yielding()
	g.Read("zoom", "trace", "functions", "rules")
}

// sections are the sections of an engine file.
func (r *reader) sections() []document.Key {
	e := r.engine
	solvers := document.Value{Schema: r.solversSchema, Read: r.engineSolvers}
	return append([]document.Key{
		r.Optional("peregrine", "Format of this file; the present one if it is absent.", r.format()),
		r.Required("engine", "Name of the engine.", r.Text(&e.Name, "the engine's name")),
		r.Optional("design_case", `Name of the design case, default "design".`,
			r.Shaped(&e.DesignCase, "the name of the design case", document.Rule{Shape: caseShape(), Fault: caseRule})),
		r.Optional("gas", "The gas and the fuel.", r.gas()),
		r.Required("components", "Components by name.", r.components()),
		r.Required("flow", "Chains of components in the direction of the flow.", r.flow()),
		r.Optional("bleeds", "Streams outside the flow chains.", r.bleeds()),
		r.Optional("shafts", "Shafts by name.", r.joints(&shaftJoint, r.cat.shaft(), &e.Shafts)),
		r.Optional("buses", "Electric buses by name.", r.joints(&busJoint, r.cat.bus(), &e.Buses)),
		r.Optional("controls", "Controls by name, which act in transients.", r.controls()),
		r.Optional("design", "Balances of the design case.", r.balances(&e.Design, true)),
		r.Optional("cases", "Cases by name, in the order in which they are reported.", r.cases()),
		r.Optional("limits", "Limits that every case keeps.", r.limits(&e.Limits)),
		r.Optional("sweeps", "Sweeps by name: a case solved at every point of a grid.", r.sweeps()),
		r.Optional("solvers", solversDoc, solvers),
		r.Optional("zoom", "Components whose behaviour comes from a flow solver, by name.", r.zooms()),
		r.Optional("trace", recording.Doc, recording.Section(&r.Reader, &e.Trace)),
	}, r.ruleSections(false)...)
}

// Format is the version of engine files that this program reads.
const Format = 1

// format refuses a file that was written for a newer program.
func (r *reader) format() document.Value {
	v := r.Scalar("the format of this file", func(w document.Word, path string) {
		if v, err := strconv.Atoi(w.Text); err != nil || v < 1 {
			r.Fail(w.Pos, path, w.Text, "want the format of this file, a whole number from 1")
		} else if v > Format {
			r.Fail(w.Pos, path, w.Text, "this program reads format %d and older: use a newer Peregrine", Format)
		}
	})
	v.Schema = func() *jsonschema.Schema { return &jsonschema.Schema{Type: "integer", Enum: []any{Format}} }
	return v
}

// sets applies the --set options, "path=value", over the file, in their order: the last option for a path wins. A path
// is component.parameter, shaft.parameter or bleed.parameter, with the name of the bleed. A case's own `set` is applied
// later.
func (r *reader) sets(sets []string) {
	if len(sets) == 0 {
		return
	}
	// Problems of an option name the option, not a place of the file.
	file, lines := r.File, r.Lines
	r.File, r.Lines = "--set", nil
	defer func() { r.File, r.Lines = file, lines }()

	for _, s := range sets {
		r.set(s)
	}
}

func (r *reader) set(option string) {
	path, value, ok := strings.Cut(option, "=")
	path, value = strings.TrimSpace(path), strings.TrimSpace(value)
	if !ok || path == "" || value == "" {
		r.Fail(document.Pos{}, "", option, "want path=value such as burner.FAR=0.02")
		return
	}
	n, p, ok := r.parameter(r.canonical(document.Word{Text: path}), "")
	if !ok {
		return
	}
	if v, ok := r.value(document.Word{Text: value}, path, p); ok {
		n.values[p.Name] = v
	}
}

// Schema returns the JSON Schema (draft 2020-12) of the engine file for a catalogue, with units, bounds, defaults and
// documentation in the descriptions. Editors use it to complete and check while typing.
//
// It accepts every file that [Parse] accepts. Only Parse checks names, flow connections and the dimensions of units.
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

// knownSolvers restricts the zooms of a file without its own solvers to the known solvers.
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

// A file of rules: the sections functions and rules of an engine file by themselves, for runs that belong to no engine.

var rulesForm = document.Form{What: "a file of rules", Begins: "rules:", Bytes: 1 << 20, Words: 30_000}

// RuleFile is the content of a file of rules.
type RuleFile struct {
	Functions []Function
	Rules     []Rule
}

// LoadRules reads a file of rules; see [ParseRules].
func LoadRules(path string) (*RuleFile, error) {
	data, err := intake.Read(path, rulesForm.Limit())
	if err != nil {
		return nil, err
	}
	return ParseRules(path, data)
}

// ParseRules reads the text of a file of rules, whose name it uses in messages. If the file has problems the error is
// an [*document.Errors] with all of them, and the rules without problems are returned, too: a faulty rule never holds.
//
//	functions: {HEAD: BODY}
//	rules: [RULE]
func ParseRules(file string, data []byte) (*RuleFile, error) {
	r := &reader{Reader: document.NewReader(file, rulesForm), engine: &Engine{File: file}}
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "rules: a list of rules", r.ruleSections(true))
	}
	return &RuleFile{r.engine.Functions, r.engine.Rules}, r.Errors()
}

// ParseOwnRules reads a list of rules of the program itself: each also has a `source`, may be `off`, and may `set`
// beside the action set. They have no places.
func ParseOwnRules(file string, data []byte) ([]Rule, error) {
	r := &reader{Reader: document.NewReader(file, rulesForm), engine: &Engine{File: file}, own: true}
	if root := r.Tree(data); root != nil {
		r.rules().Read(root, "")
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	for i := range r.engine.Rules {
		r.engine.Rules[i].Pos, r.engine.Rules[i].Places = document.Pos{}, RulePlaces{}
	}
	return r.engine.Rules, nil
}

// ruleSections are the sections of a file of rules, which an engine file also has.
func (r *reader) ruleSections(required bool) []document.Key {
	rules := r.Optional("rules", "Rules that warn of results, beside the built-in ones.", r.rules())
	rules.Required = required
	return []document.Key{
		r.Optional("functions",
			"Functions that rules use: a head such as fell(x, n), and a condition or an expression.",
			r.functions()), rules}
}

// RulesSchema returns the JSON Schema of a file of rules.
func RulesSchema() *jsonschema.Schema {
	r := &reader{engine: &Engine{}}
	s := document.Titled("Peregrine rules", document.Object("Rules for any runs.", r.ruleSections(true)))
	s.Defs = map[string]*jsonschema.Schema{document.QuantityName: document.QuantitySchema()}
	return s
}
