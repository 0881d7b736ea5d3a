// Package fact is a working memory with forward chaining: facts are asserted, changed and retracted, rules fire for
// what they match, and what rules assert follows what it was concluded from.
//
// A kind of facts has fields that are numbers, texts or bools. A rule has patterns, each matched by one fact:
// conditions on its fields (Test), on two facts (Join), and Go functions for all else; and conditions on all facts of
// a kind (Given): that there is none, how many, the least value; and a function of several of these (When). All but
// the functions are data, so that a language's compiler can write them. See the example.
//
// # What happens when
//
// Assert, Change and Retract alter facts at once; what follows for rules is worked out by Run, from what is there then,
// not from what was in between. A match fires once. It ceases when a fact of it goes or changes, or when a Given ceases
// to hold; when it arises once more, it fires once more.
//
// Which match fires first is a function of facts and rules: by Rule.Priority, then by the order of rules, then by the
// facts of the patterns one after the other, facts that were asserted earlier first.
//
// A fact that Firing.Assert adds goes when the last match that asserted it ceases. Facts that would support each other
// only in a circle go as well. What a Given counted is no premise: a fact that is there because another is counted,
// which follows from it, holds itself up.
//
// # What it costs
//
// Facts are kept in columns. Conditions of a number of new facts are evaluated together, a column at a time; patterns
// with the same conditions share their result. Equalities that join are looked up in a hash table; without one,
// inequalities of numbers are looked up in a sorted list where many lookups pay for sorting; what is left is checked
// pair by pair. Counts, least and greatest values are kept up, not worked out anew, except those of Least and Most with
// joins beyond one equality, or with IfMatch.
//
// Memory is bounded by what is there: facts of a kind by Kind.Limit, matches by Options.Matches. A match that fired
// costs nothing more, except of rules with a Given, which keep theirs.
//
// A Memory has no locks: one goroutine at a time may use it.
package fact
