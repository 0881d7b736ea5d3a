// Package rule warns of runs that do not converge and of flows that make no
// sense.
//
// A rule is data: a condition, how bad it is, a message, an action. Those
// that come with Peregrine are in builtin.yaml, which is meant to be read; users
// add theirs in the engine file, and one with the name of a built-in rule
// replaces it:
//
//	rules:
//	  - {name: surge, when: compressor.SMN < 12, severity: warning, message: "surge margin {compressor.SMN} %"}
//	  - {name: slow, when: iteration > 500 and drop(residual) < 2}
//	  - {name: hot, when: component.type == "turbine" and component.Tt_in > 1800}
//
// Conditions are written in the language of github.com/expr-lang/expr. What one
// speaks of follows from its names:
//
//   - an engine's result, case by case: the paths of the engine file, such as
//     hpc.SMN, burner.out.Tt, performance.Fn;
//   - any component's result, in a case or as the answer of a solver's run:
//     component.type, component.name, component.run (empty in a case) and the
//     component's values, component.PR for one; Tt_in, Tt_out, Pt_in, Pt_out, W_in
//     and W_out stand for the values of the ports in and out;
//   - a solver's run while it goes on: all else, see below.
//
// All numbers are in SI units, speeds in rpm, as in the results, unless a unit follows: burner.out.Tt > 1400 K. A
// condition applies only where every value that it names is there. A name that can never be there is an error before
// anything runs. A solver's own values may be named, described or not; only a name that is nearly that of another
// value is taken for a slip, and value("x") takes any.
//
// A rule fires when its condition begins to hold, and again after it has not held; see config.Rule for the keys that
// change that, and for what a rule may do to the run. For each event all rules are judged whose inputs changed, those
// that refer to fired("x") behind x.
//
// # Conditions on a run
//
// The name of a value in the solver's history is its last value: iteration,
// residual, W_in, W_out, PR, eff and what else the solver reports. Where a solver
// reports several residuals, residual_rho and so on, but none called residual, the
// largest is residual. Besides a run has variables, such as limit and ended, and its profiles: profile_Vx is the list
// of the profile Vx that the solver or a file reports. They are listed in variable.go, and in function.go the functions
// of a value's history, such as drop(x) and trend(x, n), where n counts iterations, a constant of at most MaxWindow.
// Before so many have passed these are NaN, which is neither greater nor less than anything, or false. The page `rules`
// of the program's help has both lists.
//
// A history is in the order of the iterations, in whatever order the solver's reports and the
// lines of its files arrive; see Monitor. Where both have a value for one iteration, the
// solver's counts. An iteration number that falls, in what one of them reports, says that the
// solver has started afresh, and the histories begin anew.
//
// A value called mesh is reported by solvers that start on coarser meshes: when it
// changes, the histories begin anew, except that drop still refers to the first values.
//
// Messages may hold expressions in braces, as in the example above.
package rule
