package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Load reads, checks and resolves the engine file at path, with the --set
// options ("burner.FAR=0.02") applied over it. Files that the engine names must
// be there. If the engine is wrong in any way the error is an [*Errors] with
// everything that is wrong; otherwise it is the error of reading the file.
func Load(path string, cat *Catalogue, sets []string) (*Engine, error) {
	data, err := readFile(path, "an engine file")
	if err != nil {
		return nil, err
	}
	r := &reader{file: path, cat: cat}
	r.read(data, sets)
	r.files()
	return r.result()
}

// Parse is [Load] for an engine file that is in memory. The name stands in
// messages and in Engine.File. Files that the engine names are not looked for.
func Parse(name string, data []byte, cat *Catalogue, sets []string) (*Engine, error) {
	r := &reader{file: name, cat: cat}
	r.read(data, sets)
	return r.result()
}

func (r *reader) result() (*Engine, error) {
	if len(r.problems) > 0 {
		e := &Errors{Problems: r.problems}
		e.sort()
		return nil, e
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
	r.engine = &Engine{File: r.file, Digest: digest(data, sets), DesignCase: "design"}
	r.names = make(map[string]name)
	r.excused = make(map[string]bool)
	r.joined = make(map[Endpoint]word)
	root := r.tree(data)
	if root == nil {
		return
	}
	var gas, components, flow, bleeds, shafts, buses, controls, design, cases, limits, sweeps, zoom, rules section
	r.group(root, "", "an engine: a group of keys, first engine: and a name", []key{
		{"peregrine", false, r.format},
		{"engine", true, r.text(&r.engine.Name, "the engine's name")},
		{"design_case", false, r.designCase},
		{"gas", false, gas.keep},
		{"components", true, components.keep},
		{"flow", true, flow.keep},
		{"bleeds", false, bleeds.keep},
		{"shafts", false, shafts.keep},
		{"buses", false, buses.keep},
		{"controls", false, controls.keep},
		{"design", false, design.keep},
		{"cases", false, cases.keep},
		{"limits", false, limits.keep},
		{"sweeps", false, sweeps.keep},
		{"zoom", false, zoom.keep},
		{"rules", false, rules.keep},
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
		rules.read(r.rules)
	}
}

// Format is the version of engine files that this program reads.
const Format = 1

// format refuses a file that was written for a newer program.
func (r *reader) format(n ast.Node, path string) {
	w, ok := r.word(n, path, "the format of this file")
	if !ok {
		return
	}
	if v, err := strconv.Atoi(w.text); err != nil || v < 1 {
		r.fail(w.pos, path, w.text, "want the format of this file, a whole number from 1")
	} else if v > Format {
		r.fail(w.pos, path, w.text, "this program reads format %d and older: use a newer Peregrine", Format)
	}
}

func (r *reader) designCase(n ast.Node, path string) {
	w, ok := r.word(n, path, "the name of the design case")
	if !ok {
		return
	}
	r.engine.DesignCase = w.text
	if !caseShape.MatchString(w.text) {
		r.fail(w.pos, path, w.text, caseRule)
	}
}
