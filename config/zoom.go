package config

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// zooms reads the `zoom` section.
func (r *reader) zooms(n ast.Node, path string) {
	for _, f := range r.fields(n, path, "components to zoom: name: {solver: NAME}") {
		at := join(path, f.key)
		c, ok := r.names[f.key]
		if !ok || c.what != "component" {
			r.fail(f.pos, path, f.key, "unknown component%s", spell.Hint(f.key, r.listNames("component")))
			continue
		}
		r.engine.Zooms = append(r.engine.Zooms, r.zoom(f, at))
	}
}

func (r *reader) zoom(f field, path string) Zoom {
	z := Zoom{Component: f.key, Method: "map", Span: "line", Runs: 6, Scale: "design", InTime: "extend", Pos: f.pos}
	var solver, fidelity word
	var speeds ast.Node
	r.group(f.value, path, "a zoom such as {solver: NAME, geometry: fan.yaml}", []key{
		{"solver", false, r.solver(&solver)},
		{"fidelity", false, r.solver(&fidelity)},
		{"geometry", false, r.text(&z.Geometry, "a path, relative to the engine file")},
		{"method", false, r.choice(&z.Method, "map")},
		{"span", false, r.choice(&z.Span, "line", "whole")},
		{"speeds", false, func(n ast.Node, path string) { speeds, z.Speeds = n, r.speeds(n, path) }},
		{"runs", false, func(n ast.Node, path string) { r.runs(n, path, &z.Runs) }},
		{"scale", false, r.choice(&z.Scale, "design", "absolute")},
		{"in_time", false, r.choice(&z.InTime, "extend", "extrapolate")},
		{"memory", false, func(n ast.Node, path string) {
			var bytes float64
			r.number(&bytes, unit.Storage, 1e6, 1e15)(n, path)
			z.Memory = int64(bytes)
		}},
		{"cores", false, r.number(&z.Cores, unit.None, 0.1, 1e4)},
		{"time", false, r.number(&z.Time, unit.Time, 1, 1e8)},
		{"settings", false, func(n ast.Node, path string) { z.Settings = r.solverSettings(n, path) }},
	})
	z.Solver = solver.text
	switch {
	case solver.text == "" && fidelity.text == "":
		r.fail(f.pos, path, f.key, "no key solver%s", spell.Hint("", r.cat.Solvers))
	case solver.text != "" && fidelity.text != "":
		r.fail(fidelity.pos, path+".fidelity", fidelity.text, "another word for solver, which is given at line %d", solver.pos.Line)
	case solver.text == "":
		z.Solver = fidelity.text
	}
	if z.Span == "line" && speeds != nil {
		r.fail(position(speeds), path+".speeds", "", "only a map of span: whole has speeds")
	}
	if z.Span == "whole" && speeds == nil {
		r.fail(f.pos, path, f.key, "no key speeds, which span: whole needs, such as [70 %%, 85 %%, 100 %%]")
	}
	return z
}

// runs reads the number of runs a speed line, a whole one; fewer than three make
// no line.
func (r *reader) runs(n ast.Node, path string, dst *int) {
	if x := r.wholeNumber(n, path, 3, 1000); x > 0 {
		*dst = x
	}
}

func (r *reader) solver(dst *word) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		var name string
		if len(r.cat.Solvers) > 0 {
			r.choice(&name, r.cat.Solvers...)(n, path)
		} else {
			r.text(&name, "the name of a flow solver")(n, path)
		}
		if name == "" {
			name = "?" // given, though badly, and reported: not missing as well
		}
		*dst = word{text: name, pos: position(n)}
	}
}

// speeds reads a rising list of fractions of the design corrected speed.
func (r *reader) speeds(n ast.Node, path string) []float64 {
	var list []float64
	for i, it := range r.items(n, path, "fractions of the design corrected speed such as [70 %, 85 %, 100 %]") {
		var x float64
		r.number(&x, unit.None, 0.01, 2)(it, item(path, i))
		if x == 0 {
			continue
		}
		if len(list) > 0 && x <= list[len(list)-1] {
			r.fail(position(it), item(path, i), "", "the speeds must rise")
		}
		list = append(list, x)
	}
	return list
}

// solverSettings reads `settings`, whose meaning the solver alone knows: Text is
// what stands in the file, and Num or Flag its value if it is a bare number or a flag.
func (r *reader) solverSettings(n ast.Node, path string) map[string]Value {
	m := make(map[string]Value)
	for _, f := range r.fields(n, path, "settings of the solver such as {cells: 80}") {
		w, ok := r.word(f.value, join(path, f.key), "a number or a text")
		if !ok {
			continue
		}
		v := Value{Text: w.text, Flag: w.text == "true", Set: true, Pos: w.pos}
		if x, err := unit.Parse(w.text, unit.None); err == nil {
			v.Num = x
		}
		m[f.key] = v
	}
	return m
}
