// Package config turns an engine file into a checked, unit-free engine, and reads files of rules and of solvers. The
// packages below it read the settings of the program and its hosts, units and expressions.
//
// Every fault of a file that shows without solving is reported here,
// all at once, with line and column: unknown keys, wrong dimensions,
// unconnected ports, shafts that nothing drives. What leaves the package is in
// SI units (speeds in rpm), and every name in it resolves.
//
// # The engine file
//
// An engine file is one YAML document without anchors, aliases, tags and tabs.
// Its sections may come in any order:
//
//	engine       the engine's name
//	design_case  name of the design case; default design
//	gas          {model: frozen|equilibrium, fuel: {name, formula, LHV or enthalpy}, WAR, convention: standard|pycycle}
//	components   name: {type, stations: {port: number}, and the parameters of the type}
//	flow         a list of chains: ambient -> inlet -> fan.bypass -> duct
//	bleeds       a list of {name, from, to, and parameters}; without to, overboard
//	shafts       name: {drives: [...], driven_by: [...], and parameters}
//	buses        name: {feeds: [...], fed_by: [...], and parameters}
//	controls     name: {type, of, moves, period, and the keys of the type}
//	design       a list of balances {vary: path, until: path = value, min, max, at: case}
//	cases        name: {from, set: {path: value}, solve: [balances], limits: [limits]}; without solve, that of from
//	limits       a list of limits {path, min, max, vary} of every case
//	sweeps       name: {from: case, over: {path: [values] or {from, to, points}}, solve: [balances], collect: [paths], plot: {x, y, lines}}
//	zoom         component: the keys of a zoom (peregrine help zoom); a key is added as package document says
//	functions    functions that rules use, such as fell(x, n): drop(x) > n
//	rules        a list of {name, when, hold, priority, repeat, pause, severity, message, action, act}
//
// The types of components, their ports, parameters and outputs, the quantities of
// a port and the parameters of shafts, buses and bleeds are not this package's: they
// come with the [Catalogue]. [Schema] writes all of it as a JSON Schema.
//
// # Sweeps
//
// A path of a sweep's `over` is the target of one of the balances that the sweep
// solves with (its own, or those of the case that it is from), or a parameter, or
// the target of a balance of the design, looked for in this order. Parameters
// that only the design uses, and targets of the design, make the sweep a trade
// study: the design is solved again at each of their values, then the case from
// it. The last path changes fastest from row to row.
//
// A `plot` has a curve for each value of `lines`, an axis. Without lines it is the
// last axis that is neither x nor y; if neither of these is an axis, curves of the
// last two axes cross. Without x it is a carpet over the two axes of the sweep.
//
// # Controls
//
// In transients a control makes one signal of others: `of` (and `demand`, `by`) name
// another control, an output of the engine, or give a value. One that `moves` a
// parameter, or an output such as burner.Wf that a parameter brings about, hands its
// signal to the engine:
//
//	lever:    {type: input, value: 30 %}
//	asked:    {type: table, of: lever, points: [[0 %, 5000 rpm], [100 %, 8000 rpm]]}
//	governor: {type: pi, of: shafts.spool.N, demand: asked, gain: 1e-3, integral: 2e-3}
//	fuel:     {type: min, of: [governor, 1.2 kg/s], moves: burner.Wf}
//
// What a signal measures is not written down: it follows from what it is made of and
// what it moves. Gains are in SI, with speeds in rpm. Without a period a control acts all
// the time; with one it looks and acts at multiples of that, from 0 s on. The integral of
// a pi knows what min, max and actuators after it make of its signal, as long as one
// control alone takes that, and besides it knows its own min and max. A case may
// schedule values: {lever.value: [[1 s, 30 %], [1 s, 100 %]]}, {speed.bias: 50 rpm}; or
// run the engine without, by `controls: off`. A transient begins with controls at rest
// with the steady engine, as far as their demands are what the engine does.
//
// # Values
//
// A number may have a unit (3 %, 11800 lbf, 0.53 lbm/h/lbf); without, it is SI,
// or rpm for a speed. See package unit. Bounds of a parameter hold wherever its
// value comes from: the component, a case's set, or --set.
//
// # Paths
//
//	component.parameter   shaft.parameter       may be set and varied; bleed.parameter by the bleed's name
//	component.output      shaft.output          may be asked for
//	component.port.field  performance.field     may be asked for
//
// The section may stand in front: components.burner.FAR is burner.FAR.
//
// # Ports in chains
//
// A bare name means the component's port out (or in, after the arrow), or else the
// only one that is free once all ports that are written out are taken. In the
// middle of a chain a port holds for the side where it lies: after mixer.bypass
// the chain goes on from the mixer's outlet, and after recuperator.cold from the
// outlet of that stream, recuperator.cold_out.
//
// # Ports on shafts and buses
//
// What a shaft drives takes power by a shaft port, what it is driven by gives it; of
// a bus the keys are feeds and fed_by, for electric ports. A bare name means the
// component's only port that faces that way: a gearbox stands as gearbox in the
// drives of one shaft (its port in) and in the driven_by of another (out).
package config
