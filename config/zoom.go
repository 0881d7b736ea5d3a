package config

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// zooms reads the `zoom` section.
func (r *reader) zooms(n ast.Node, path string) {
	for _, f := range r.Fields(n, path, "components to zoom: name: {solver: NAME}") {
		at := document.Join(path, f.Key)
		c, ok := r.names[f.Key]
		if !ok || c.what != "component" {
			r.Fail(f.Pos, path, f.Key, "unknown component%s", r.Hint(f.Key, r.listNames("component")))
			continue
		}
		r.engine.Zooms = append(r.engine.Zooms, r.zoom(f, at))
	}
}

// ZoomMethods are the methods of a zoom, those of package zoom.
var ZoomMethods = []string{"map", "scalars", "direct"}

func (r *reader) zoom(f document.Field, path string) Zoom {
	z := Zoom{Component: f.Key, Method: "map", Span: "line", Runs: 6, Batch: 4, Earlier: true, Scale: "design",
		Ends: Ends{Tolerance: 0.01}, InTime: "extend", Pos: f.Pos}
	var solver, fidelity document.Word
	var speeds, runs, to, ends, priors, match ast.Node
	r.Group(f.Value, path, "a zoom such as {solver: NAME, geometry: fan.yaml}", []document.Key{
		document.Optional("solver", r.solver(&solver)),
		document.Optional("fidelity", r.solver(&fidelity)),
		document.Optional("geometry", r.Text(&z.Geometry, "a path, relative to the engine file")),
		document.Optional("method", r.Choice(&z.Method, ZoomMethods...)),
		document.Optional("span", r.Choice(&z.Span, "line", "whole")),
		document.Optional("speeds", func(n ast.Node, path string) { speeds, z.Speeds = n, r.speeds(n, path) }),
		document.Optional("runs", func(n ast.Node, path string) { runs = n; r.runs(n, path, &z.Runs) }),
		document.Optional("to", func(n ast.Node, path string) { to, z.To = n, r.goals(n, path) }),
		document.Optional("most", func(n ast.Node, path string) { z.Most = r.Count(n, path, 1, 100_000) }),
		document.Optional("batch", func(n ast.Node, path string) { z.Batch = max(1, r.Count(n, path, 1, 1000)) }),
		document.Optional("earlier", r.Flag(&z.Earlier)),
		document.Optional("fresh", r.Flag(&z.Fresh)),
		document.Optional("match", func(n ast.Node, path string) {
			match = n
			r.Measure(&z.Match, document.Span{Dim: unit.None, Least: 1e-9, Most: 0.05})(n, path)
		}),
		document.Optional("ends", func(n ast.Node, path string) { ends = n; r.ends(n, path, &z.Ends) }),
		document.Optional("prior", func(n ast.Node, path string) { priors, z.Priors = n, r.priors(n, path) }),
		document.Optional("reynolds", r.Flag(&z.Reynolds)),
		document.Optional("scale", r.Choice(&z.Scale, "design", "absolute")),
		document.Optional("in_time", r.Choice(&z.InTime, "extend", "extrapolate")),
		document.Optional("memory", r.Storage(&z.Memory, 1e6, 1e15)),
		document.Optional("cores", r.Measure(&z.Cores, document.Span{Dim: unit.None, Least: 0.1, Most: 1e4})),
		document.Optional("time", r.Measure(&z.Time, document.Span{Dim: unit.Time, Least: 1, Most: 1e8})),
		document.Optional("hosts", func(n ast.Node, path string) { z.Hosts = r.launchers(n, path) }),
		document.Optional("licences", hosts.Licences(&r.Reader, &z.Licences)),
		document.Optional("limits", func(n ast.Node, path string) { r.runLimits(n, path, &z.Limits) }),
		document.Optional("failures", func(n ast.Node, path string) { z.Failures = r.failures(n, path) }),
		document.Optional("verify", r.Flag(&z.Verify)),
		document.Optional("settings", func(n ast.Node, path string) { z.Settings = r.solverSettings(n, path) }),
	})
	z.Solver = solver.Text
	switch {
	case solver.Text == "" && fidelity.Text == "":
		r.Fail(f.Pos, path, f.Key, "no key solver%s", r.Hint("", r.solverNames()))
	case solver.Text != "" && fidelity.Text != "":
		r.Fail(fidelity.Pos, path+".fidelity", fidelity.Text, "another word for solver, which is given at line %d",
			solver.Pos.Line)
	case solver.Text == "":
		z.Solver = fidelity.Text
	}
	if runs != nil && to != nil {
		r.Fail(document.Position(runs), path+".runs", "",
			"runs is a fixed number a speed line; with to, the error decides: most is the greatest number of runs")
	}
	if z.Method != "map" && to == nil && (runs != nil || z.Span == "whole") {
		r.Fail(f.Pos, path, f.Key, "method: %s makes its runs in rounds: give to, the error to reach, such as 0.1 %%",
			z.Method)
	}
	if z.Span == "whole" && to != nil && len(z.To) > 0 && z.To[0].Path != "" {
		r.Fail(document.Position(to), path+".to", "",
			"the error of a map of span: whole is that of its flow, pressure ratio and efficiency: one number")
	}
	if z.Span == "line" && runs == nil && to == nil {
		z.To = []Goal{{Error: DefaultError, Pos: f.Pos}}
	}
	if match != nil && z.To != nil {
		r.Fail(document.Position(match), path+".match", "",
			"with an error to reach, earlier answers count where they are (earlier); match belongs to runs, or to "+
				"span with speeds")
	}
	if priors != nil {
		r.checkPriors(&z, priors, path+".prior")
	}
	if z.Span == "line" && speeds != nil {
		r.Fail(document.Position(speeds), path+".speeds", "", "only a map of span: whole has speeds")
	}
	if z.Span == "whole" && speeds == nil && to == nil {
		r.Fail(f.Pos, path, f.Key, "no key speeds, which span: whole needs without to, such as [70 %%, 85 %%, 100 %%]")
	}
	if ends != nil && z.To == nil && !z.Ends.Off {
		r.Fail(document.Position(ends), path+".ends", "",
			"a fixed number of runs a speed line seeks no ends; leave ends out, or runs and span")
	}
	return z
}

// DefaultError is the error of thrust and fuel consumption to which a component is zoomed where the file says nothing.
const DefaultError = 1e-3

// goals reads the errors to reach: one for thrust and fuel consumption, or one for each of some paths.
func (r *reader) goals(n ast.Node, path string) []Goal {
	const least, most = 1e-7, 0.5
	if _, ok := n.(*ast.MappingNode); !ok {
		g := Goal{Pos: document.Position(n)}
		r.Measure(&g.Error, document.Span{Dim: unit.None, Least: least, Most: most})(n, path)
		return []Goal{g}
	}
	var list []Goal
	for _, f := range r.Fields(n, path, "an error such as 0.1 %, or one for each result: {performance.TSFC: 0.05 %}") {
		g := Goal{Path: f.Key, Pos: f.Pos}
		r.Measure(&g.Error, document.Span{Dim: unit.None, Least: least, Most: most})(f.Value,
			document.Join(path, f.Key))
		list = append(list, g)
	}
	if list == nil {
		r.Fail(document.Position(n), path, "",
			"no result; want an error such as 0.1 %%, or one for each result: {performance.TSFC: 0.05 %%}")
	}
	return list
}

// ends reads whether the ends of speed lines are sought, or how well.
func (r *reader) ends(n ast.Node, path string, dst *Ends) {
	const want = "true, false, or a tolerance of the throttle such as 1 %"
	w, ok := r.Word(n, path, want)
	_, err := unit.Parse(w.Text, unit.None)
	switch {
	case !ok:
	case w.Text == "true":
		dst.Both = true
	case w.Text == "false":
		dst.Off = true
	case err != nil:
		r.Fail(w.Pos, path, w.Text, "want %s", want)
	default:
		dst.Both = true
		r.Measure(&dst.Tolerance, document.Span{Dim: unit.None, Least: 1e-3, Most: 0.2})(n, path)
	}
}

// PriorCoarse is the prior by the zoom's solver on its coarse mesh.
const PriorCoarse = "coarse"

// priors reads the names of cheaper runs.
func (r *reader) priors(n ast.Node, path string) []document.Word {
	var known []string
	if len(r.cat.Solvers) > 0 {
		known = append([]string{PriorCoarse}, r.solverNames()...)
	}
	return r.distinct(r.Items(n, path, "cheaper runs, such as [coarse, throughflow]"), path, known,
		"coarse, or the name of a flow solver")
}

// launchers reads the name of a launcher, or a list of them.
func (r *reader) launchers(n ast.Node, path string) []document.Word {
	const want = "local, or the name of a launcher of the hosts file"
	if _, many := n.(*ast.SequenceNode); !many {
		var w document.Word
		if w.Text, w.Pos = r.oneOf(n, path, r.cat.Launchers, want), document.Position(n); w.Text == "" {
			return nil
		}
		return []document.Word{w}
	}
	list := r.distinct(r.Items(n, path, want), path, r.cat.Launchers, want)
	if len(n.(*ast.SequenceNode).Values) == 0 {
		r.Fail(document.Position(n), path, "", "an empty list, want %s", want)
	}
	return list
}

// distinct reads names that are known, each once.
func (r *reader) distinct(items []ast.Node, path string, known []string, want string) (list []document.Word) {
	for i, it := range items {
		at := document.Item(path, i)
		w := document.Word{Text: r.oneOf(it, at, known, want), Pos: document.Position(it)}
		switch {
		case w.Text == "":
		case slices.ContainsFunc(list, func(o document.Word) bool { return o.Text == w.Text }):
			r.Fail(w.Pos, at, w.Text, "it is there twice")
		default:
			list = append(list, w)
		}
	}
	return list
}

// oneOf reads a name, any if none is known; it is empty if it is another, which was reported.
func (r *reader) oneOf(n ast.Node, path string, known []string, want string) (name string) {
	if len(known) > 0 {
		r.Choice(&name, known...)(n, path)
	} else {
		r.Text(&name, want)(n, path)
	}
	return name
}

// checkPriors reports priors of a zoom that cannot have them.
func (r *reader) checkPriors(z *Zoom, n ast.Node, path string) {
	if z.To == nil {
		r.Fail(document.Position(n), path, "",
			"cheaper runs are the prior of a zoom to an error: give to, such as 0.1 %%")
	}
	for _, w := range z.Priors {
		if w.Text == z.Solver {
			r.Fail(w.Pos, path, w.Text, "it is the zoom's own solver; coarse is that on its coarse mesh")
		}
	}
}

// runs reads the number of runs a speed line, a whole one; fewer than three make
// no line.
func (r *reader) runs(n ast.Node, path string, dst *int) {
	if x := r.Count(n, path, 3, 1000); x > 0 {
		*dst = x
	}
}

func (r *reader) solver(dst *document.Word) func(ast.Node, string) {
	return func(n ast.Node, path string) {
		name := r.oneOf(n, path, r.solverNames(), "the name of a flow solver")
		if name == "" {
			name = "?" // given, though badly, and reported: not missing as well
		}
		*dst = document.Word{Text: name, Pos: document.Position(n)}
	}
}

// speeds reads a rising list of fractions of the design corrected speed.
func (r *reader) speeds(n ast.Node, path string) []float64 {
	var list []float64
	for i, it := range r.Items(n, path, "fractions of the design corrected speed such as [70 %, 85 %, 100 %]") {
		var x float64
		r.Measure(&x, document.Span{Dim: unit.None, Least: 0.01, Most: 2})(it, document.Item(path, i))
		if x == 0 {
			continue
		}
		if len(list) > 0 && x <= list[len(list)-1] {
			r.Fail(document.Position(it), document.Item(path, i), "", "the speeds must rise")
		}
		list = append(list, x)
	}
	return list
}

// solverSettings reads `settings`, whose meaning the solver alone knows: Text is
// what stands in the file, and Num or Flag its value if it is a bare number or a flag.
func (r *reader) solverSettings(n ast.Node, path string) map[string]Value {
	m := make(map[string]Value)
	for _, f := range r.Fields(n, path, "settings of the solver such as {cells: 80}") {
		w, ok := r.Word(f.Value, document.Join(path, f.Key), "a number or a text")
		if !ok {
			continue
		}
		m[f.Key] = valueOf(w)
	}
	return m
}
