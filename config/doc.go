// Package config turns an engine file into a checked, unit-free engine, and reads files of rules and of solvers. The
// packages below it read the settings of the program and its hosts, units and expressions.
//
// It reports every fault of a file that can be found without solving, all at once, with line and column: unknown keys,
// wrong dimensions, unconnected ports, shafts without a drive. Its results are in SI units (speeds in rpm), and every
// name in them resolves.
//
// # The engine file
//
// An engine file is one YAML document without anchors, aliases, tags and tabs. Its sections may come in any order:
//
//	engine       the engine's name
//	design_case  name of the design case; default: design
//	gas          {model: frozen|equilibrium, fuel: {name, formula, LHV or enthalpy}, WAR, convention: standard|pycycle}
//	components   name: {type, stations: {port: number}, and the parameters of the type}
//	flow         a list of chains: ambient -> inlet -> fan.bypass -> duct
//	bleeds       a list of {name, from, to, and parameters}; without to, overboard
//	shafts       name: {drives: [...], driven_by: [...], and parameters}
//	buses        name: {feeds: [...], fed_by: [...], and parameters}
//	controls     name: {type, of, moves, period, and the keys of the type}
//	design       a list of balances {vary: path, until: path = value, min, max, at: case}
//	cases        name: {from, set: {path: value}, solve: [balances], limits: [limits]}; without solve, that of from
//	limits       a list of limits {path, min, max, vary} for every case
//	sweeps       name: {from: case, over: {path: [values] or {from, to, points}}, solve: [balances], collect: [paths], plot: {x, y, lines}}
//	zoom         component: the keys of a zoom (peregrine help zoom); package document describes how to add a key
//	functions    functions that rules use, such as fell(x, n): drop(x) > n
//	rules        a list of {name, when, hold, priority, repeat, pause, severity, message, action, act}
//
// The [Catalogue] provides the types of components, their ports, parameters and outputs, the quantities of a port and
// the parameters of shafts, buses and bleeds. [Schema] writes the whole as a JSON Schema.
//
// # Sweeps
//
// A path of a sweep's `over` is the target of a balance of the sweep (its own balances, or those of the case in its
// `from`), or a parameter, or the target of a balance of the design. The search has this order. Parameters that only
// the design uses, and targets of the design, make the sweep a trade study: the design is solved again at each of their
// values, then the case from it. The last path changes fastest from row to row.
//
// A `plot` has a curve for each value of the axis `lines`. The default of lines is the last axis that is neither x nor
// y. If neither x nor y is an axis, curves of the last two axes cross. Without x the plot is a carpet over the two axes
// of the sweep.
//
// # Controls
//
// In transients a control computes a signal from others: `of` (and `demand`, `by`) name another control or an output of
// the engine, or give a value. A control with `moves` passes its signal to the engine. It moves a parameter, or an
// output such as burner.Wf that follows from a parameter:
//
//	lever:    {type: input, value: 30 %}
//	asked:    {type: table, of: lever, points: [[0 %, 5000 rpm], [100 %, 8000 rpm]]}
//	governor: {type: pi, of: shafts.spool.N, demand: asked, gain: 1e-3, integral: 2e-3}
//	fuel:     {type: min, of: [governor, 1.2 kg/s], moves: burner.Wf}
//
// The dimension of a signal is not stated: it follows from its inputs and from the parameter that it moves. Gains are
// in SI, with speeds in rpm. Without a period a control acts continuously; with a period it samples and acts at
// multiples of the period, from 0 s on. The integral of a pi does not wind up at its own min and max, nor at the min,
// max and actuators after it, if only one control uses its signal. A case may schedule values: {lever.value: [[1 s, 30
// %], [1 s, 100 %]]}, {speed.bias: 50 rpm}. With `controls: off` it runs the engine without controls. A transient
// begins with controls at rest with the steady engine, as far as the engine meets their demands.
//
// # Values
//
// A number may have a unit (3 %, 11800 lbf, 0.53 lbm/h/lbf). The default is SI, or rpm for a speed. See package unit.
// Bounds of a parameter hold for values from the component, from a case's set and from --set.
//
// # Paths
//
//	component.parameter   shaft.parameter       may be set and varied; bleed.parameter by the bleed's name
//	component.output      shaft.output          may be asked for
//	component.port.field  performance.field     may be asked for
//
// A path may begin with its section: components.burner.FAR is burner.FAR.
//
// # Ports in chains
//
// A bare name is the component's port out (or in, after the arrow). A component without that port must have exactly one
// port that is still free after all explicit ports are taken. In the middle of a chain a port belongs to the side of
// its direction: after mixer.bypass the chain continues from the mixer's outlet, and after recuperator.cold from the
// outlet of that stream, recuperator.cold_out.
//
// # Ports on shafts and buses
//
// The components in `drives` of a shaft take power by a shaft port, and those in `driven_by` give power. For the
// electric ports of a bus the keys are `feeds` and `fed_by`. A bare name is the component's only port of that
// direction: a gearbox is listed as gearbox in the drives of one shaft (its port in) and in the driven_by of another
// (out).
package config
