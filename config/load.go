package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// engineForm is that of an engine file. A real one has some hundred lines.
var engineForm = document.Form{What: "an engine file", Begins: "engine: and a name", Bytes: 1 << 20, Words: 30_000}

// Load reads, checks and resolves the engine file at path, with the --set
// options ("burner.FAR=0.02") applied over it. Files that the engine names must
// be there. If the engine is wrong in any way the error is an [*document.Errors] with
// everything that is wrong; otherwise it is the error of reading the file.
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

// Parse is [Load] for an engine file that is in memory. The name stands in
// messages and in Engine.File. Files that the engine names are not looked for.
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

// read fills the engine. The sections come in the order in which they need each
// other, whatever their order in the file.
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
	if !g.Has("components") { // nothing else can be judged
		return
	}
	g.Read("flow")
	r.connected(g.Has("flow"))
	r.driven()
	g.Read("design", "cases", "limits")
	r.designPoints()
	g.Read("sweeps")
	r.yielding()
	g.Read("zoom", "functions", "rules")
}

// sections are those of an engine file.
func (r *reader) sections() []document.Key {
	e := r.engine
	solvers := document.Value{Schema: r.solversSchema, Read: r.engineSolvers}
	return append([]document.Key{
		r.Optional("peregrine", "Format of this file; the present one if it is absent.", r.format()),
		r.Required("engine", "Name of the engine.", r.Text(&e.Name, "the engine's name")),
		r.Optional("design_case", `Name of the design case, default "design".`,
			r.Shaped(&e.DesignCase, "the name of the design case", document.Rule{Shape: caseShape, Fault: caseRule})),
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
