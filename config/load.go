package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Load reads, checks and resolves the engine file at path, with the --set
// options ("burner.FAR=0.02") applied over it. Files that the engine names must
// be there. If the engine is wrong in any way the error is an [*Errors] with
// everything that is wrong; otherwise it is the error of reading the file.
func Load(path string, cat *Catalogue, sets []string) (*Engine, error) {
	data, err := readFile(path)
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

// digest tells engines apart by what was read.
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

// section keeps a top-level section until those that it needs were read.
type section struct {
	node ast.Node
	path string
}

func (s *section) keep(n ast.Node, path string) { s.node, s.path = n, path }

func (s *section) read(f func(n ast.Node, path string)) {
	if s.node != nil {
		f(s.node, s.path)
	}
}

// Names stand in paths (hpc.out.Tt), in conditions of rules and in file names.
var (
	nameShape = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	caseShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
)

const caseRule = "a name of a case is letters, digits and any of _ . + -, first a letter or digit"

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

// declare enters a component's or shaft's name. Both share one space of names, since paths
// do not say which is meant.
func (r *reader) declare(f field, what, path string, entry *Type, values Values) bool {
	if !nameShape.MatchString(f.key) {
		r.fail(f.pos, path, f.key, "a name of a %s is letters, digits and _, first a letter", what)
		return false
	}
	if f.key == "performance" {
		r.fail(f.pos, path, f.key, "the name is taken: performance.Fn and its like are the engine's")
		return false
	}
	if other, ok := r.names[f.key]; ok {
		r.fail(f.pos, path, f.key, "the name is taken by the %s at line %d", other.what, other.pos.Line)
		return false
	}
	r.names[f.key] = name{what: what, entry: entry, values: values, pos: f.pos}
	return true
}

// Path resolves the name of a file that the engine names, against the engine file's folder.
func (e *Engine) Path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(e.File), file)
}

// Component returns the component of that name, or nil.
func (e *Engine) Component(name string) *Component {
	for i := range e.Components {
		if e.Components[i].Name == name {
			return &e.Components[i]
		}
	}
	return nil
}

// Shaft returns the shaft of that name, or nil.
func (e *Engine) Shaft(name string) *ShaftEntry {
	for i := range e.Shafts {
		if e.Shafts[i].Name == name {
			return &e.Shafts[i]
		}
	}
	return nil
}

// Case returns the case of that name, or nil; the design case is none of them.
func (e *Engine) Case(name string) *Case {
	for i := range e.Cases {
		if e.Cases[i].Name == name {
			return &e.Cases[i]
		}
	}
	return nil
}

// Sweep returns the sweep of that name, or nil.
func (e *Engine) Sweep(name string) *Sweep {
	for i := range e.Sweeps {
		if e.Sweeps[i].Name == name {
			return &e.Sweeps[i]
		}
	}
	return nil
}

// Zoom returns the zoom of that component, or nil.
func (e *Engine) Zoom(component string) *Zoom {
	for i := range e.Zooms {
		if e.Zooms[i].Component == component {
			return &e.Zooms[i]
		}
	}
	return nil
}
