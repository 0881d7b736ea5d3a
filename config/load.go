package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"

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
	var gas, components, flow, bleeds, shafts, buses, controls, design, cases, limits, sweeps, solvers, zoom,
		functions, rules section
	r.Group(root, "", "an engine: a group of keys, first engine: and a name", []document.Key{
		document.Optional("peregrine", r.format),
		document.Required("engine", r.Text(&r.engine.Name, "the engine's name")),
		document.Optional("design_case", r.designCase),
		document.Optional("gas", gas.keep),
		document.Required("components", components.keep),
		document.Required("flow", flow.keep),
		document.Optional("bleeds", bleeds.keep),
		document.Optional("shafts", shafts.keep),
		document.Optional("buses", buses.keep),
		document.Optional("controls", controls.keep),
		document.Optional("design", design.keep),
		document.Optional("cases", cases.keep),
		document.Optional("limits", limits.keep),
		document.Optional("sweeps", sweeps.keep),
		document.Optional("solvers", solvers.keep),
		document.Optional("zoom", zoom.keep),
		document.Optional("functions", functions.keep),
		document.Optional("rules", rules.keep),
	})
	gas.read(r.gas)
	if r.engine.Gas.Model == "" {
		r.defaultGas()
	}
	components.read(r.components)
	shafts.read(r.shafts)
	buses.read(r.buses)
	bleeds.read(r.bleeds)
	controls.read(r.controls)
	solvers.read(r.engineSolvers)
	r.sets(sets)
	r.complete()
	if components.node != nil { // without components, nothing else can be judged
		flow.read(r.flow)
		r.connected(flow.node != nil)
		r.driven()
		design.read(r.design)
		cases.read(r.cases)
		limits.read(func(n ast.Node, path string) { r.engine.Limits = r.limits(n, path) })
		r.designPoints()
		sweeps.read(r.sweeps)
		r.yielding()
		zoom.read(r.zooms)
		functions.read(r.functions)
		rules.read(r.rules)
	}
}

// Format is the version of engine files that this program reads.
const Format = 1

// format refuses a file that was written for a newer program.
func (r *reader) format(n ast.Node, path string) {
	w, ok := r.Word(n, path, "the format of this file")
	if !ok {
		return
	}
	if v, err := strconv.Atoi(w.Text); err != nil || v < 1 {
		r.Fail(w.Pos, path, w.Text, "want the format of this file, a whole number from 1")
	} else if v > Format {
		r.Fail(w.Pos, path, w.Text, "this program reads format %d and older: use a newer Peregrine", Format)
	}
}

func (r *reader) designCase(n ast.Node, path string) {
	w, ok := r.Word(n, path, "the name of the design case")
	if !ok {
		return
	}
	r.engine.DesignCase = w.Text
	if !caseShape.MatchString(w.Text) {
		r.Fail(w.Pos, path, w.Text, caseRule)
	}
}
