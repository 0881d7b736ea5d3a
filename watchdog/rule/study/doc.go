// Package study judges the runs of a study together: two that disagree, a speed line that lost two of its five runs.
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
// The rule holds for each choice of different facts, one for each name of each, for which its conditions hold. What it
// asserts is a fact as long as it holds for some choice that asserts it; other rules may speak of it. A rule that
// asserts and has neither message nor action only concludes, and is not reported.
//
// A run is a fact of the kind run, with the fields that the table fields in field.go lists. Besides,
//
//	a.x          is the last value x that the run reported, or that of its answer
//	a.answer.x   is the value x of its answer
//	a.given.x    is the number x of its request
//
// As everywhere, a condition applies only to facts that have every number that it names. A count leaves out those that
// lack one.
//
// Facts are kept by package fact: comparisons of one field select facts a column at a time, equalities of two facts are
// looked up in hash tables. Rules are judged when a field that one of them names has changed, so that rules on answers
// cost nothing while runs go on.
package study
