// Package rule warns of runs that do not converge and of flows that are not physical.
//
// A rule is data: a condition, a severity, a message, an action. The built-in rules are in builtin.yaml, which users
// are meant to read. Users add rules in the engine file; a rule with the name of a built-in rule replaces it:
//
//	rules:
//	  - {name: surge, when: compressor.SMN < 12, severity: warning, message: "surge margin {compressor.SMN} %"}
//	  - {name: slow, when: iteration > 500 and drop(residual) < 2}
//	  - {name: hot, when: component.type == "turbine" and component.Tt_in > 1800}
//
// Conditions are written in the language of github.com/expr-lang/expr. The names in a condition decide the object that
// it judges:
//
//   - an engine's result, case by case: the paths of the engine file, such as
//     hpc.SMN, burner.out.Tt, performance.Fn;
//   - any component's result, in a case or as the answer of a solver's run:
//     component.type, component.name, component.run (empty in a case) and the
//     component's values, such as component.PR; Tt_in, Tt_out, Pt_in, Pt_out, W_in
//     and W_out are the values of the ports in and out;
//   - a solver's run while it is running: all other names, see below;
//   - all runs of a study: a rule with each or assert, or with a count of facts.
//
// All numbers are in SI units, speeds in rpm, as in the results, unless a unit follows: burner.out.Tt > 1400 K. A
// condition applies only if every value in it exists. A name that can never exist is an error before any run starts. A
// condition may name any value of a solver, described or not. Only a name that is close to that of another value is
// reported as misspelt; value("x") takes any name.
//
// A rule fires when its condition begins to hold, and again after an interval in which it did not hold. See config.Rule
// for the keys that change this, and for the actions on the run. Each event causes an evaluation of all rules whose
// inputs changed. A rule that refers to fired("x") comes after x.
//
// # Conditions on a run
//
// The name of a value in the solver's history is its last value: iteration, residual, W_in, W_out, PR, eff and all
// others that the solver reports. If a solver reports several residuals, residual_rho and so on, but none called
// residual, the largest is residual. A run also has variables, such as limit and ended, and profiles: profile_Vx is the
// list of the profile Vx that the solver or a file reports. File variable.go lists the variables, and the functions of
// a value's history, such as drop(x) and trend(x, n), where n counts iterations, a constant of at most MaxWindow.
// Before n iterations these functions are NaN, neither greater nor less than any number, or false. The page `rules` of
// the program's help has both lists.
//
// A history is in the order of the iterations, in whatever order the solver's reports and the lines of its files
// arrive; see Monitor. Where both have a value for an iteration, the solver's counts. If the iteration number falls in
// the reports of a source, the solver has restarted, and the histories begin anew.
//
// Solvers that start on coarser meshes report a value called mesh. When it changes, the histories begin anew, except
// the first values of drop.
//
// Messages may hold expressions in braces, as in the example above.
//
// # Conditions on a study
//
// A rule on a study judges its runs together: two runs that disagree, a speed line that lost two of its five runs. It
// has each, names for facts, or looks at all facts of a kind by count, any, all or none:
//
//	rules:
//	  - name: two_disagree
//	    each: {a: run, b: run}
//	    when: a.component == b.component and a.answer.PR > b.answer.PR + 0.5
//	    assert: {doubt: {run: b.name}}
//	  - name: doubted
//	    when: count(doubts, true) >= 2
//	  - {name: lost_two, when: 'count(runs, .state == "diverged") >= 2', action: stop}
//
// The rule holds for each choice of different facts, one for each name of each, for which its conditions hold. An
// asserted fact exists as long as the rule holds for some choice that asserts it; other rules may use it. A rule that
// asserts and has neither message nor action only concludes, and is not reported.
//
// A run is a fact of the kind run, with the fields in the table fields in facts.go. It also has these fields:
//
//	a.x          the last value x that the run reported, or that of its answer
//	a.answer.x   the value x of its answer
//	a.given.x    the number x of its request
//
// As everywhere, a condition applies only to facts that have every number in it. A count leaves out facts that lack a
// number.
//
// Package fact keeps the facts: comparisons of a field select facts a column at a time, and hash tables find equal
// fields of two facts. Rules are judged when a field in them has changed, so that rules on answers cost no time while
// runs continue.
package rule
