// Package study judges the runs of a study together: two runs that disagree, a speed line that lost two of its five
// runs.
//
// A rule on a study has each, names for facts, or looks at all facts of a kind by count, any, all or none:
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
// A run is a fact of the kind run, with the fields in the table fields in field.go. It also has these fields:
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
package study
