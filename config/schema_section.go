package config

import (
	"math"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// This file has the schemas of the sections of the engine file, in their order.

func gasSchema() *jsonschema.Schema {
	fuel := group("The fuel and one measure of its energy; named fuels need none.",
		prop{"name", text("Jet-A, JP-7, H2, CH4 or a name of one's own."), true},
		prop{
			"formula", &jsonschema.Schema{Type: "string", Pattern: formulaShape.String(),
				Description: "Atoms of C, H, O and N, such as C12H23."}, false,
		},
		prop{"LHV", quantity("Lower heating value at 298.15 K", unit.SpecificEnergy, 1e6, 2e8), false},
		prop{
			"enthalpy", quantity("Absolute enthalpy as it enters, elements at 298.15 K being 0", unit.SpecificEnergy,
				math.Inf(-1), 2e8), false,
		})
	fuel.Not = &jsonschema.Schema{Required: []string{"LHV", "enthalpy"}}
	return group("The gas and the fuel.",
		prop{
			"model",
			with(words("Composition of the burnt gas: complete combustion, or chemical equilibrium.", "frozen",
				"equilibrium"), "equilibrium"), false,
		},
		prop{
			"fuel", &jsonschema.Schema{
				Description: "What burns: a fuel known by name, or a group of its name and energy.",
				AnyOf:       []*jsonschema.Schema{text("A fuel that is known by name."), fuel},
			}, false,
		},
		prop{"WAR", with(quantity("Water in the ambient air, by mass of dry air", unit.None, 0, 0.1), 0), false},
		prop{
			"convention",
			with(
				words("Atomic masses and the pressure of tabulated entropies; pycycle is for comparison with its "+
					"results.", "standard", "pycycle"), "standard"), false,
		})
}

// componentsSchema branches on `type`, so that an editor shows the keys of that type only.
func componentsSchema(cat *Catalogue) *jsonschema.Schema {
	var names []string
	for _, t := range cat.Types {
		names = append(names, t.Name)
	}
	return named("Components by name.", nameShape.String(), byType("What the component is.", "component.", names))
}

// byType is an entry whose keys depend on its key `type`.
func byType(doc, prefix string, names []string) *jsonschema.Schema {
	kind := words(doc, names...)
	entry := &jsonschema.Schema{
		Type: "object", Required: []string{"type"}, Properties: map[string]*jsonschema.Schema{"type": kind},
	}
	for _, n := range names {
		name := any(n)
		entry.AllOf = append(entry.AllOf, &jsonschema.Schema{
			If: &jsonschema.Schema{Required: []string{"type"},
				Properties: map[string]*jsonschema.Schema{"type": {Const: &name}}},
			Then: ref(prefix + n),
		})
	}
	return entry
}

// controlSchema is an entry of `controls`.
func controlSchema(cat *Catalogue) *jsonschema.Schema {
	var names []string
	for _, t := range cat.Controls {
		names = append(names, t.Name)
	}
	return byType("What the control does.", "control.", names)
}

func kindOfControlSchema(t *ControlType) *jsonschema.Schema {
	name := any(t.Name)
	props := []prop{{"type", &jsonschema.Schema{Const: &name, Description: t.Doc}, true},
		{"period", quantity("Period of sampling; without, it acts continuously", unit.Time, 1e-6, 1e6), false},
		{"moves", parameterPath("What its signal moves: a parameter such as nozzle.area, or burner.Wf."), false}}
	if t.Unit {
		props = append(props, prop{"unit", text("Unit of its signal, where nothing else tells what it is."), false})
	}
	for _, in := range t.Inputs {
		s := &jsonschema.Schema{
			Types:       []string{"string", "number"},
			Description: in.Doc + "; a control, an output such as hpc.out.Pt, or a value",
		}
		if in.Many {
			two := 2
			s = list(in.Doc, s)
			s.MinItems = &two
		}
		props = append(props, prop{in.Name, s, in.Required})
	}
	if t.Table {
		one := 1
		row := list("The signal's value and what the table gives there, one for each of at.", anyQuantity("A number."))
		points := list("Points, rising.", row)
		points.MinItems = &one
		props = append(props, prop{"points", points, true},
			prop{"at", list("Values of by, rising.", anyQuantity("A value.")), false})
	}
	if t.Formula {
		props = append(props, prop{"is", text("The expression, such as ratio * hpc.out.Pt, in SI and rpm."), true})
	}
	for i := range t.Params {
		p := &t.Params[i]
		if Follows(p.Dim) {
			props = append(props, prop{p.Name, anyQuantity(p.Doc + "; " + string(p.Dim)), false})
			continue
		}
		props = append(props, prop{p.Name, p.schema(), false})
	}
	return group(t.Doc, props...)
}

func componentSchema(t *Type) *jsonschema.Schema {
	name := any(t.Name)
	props := []prop{{"type", &jsonschema.Schema{Const: &name, Description: t.Doc}, true}}
	var ports []prop
	for _, p := range t.Ports {
		if p.Kind == Flow {
			number := text(p.Doc)
			ports = append(ports, prop{p.Name, number, false})
		}
	}
	props = append(props, prop{"stations", group("Station numbers of SAE AS755 by port.", ports...), false})
	return group(t.Doc, append(props, t.params()...)...)
}

func bleedSchema(t *Type) *jsonschema.Schema {
	return group(t.Doc, append([]prop{
		{"name", text("Name, default from-to."), false},
		{"from", text("Component that gives the bleed."), true},
		{"to", text("Component that takes it; without, it leaves the engine."), false},
	}, t.params()...)...)
}

func busSchema(t *Type) *jsonschema.Schema {
	member := text("A machine, or a port of it such as generator.electric.")
	members := func(doc string) *jsonschema.Schema {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{member, list("", member)}, Description: doc}
	}
	return group(t.Doc, append([]prop{
		{"feeds", members("Machines that take power from the bus."), false},
		{"fed_by", members("Machines that give power to it."), false},
	}, t.params()...)...)
}

func shaftSchema(t *Type) *jsonschema.Schema {
	member := text("A component, or a port of it such as gearbox.out.")
	members := func(doc string, atLeast *int) *jsonschema.Schema {
		some := list("", member)
		some.MinItems = atLeast
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{member, some}, Description: doc}
	}
	one := 1
	return group(t.Doc, append([]prop{
		{"drives", members("Components that take power from the shaft.", nil), false},
		{"driven_by", members("Components that give power to it.", &one), true},
	}, t.params()...)...)
}

func balanceSchema() *jsonschema.Schema {
	return group("One unknown and what it is to bring about.",
		prop{"vary", parameterPath("Parameter to vary, such as burner.FAR."), true},
		prop{
			"until",
			&jsonschema.Schema{
				Type: "string", Pattern: `^[^=]+=[^=]+$`,
				Description: "Output and target, such as burner.out.Tt = 1500 K.",
			}, true,
		},
		prop{"min", anyQuantity("Least value of the parameter."), false},
		prop{"max", anyQuantity("Largest value of the parameter."), false})
}

// designBalanceSchema is a balance of the design, whose target may hold in another case.
func designBalanceSchema() *jsonschema.Schema {
	s := balanceSchema()
	s.Properties["at"] = text("Case in which the target holds; without, the design case.")
	s.PropertyOrder = append(s.PropertyOrder, "at")
	return s
}

func limitSchema() *jsonschema.Schema {
	s := group("An output that an operating point must not pass.",
		prop{"path", parameterPath("Output, such as hpt.rotor.Tt."), true},
		prop{"min", anyQuantity("Least value of the output."), false},
		prop{"max", anyQuantity("Largest value of the output."), false},
		prop{"vary", parameterPath("Varied parameter whose target gives way; default the first of solve."), false})
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"min"}}, {Required: []string{"max"}}}
	return s
}

// anyQuantity is a quantity whose dimension follows from a path beside it.
func anyQuantity(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "number"}, ref("quantity")}, Description: doc}
}

// parameterPath is a path with at least one dot.
func parameterPath(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^[^.]+\..+$`, Description: doc}
}

func caseSchema() *jsonschema.Schema {
	return group("An operating point, or a transient, which has a duration.", append([]prop{
		{"kind", with(words("What is computed.", "offdesign", "transient"), "offdesign"), false},
		{"from", text("Case whose settings this one starts from; without, the design."), false},
		{"set", &jsonschema.Schema{Type: "object", Description: "Parameters by path, such as ambient.mach: 0.8.",
			PropertyNames:        &jsonschema.Schema{Pattern: `^[^.]+\..+$`},
			AdditionalProperties: text("A value of the parameter.")}, false},
		{"solve", list("Balances of this case.", ref("balance")), false},
		{"limits", list("Limits of this case, besides those of the engine.", ref("limit")), false},
	}, transientProps()...)...)
}

// transientProps are the keys that only a transient has.
func transientProps() []prop {
	two, one := 2, 1
	pair := &jsonschema.Schema{Type: "array", MinItems: &two, MaxItems: &two, Description: "A time and a value.",
		Items: anyQuantity("A time or a value.")}
	points := list("Points, in the order of time; two at one time make a step.", pair)
	points.MinItems = &one
	output := parameterPath("An output such as burner.out.Tt.")
	panel := list("Outputs that share a panel.", output)
	panel.MinItems = &one
	return []prop{
		{"duration", quantity("How long a transient takes", unit.Time, 0, math.Inf(1)), false},
		{"schedule", &jsonschema.Schema{Type: "object", PropertyNames: &jsonschema.Schema{Pattern: `^[^.]+\..+$`},
			Description: "Parameters over time, linear between points and held at the ends; burner.Wf is " +
				"brought about by burner.FAR.",
			AdditionalProperties: &jsonschema.Schema{
				AnyOf: []*jsonschema.Schema{anyQuantity("One value, from the start on."), points},
			}}, false},
		{"integrator", with(words("Method of integration in time.", Integrators...), Integrators[0]), false},
		{"rtol", with(quantity("Relative tolerance of a step's error", unit.None, 1e-13, 0.1), 1e-6), false},
		{"atol", with(quantity("Absolute tolerance of a shaft's speed", Speed, 0, math.Inf(1)), 1e-3), false},
		{
			"steady",
			with(
				words("How the operating point that a transient starts from is found: by Newton's method, by letting "+
					"the engine run there, or by the first that succeeds.", steadies...), steadies[0]), false,
		},
		{
			"flame_out",
			with(words("What follows a flame that goes out: the transient ends, or goes on without it.", flameOuts...),
				flameOuts[0]), false,
		},
		{"controls", with(words("Whether the engine's controls act.", "on", "off"), "on"), false},
		{"every", quantity("Spacing of the history; without, the integrator's steps", unit.Time, 0, math.Inf(1)),
			false},
		{"save", list("Outputs that the history has besides the usual ones.", output), false},
		{
			"plot",
			list("Outputs that are drawn over time, from top to bottom; a list of outputs of one dimension shares a "+
				"panel. Without, all that the history has.",
				&jsonschema.Schema{AnyOf: []*jsonschema.Schema{output, panel}}), false},
	}
}

func sweepSchema() *jsonschema.Schema {
	one := 1
	ramp := group("Evenly spaced values.",
		prop{"from", anyQuantity("First value."), true},
		prop{"to", anyQuantity("Last value."), true},
		prop{"points", quantity("Number of values, both ends counted", unit.None, 2, 100_000), true})
	values := list("Values.", anyQuantity("A value."))
	values.MinItems = &one
	over := &jsonschema.Schema{
		Type: "object", MinProperties: &one, PropertyNames: &jsonschema.Schema{Pattern: `^[^.]+\..+$`},
		Description: "The grid: parameters, or targets of solve or design, with their values. The last " +
			"changes fastest. A parameter or target of the design makes a trade study: the design is solved again at " +
			"each of its values.",
		AdditionalProperties: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{values, ramp}}}
	plot := group("A plot with a curve for each value of one path of over; without x a carpet over the two paths of "+
		"over.",
		prop{"x", parameterPath("Abscissa, a path of over or collect."), false},
		prop{"y", parameterPath("Ordinate, a path of over or collect."), true},
		prop{"lines", parameterPath("Path of over with a curve for each of its values."), false})
	return group("A case solved at every point of a grid.",
		prop{"from", text("Case whose settings and balances the sweep starts from; without, the design."), false},
		prop{"over", over, true},
		prop{"solve", list("Balances of the sweep; without, those of from.", ref("balance")), false},
		prop{"collect", list("Outputs to keep of each point.", parameterPath("Output, such as performance.TSFC.")),
			true},
		prop{"plot", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{plot, list("Plots.", plot)}}, false})
}

func zoomSchema(cat *Catalogue) *jsonschema.Schema {
	solver := func(doc string, more ...string) *jsonschema.Schema {
		if len(cat.Solvers) == 0 {
			return text(doc)
		}
		userSolver := &jsonschema.Schema{Type: "string", Pattern: nameShape.String(), Description: "One of solvers."}
		return &jsonschema.Schema{
			Description: doc,
			AnyOf: []*jsonschema.Schema{words("One that is known here.", append(more, cat.Solvers...)...),
				userSolver},
		}
	}
	one := 1
	priors := solver("coarse, or a flow solver.", PriorCoarse)
	s := group("How the component is zoomed.",
		prop{"solver", solver("Flow solver."), false},
		prop{"fidelity", solver("Another word for solver."), false},
		prop{"geometry", text("The component's geometry; a path, relative to the engine file."), false},
		prop{
			"method",
			with(
				words(
					"How the runs become the component's behaviour: map, from the runs alone; scalars, by correcting "+
						"the engine's own map; direct, by a linear model.", ZoomMethods...), "map"), false,
		},
		prop{"span", with(words("Where the engine works, or a whole map.", "line", "whole"), "line"), false},
		prop{
			"speeds",
			list("Speeds of a whole map, rising, as fractions of the design corrected speed; with to, the first and "+
				"the last are its range, 70 % and 105 % without.",
				quantity("Fraction of the design corrected speed", unit.None, 0.01, 2)), false,
		},
		prop{
			"runs", quantity("Runs a speed line, at fixed throttles, in place of to; span: whole has 6 without",
				unit.None, 3, 1000), false,
		},
		prop{
			"to", &jsonschema.Schema{
				Description: "Error that the engine's results are to have: runs are made in rounds, where the engine " +
					"works, until it is reached. One number is for thrust and its fuel consumption, or for power and " +
					"its. Without to and runs: 0.1 %. With span: whole: root mean square of flow, pressure ratio and " +
					"efficiency all over the map.", AnyOf: []*jsonschema.Schema{
					quantity("Relative error", unit.None, 1e-7, 0.5),
					{
						Type: "object", MinProperties: &one,
						Description:          "Relative errors by results, such as performance.TSFC.",
						AdditionalProperties: quantity("Relative error", unit.None, 1e-7, 0.5)},
				}}, false},
		prop{
			"most", quantity("Greatest number of runs of the component, all rounds together; default: no limit",
				unit.None, 1, 100_000), false,
		},
		prop{"batch", with(quantity("Greatest number of runs a round", unit.None, 1, 1000), 4), false},
		prop{
			"fresh",
			with(&jsonschema.Schema{
				Type: "boolean",
				Description: "Whether each run has a process of its own, also where the solver's process takes run " +
					"after run. The answers are the same.",
			}, false), false,
		},
		prop{
			"match",
			quantity("Relative difference of inputs up to which the answer of an earlier study to another request "+
				"counts, for a fixed grid of runs; settings and blades must be the same. Without: only the same "+
				"request, to the last bit", unit.None, 1e-9, 0.05), false,
		},
		prop{
			"earlier",
			with(&jsonschema.Schema{
				Type: "boolean",
				Description: "Whether answers that earlier studies of the same component left in the cache count " +
					"beside those of this one; with to.",
			}, true), false,
		},
		prop{
			"ends", &jsonschema.Schema{
				Description: "Whether the ends of the speed lines are sought, and how well. Without: stall ends to 1 " +
					"% of throttle where a rule, a limit or an output names SMN. true or a tolerance: stall and " +
					"choke, in any case.", AnyOf: []*jsonschema.Schema{
					{Type: "boolean"},
					quantity("Tolerance of the throttle", unit.None, 1e-3, 0.2),
				}}, false},
		prop{
			"in_time",
			with(
				words("What a transient does that leaves the map: it waits for runs that extend it, or goes on where "+
					"it is extrapolated.", "extend", "extrapolate"), "extend"), false,
		},
		prop{
			"prior",
			list("Cheaper runs that the model of a zoom to an error may correct: coarse, the solver on its coarse "+
				"mesh, or another solver. They are made at the speeds and throttles of the dear runs, and count for "+
				"nothing where they do not help.", priors), false,
		},
		prop{
			"reynolds",
			with(&jsonschema.Schema{
				Type: "boolean",
				Description: "Whether the runs of a fan or compressor are made at the inlet state of the engine's " +
					"design point, so that they have its Reynolds number, and not at that of the standard day.",
			}, false), false,
		},
		prop{
			"scale",
			with(words("Scale the answer to the engine's design point, or take it as it is.", "design", "absolute"),
				"design"), false,
		},
		prop{
			"memory", quantity("Memory that each run may use, with all that it starts; one that uses more is killed",
				unit.Storage, 1e6, 1e15), false,
		},
		prop{
			"cores", quantity("Processors that each run may use, in time on them per time that passes", unit.None, 0.1,
				1e4), false,
		},
		prop{"time", quantity("Time that each run may take; one that takes longer is stopped", unit.Time, 1, 1e8),
			false},
		prop{"hosts", launchersSchema(cat), false},
		prop{
			"licences",
			hosts.LicencesSchema(
				"Licences that each run needs of those that a batch system counts, by name. Licences that Peregrine " +
					"counts stand at the solver"), false,
		},
		prop{"limits", runLimitsSchema(), false},
		prop{"failures", failuresSchema(), false},
		prop{
			"verify",
			with(&jsonschema.Schema{
				Type: "boolean",
				Description: "Whether one run in fifty is made twice, and a solver that answers the same request " +
					"differently is warned of.",
			}, false), false,
		},
		prop{
			"settings", &jsonschema.Schema{Type: "object", Description: "Settings of the solver.",
				AdditionalProperties: text("A number, a text or a flag.")}, false,
		})
	s.OneOf = []*jsonschema.Schema{{Required: []string{"solver"}}, {Required: []string{"fidelity"}}}
	return s
}

// knownSolvers narrows the zooms of a file without solvers of its own to those that are known.
func knownSolvers(s *jsonschema.Schema, cat *Catalogue) {
	if len(cat.Solvers) == 0 {
		return
	}
	known := func() *jsonschema.Schema { return words("", cat.Solvers...) }
	zoom := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"solver": known(), "fidelity": known(),
		"prior": {Items: words("", append([]string{PriorCoarse}, cat.Solvers...)...)}}}
	s.If = &jsonschema.Schema{Required: []string{"solvers"}}
	s.Else = &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"zoom": {AdditionalProperties: zoom}}}
}

// launchersSchema is that of the launchers of a zoom's runs.
func launchersSchema(cat *Catalogue) *jsonschema.Schema {
	name := text("local, or a launcher of the hosts file.")
	if len(cat.Launchers) > 0 {
		name = words("local, or a launcher of the hosts file.", cat.Launchers...)
	}
	one := 1
	many := list("Several of them.", name)
	many.MinItems = &one
	return &jsonschema.Schema{
		Description: "Launchers by which its runs may be made, the preferred one first: local, or names of the hosts " +
			"file. All are made by one: by that which --launcher, or another source of this setting, names, if it is " +
			"among them, else by the first. Without: by that of the setting", AnyOf: []*jsonschema.Schema{name, many},
	}
}

// runLimitsSchema is that of the limits of runs.
func runLimitsSchema() *jsonschema.Schema {
	return group("What each run, and all of them, may use besides memory, cores and time.",
		prop{
			"start", quantity("Time in which a solver that was started must answer; default: 30 s", unit.Time, 0.1,
				1e6), false,
		},
		prop{
			"no_progress",
			quantity("Time in which neither the solver nor its files report anything, after which the run counts as "+
				"hung; default: 5 min", unit.Time, 0.1, 1e8), false,
		},
		prop{
			"processes", quantity("Processes at a time of a run, with all that its solver starts", unit.None, 1,
				100_000), false,
		},
		prop{"disk", quantity("Size of a run's folder", unit.Storage, 1e5, 1e15), false},
		prop{"study_disk", quantity("Size of the study's folder", unit.Storage, 1e6, 1e15), false},
		prop{
			"log", quantity("Most of what its solver prints that a run's folder keeps; default: the setting log-limit",
				unit.Storage, 1e3, 1e15), false,
		},
		prop{
			"reply", quantity("Size of a reply of the solver; default: what its description allows", unit.Storage, 1e6,
				2e9), false,
		})
}

// failuresSchema is that of what follows failed runs.
func failuresSchema() *jsonschema.Schema {
	one := 1
	retry := &jsonschema.Schema{Type: "string", Pattern: `^(retry( \d+)?|leave_out|abort)$`,
		Description: "retry, retry N, leave_out or abort."}
	end := words("leave_out or abort.", "leave_out", "abort")
	request := group("Another request for the same point.",
		prop{
			"change",
			&jsonschema.Schema{
				Type: "object", MinProperties: &one,
				Description:          "Other settings than those of the first request; x0.5 is half the value.",
				AdditionalProperties: &jsonschema.Schema{Types: []string{"number", "string", "boolean"}}}, false},
		prop{"from", words("The run starts from the nearest one that gave an answer.", "nearest"), false})
	request.MinProperties = &one
	steps := func(doc string, of ...*jsonschema.Schema) *jsonschema.Schema {
		many := list("Steps, one after another.", &jsonschema.Schema{AnyOf: of})
		many.MinItems = &one
		return &jsonschema.Schema{Description: doc, AnyOf: append(of, many)}
	}
	var props []prop
	for _, class := range RequestFailures {
		props = append(props, prop{class, steps("What follows a run that ends as "+class+".", request, end), false})
	}
	for _, class := range OutsideFailures {
		props = append(props, prop{class, steps("What follows a run that ends as "+class+".", retry), false})
	}
	for _, class := range otherFailures {
		of := retry
		if class == "unphysical" {
			of = end
		}
		props = append(props, prop{class, steps("What follows a run that ends as "+class+".", of), false})
	}
	return group("What follows a failed run, by its class: retry N, other settings, another start, leave_out or "+
		"abort; one step or a list.", props...)
}

func ruleSchema() *jsonschema.Schema {
	iterations := func(doc string) *jsonschema.Schema {
		one := 1.0
		return &jsonschema.Schema{Type: "integer", Minimum: &one, Description: doc}
	}
	when := text("Condition, such as hpc.SMN < 12.")
	many := list("Conditions, of which one is enough.", text("Condition."))
	one := 1
	many.MinItems = &one
	values := &jsonschema.Schema{
		Type: "object", Description: "The new values by name: numbers, or expressions such as cfl / 2.",
		AdditionalProperties: &jsonschema.Schema{Types: []string{"number", "string"}},
	}
	return group("A warning of the user's own.",
		prop{"name", text("Name."), true},
		prop{
			"when", &jsonschema.Schema{
				AnyOf: []*jsonschema.Schema{when, many},
				Description: "Condition, such as hpc.SMN < 12, or a list of them, of which one is enough; without " +
					"it, the built-in rule of this name that is off is switched on.",
			}, false,
		},
		prop{"hold", with(iterations("Iterations in a row in which the condition is to hold."), 1), false},
		prop{
			"priority",
			with(&jsonschema.Schema{
				Type: "integer",
				Description: "Rules of higher priority are judged first, then those that stand first; built-in ones " +
					"stand before the user's.",
			}, 0), false,
		},
		prop{
			"repeat",
			iterations("Iterations after which it fires again while it holds; without it, it fires again only after " +
				"it has not held."), false,
		},
		prop{
			"pause",
			iterations("Iterations after firing in which it is not judged; 20 of a rule that sets something, acts, " +
				"and has neither this nor repeat."), false,
		},
		prop{
			"most",
			with(
				iterations("Actions at most in a run and those that follow it for the same point; stop and unusable "+
					"are not counted."), 10), false,
		},
		prop{"severity", with(words("How bad it is; an info is no warning.", "info", "warning", "error"), "warning"),
			false},
		prop{"message", text("What to tell; default the condition."), false},
		prop{"action", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			words("What to do with the run: end it, reject its answer, hold it, let it go on, let it write a "+
				"checkpoint; or have the most urgent runs of the study start first.", ruleActions...),
			group("An action with a value; one of them, or rewind and set.",
				prop{"set", values, false},
				prop{"checkpoint", text("Let it write a checkpoint of this name."), false},
				prop{"rewind", text("Make it again from the checkpoint of this name."), false},
				prop{
					"call",
					&jsonschema.Schema{
						Types: []string{"string", "object"},
						Description: "Call a function of the solver: its name, or its name and argument, as in " +
							"{write_flow: flow.vtu}.",
					}, false,
				},
				prop{"first", text("Have the runs of the study start first whose names match, such as fan-n100*."),
					false},
				prop{"workers", iterations("How many runs the study makes at a time."), false}),
		},
			Description: "What to do with the run: stop, unusable (its answer is rejected), pause, resume, " +
				"checkpoint, or an action with a value such as {set: {CFL: 5}}."}, false},
		prop{
			"act",
			with(&jsonschema.Schema{
				Type: "boolean",
				Description: "The action is taken; without it, and without --act, it is only recorded as an event " +
					"would.",
			}, false), false,
		},
		prop{
			"where",
			with(
				words("Where a rule on a run is judged: by the host, at each report of the solver, or by the run "+
					"itself, in the solver's process, at each iteration.", ruleWheres...), "host"), false,
		},
		prop{
			"each", named("Facts that the conditions join, by the names that they have there.", wordShape.String(),
				text("Kind of facts: run, or one that rules assert.")), false,
		},
		prop{
			"assert", named("Facts that hold as long as the conditions do, by kind.", wordShape.String(),
				named("Fields by name.", wordShape.String(), text("Expression."))), false,
		})
}
