package config

import (
	"cmp"
	"slices"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// zooms is the `zoom` section.
func (r *reader) zooms() document.Value {
	schema := func() *jsonschema.Schema { return document.NamedSchema(nameShape(), r.zoomSchema()) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		for _, f := range r.Fields(n, path, "components to zoom: name: {solver: NAME}") {
			if c, ok := r.names[f.Key]; !ok || c.what != "component" {
				r.Fail(f.Pos, path, f.Key, "unknown component%s", r.Hint(f.Key, r.listNames("component")))
				continue
			}
			r.engine.Zooms = append(r.engine.Zooms, r.zoom(f, document.Join(path, f.Key)))
		}
	}}
}

// ZoomMethods are the methods of a zoom, those of package zoom.
var ZoomMethods = []string{"map", "scalars", "direct"}

func (r *reader) zoom(f document.Field, path string) Zoom {
	z := Zoom{Component: f.Key, Runs: 6, Ends: Ends{Tolerance: 0.01}, Pos: f.Pos}
	var solver, fidelity document.Word
	g := r.Group(f.Value, path, "a zoom such as {solver: NAME, geometry: fan.yaml}", r.zoomKeys(&z, &solver, &fidelity))
	runs, to := g.Has("runs"), g.Has("to")
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
	if runs && to {
		g.Fail("runs", "runs is a fixed number a speed line; with to, the error decides: most is the greatest number "+
			"of runs")
	}
	if z.Method != "map" && !to && (runs || z.Span == "whole") {
		r.Fail(f.Pos, path, f.Key, "method: %s makes its runs in rounds: give to, the error to reach, such as 0.1 %%",
			z.Method)
	}
	if z.Span == "whole" && to && len(z.To) > 0 && z.To[0].Path != "" {
		g.Fail("to", "the error of a map of span: whole is that of its flow, pressure ratio and efficiency: one number")
	}
	if z.Span == "line" && !runs && !to {
		z.To = []Goal{{Error: DefaultError, Pos: f.Pos}}
	}
	if g.Has("match") && z.To != nil {
		g.Fail("match", "with an error to reach, earlier answers count where they are (earlier); match belongs to "+
			"runs, or to span with speeds")
	}
	if g.Has("prior") {
		r.checkPriors(&z, g)
	}
	if z.Span == "line" && g.Has("speeds") {
		g.Fail("speeds", "only a map of span: whole has speeds")
	}
	if z.Span == "whole" && !g.Has("speeds") && !to {
		r.Fail(f.Pos, path, f.Key, "no key speeds, which span: whole needs without to, such as [70 %%, 85 %%, 100 %%]")
	}
	if g.Has("ends") && z.To == nil && !z.Ends.Off {
		g.Fail("ends", "a fixed number of runs a speed line seeks no ends; leave ends out, or runs and span")
	}
	return z
}

// zoomKeys are the keys of a zoom.
func (r *reader) zoomKeys(z *Zoom, solver, fidelity *document.Word) []document.Key {
	return []document.Key{
		r.Optional("solver", "Flow solver.", r.solver(solver)),
		r.Optional("fidelity", "Another word for solver.", r.solver(fidelity)),
		r.Optional("geometry", "The component's geometry; a path, relative to the engine file.",
			r.Text(&z.Geometry, "a path, relative to the engine file")),
		r.Optional("method",
			"How the runs become the component's behaviour: map, from the runs alone; scalars, by correcting the "+
				"engine's own map; direct, by a linear model.",
			r.Choice(&z.Method, ZoomMethods...).Default("map")),
		r.Optional("span", "Where the engine works, or a whole map.",
			r.Choice(&z.Span, "line", "whole").Default("line")),
		r.Optional("speeds",
			"Speeds of a whole map, rising by 0.5 % at least, as fractions of the design corrected speed; with to, "+
				"the first and the last are its range, 70 % and 105 % without.",
			r.speeds(&z.Speeds)),
		r.Optional("runs", "Runs a speed line, at fixed throttles, in place of to; span: whole has 6 without",
			r.Count(&z.Runs, 3, 1000)), // fewer than three make no line
		r.Optional("to", "Error that the engine's results are to have: runs are made in rounds, where the engine "+
			"works, until it is reached. One number is for thrust and its fuel consumption, or for power and its. "+
			"Without to and runs: 0.1 %. With span: whole: root mean square of flow, pressure ratio and efficiency "+
			"all over the map.",
			r.goals(&z.To)),
		r.Optional("most", "Greatest number of runs of the component, all rounds together; default: no limit",
			r.Count(&z.Most, 1, 100_000)),
		r.Optional("batch", "Greatest number of runs a round", r.Count(&z.Batch, 1, 1000).Default(4)),
		r.Optional("fresh", "Whether each run has a process of its own, also where the solver's process takes run "+
			"after run. The answers are the same.",
			r.Flag(&z.Fresh).Default(false)),
		r.Optional("match", "Relative difference of inputs up to which the answer of an earlier study to another "+
			"request counts, for a fixed grid of runs; settings and blades must be the same. Without: only the same "+
			"request, to the last bit",
			r.Measure(&z.Match, unit.None, 1e-9, 0.05)),
		r.Optional("earlier",
			"Whether answers that earlier studies of the same component left in the cache count beside those of this "+
				"one; with to.",
			r.Flag(&z.Earlier).Default(true)),
		r.Optional("ends", "Whether the ends of the speed lines are sought, and how well. Without: stall ends to 1 % "+
			"of throttle where a rule, a limit or an output names SMN. true or a tolerance: stall and choke, in any "+
			"case.",
			r.ends(&z.Ends)),
		r.Optional("in_time",
			"Action of a transient that leaves the map: it waits for runs that extend it, or continues with "+
				"extrapolation.",
			r.Choice(&z.InTime, "extend", "extrapolate").Default("extend")),
		r.Optional("prior", "Cheaper runs that the model of a zoom to an error may correct: coarse, the solver on "+
			"its coarse mesh, or another solver. They are made at the speeds and throttles of the dear runs, and "+
			"count for nothing where they do not help.",
			r.priors(&z.Priors)),
		r.Optional("reynolds",
			"Whether the runs of a fan or compressor are made at the inlet state of the engine's design point, so "+
				"that they have its Reynolds number, and not at that of the standard day.",
			r.Flag(&z.Reynolds).Default(false)),
		r.Optional("scale", "Scale the answer to the engine's design point, or take it as it is.",
			r.Choice(&z.Scale, "design", "absolute").Default("design")),
		r.Optional("memory", "Memory that each run may use, with all that it starts; one that uses more is killed",
			r.Storage(&z.Memory, 1e6, 1e15)),
		r.Optional("cores", "Processors that each run may use, in time on them per time that passes",
			r.Measure(&z.Cores, unit.None, 0.1, 1e4)),
		r.Optional("time", "Time that each run may take; one that takes longer is stopped",
			r.Measure(&z.Time, unit.Time, 1, 1e8)),
		r.Optional("hosts", "Launchers by which its runs may be made, the preferred one first: local, or names of "+
			"the hosts file. One launcher makes all of them: the launcher that --launcher, or another "+
			"source of this setting, names, if it is in the list, otherwise the first. Default: that of the setting",
			r.launchers(&z.Hosts)),
		r.Optional("licences",
			"Licences that each run needs of those that a batch system counts, by name. Licences that Peregrine "+
				"counts stand at the solver",
			hosts.Licences(&r.Reader, &z.Licences)),
		r.Optional("limits", "What each run, and all of them, may use besides memory, cores and time.",
			r.Section("limits such as {no_progress: 2 min, disk: 10 GB}", r.runLimits(&z.Limits))),
		r.Optional("failures",
			"What follows a failed run, by its class: retry N, other settings, another start, leave_out or abort; "+
				"one step or a list.",
			r.failures(&z.Failures)),
		r.Optional("verify",
			"Whether one run in fifty is made twice, and a solver that answers the same request differently is "+
				"warned of.",
			r.Flag(&z.Verify).Default(false)),
		r.Optional("settings", "Settings of the solver.", r.solverSettings(&z.Settings)),
	}
}

// runLimits are the keys for the limits of each run of a zoom, and of all its runs, besides memory, cores and time.
func (r *reader) runLimits(l *RunLimits) []document.Key {
	return []document.Key{
		r.Optional("start", "Time in which a solver that was started must answer; default: 30 s",
			r.Measure(&l.Start, unit.Time, 0.1, 1e6)),
		r.Optional("no_progress",
			"Time in which neither the solver nor its files report anything, after which the run counts as hung; "+
				"default: 5 min",
			r.Measure(&l.NoProgress, unit.Time, 0.1, 1e8)),
		r.Optional("processes", "Processes at a time of a run, with all that its solver starts",
			r.Count(&l.Processes, 1, 100_000)),
		r.Optional("disk", "Size of a run's folder", r.Storage(&l.Disk, 1e5, 1e15)),
		r.Optional("study_disk", "Size of the study's folder", r.Storage(&l.StudyDisk, 1e6, 1e15)),
		r.Optional("log", "Largest size of its solver's output in a run's folder; default: the setting log-limit",
			r.Storage(&l.Log, 1e3, 1e15)),
		r.Optional("events", "Largest size of the events of solver and files in a run's folder; default: 64 MiB",
			r.Storage(&l.Events, 1e4, 1e9)),
		r.Optional("reply", "Size of a reply of the solver; default: the limit in its description",
			r.Storage(&l.Reply, 1e6, 2e9)),
	}
}

// DefaultError is the default error of thrust and fuel consumption of a zoom.
const DefaultError = 1e-3

// goals are the errors to reach: one for thrust and fuel consumption, or one for each of some paths.
func (r *reader) goals(dst *[]Goal) document.Value {
	const want = "an error such as 0.1 %, or one for each result: {performance.TSFC: 0.05 %}"
	measure := func(g *Goal) document.Value { return r.Measure(&g.Error, unit.None, 1e-7, 0.5).Says("Relative error") }
	schema := func() *jsonschema.Schema {
		byResult := document.NamedSchema(nil, measure(new(Goal)).Schema())
		byResult.Description, byResult.MinProperties = "Relative errors by results, such as performance.TSFC.",
			jsonschema.Ptr(1)
		return document.Either(measure(new(Goal)).Schema(), byResult)
	}
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		if _, ok := n.(*ast.MappingNode); !ok {
			g := Goal{Pos: document.Position(n)}
			measure(&g).Read(n, path)
			*dst = []Goal{g}
			return
		}
		for _, f := range r.Fields(n, path, want) {
			g := Goal{Path: f.Key, Pos: f.Pos}
			measure(&g).Read(f.Value, document.Join(path, f.Key))
			*dst = append(*dst, g)
		}
		if *dst == nil {
			r.Fail(document.Position(n), path, "", "no result; want %s", want)
		}
	}}
}

// ends is whether the ends of speed lines are sought, or how well.
func (r *reader) ends(dst *Ends) document.Value {
	const want = "true, false, or a tolerance of the throttle such as 1 %"
	tolerance := r.Measure(&dst.Tolerance, unit.None, 1e-3, 0.2).Says("Tolerance of the throttle")
	schema := func() *jsonschema.Schema { return document.Either(document.FlagSchema(), tolerance.Schema()) }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
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
			tolerance.Read(n, path)
		}
	}}
}

// PriorCoarse is the prior by the zoom's solver on its coarse mesh.
const PriorCoarse = "coarse"

// priors are the names of cheaper runs.
func (r *reader) priors(dst *[]document.Word) document.Value {
	item := r.distinct(dst, "coarse, or the name of a flow solver", func() []string {
		if len(r.cat.Solvers) == 0 {
			return nil
		}
		return append([]string{PriorCoarse}, r.solverNames()...)
	})
	item.Schema = func() *jsonschema.Schema { return r.solverSchema("coarse, or a flow solver.", PriorCoarse) }
	return r.Each("cheaper runs, such as [coarse, throughflow]", item)
}

// launchers is the name of a launcher, or a list of them.
func (r *reader) launchers(dst *[]document.Word) document.Value {
	const want = "local, or the name of a launcher of the hosts file"
	name := r.distinct(dst, want, func() []string { return r.cat.Launchers })
	return r.OneOrMore(want, "Several of them.", name.Says("local, or a launcher of the hosts file."))
}

// distinct is a known name that is not yet in a list, to which it is added.
func (r *reader) distinct(list *[]document.Word, want string, known func() []string) document.Value {
	schema := func() *jsonschema.Schema { return r.nameOf(nil, known(), want).Schema() }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		w := document.Word{Pos: document.Position(n)}
		r.nameOf(&w.Text, known(), want).Read(n, path)
		switch {
		case w.Text == "":
		case slices.ContainsFunc(*list, func(o document.Word) bool { return o.Text == w.Text }):
			r.Fail(w.Pos, path, w.Text, "it is listed twice")
		default:
			*list = append(*list, w)
		}
	}}
}

// nameOf is a name, any if none is known.
func (r *reader) nameOf(dst *string, known []string, want string) document.Value {
	if len(known) > 0 {
		return r.Choice(dst, known...)
	}
	return r.Text(dst, want)
}

// checkPriors reports priors of a zoom that cannot have them.
func (r *reader) checkPriors(z *Zoom, g *document.Group) {
	if z.To == nil {
		g.Fail("prior", "cheaper runs are the prior of a zoom to an error: give to, such as 0.1 %%")
	}
	for _, w := range z.Priors {
		if w.Text == z.Solver {
			r.Fail(w.Pos, g.At("prior"), w.Text, "it is the zoom's own solver; want coarse, its coarse mesh")
		}
	}
}

// solver is the name of a flow solver.
func (r *reader) solver(dst *document.Word) document.Value {
	schema := func() *jsonschema.Schema { return r.solverSchema("") }
	return document.Value{Schema: schema, Read: func(n ast.Node, path string) {
		*dst = document.Word{Pos: document.Position(n)}
		names := r.solverNames()
		w, ok := r.Word(n, path, cmp.Or(spell.List(names, "or"), "the name of a flow solver"))
		switch {
		case !ok || w.Text == "":
			dst.Text = "?" // given, though badly, and reported: not missing as well
		case len(names) > 0 && !slices.Contains(names, w.Text):
			dst.Text = "?"
			r.Fail(w.Pos, path, w.Text, "neither built in, nor in solvers of this file or of --solvers%s",
				r.Hint(w.Text, names))
		default:
			dst.Text = w.Text
		}
	}}
}

// solverSchema is the schema of the name of a flow solver, or of one of some more words.
func (r *reader) solverSchema(doc string, more ...string) *jsonschema.Schema {
	if len(r.cat.Solvers) == 0 {
		return document.TextSchema(doc)
	}
	known := document.Enum(append(more, r.cat.Solvers...)...)
	known.Description = "One that is known here."
	user := &jsonschema.Schema{Type: "string", Pattern: nameShape().String(), Description: "One of solvers."}
	s := document.Either(known, user)
	s.Description = doc
	return s
}

// leastSpeedStep is the least distance between speed lines, a fraction of the design corrected speed.
const leastSpeedStep = 0.005

// speeds is a rising list of fractions of the design corrected speed.
func (r *reader) speeds(dst *[]float64) document.Value {
	want := "fractions of the design corrected speed such as [70 %, 85 %, 100 %]"
	return document.List(&r.Reader, dst, want, func(x *float64) document.Value {
		v := r.Measure(x, unit.None, 0.01, 2).Says("Fraction of the design corrected speed")
		return v.Then(func(n ast.Node, path string) {
			if k := len(*dst); *x != 0 && k > 0 && *x < (*dst)[k-1]+leastSpeedStep-1e-9 {
				r.Fail(document.Position(n), path, "", "the speeds must rise, by %g %% at least", 100*leastSpeedStep)
			}
		})
	})
}

// solverSettings are `settings`. Only the solver knows their meaning: Text is the text in the file, and Num or Flag its
// value if it is a bare number or a flag.
func (r *reader) solverSettings(dst *map[string]Value) document.Value {
	return document.Map(&r.Reader, dst, "settings of the solver such as {cells: 80}", nil, "",
		func(v *Value) document.Value {
			return document.Value{Schema: func() *jsonschema.Schema {
				return document.TextSchema("A number, a text or a flag.")
			}, Read: func(n ast.Node, path string) {
				if w, ok := r.Word(n, path, "a number or a text"); ok {
					*v = valueOf(w)
				}
			}}
		})
}

// zoomSchema is the schema of an entry of `zoom`.
func (r *reader) zoomSchema() *jsonschema.Schema {
	s := document.Object("How the component is zoomed.", r.zoomKeys(new(Zoom), new(document.Word), new(document.Word)))
	s.OneOf = []*jsonschema.Schema{{Required: []string{"solver"}}, {Required: []string{"fidelity"}}}
	return s
}
