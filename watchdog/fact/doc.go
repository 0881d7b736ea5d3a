// Package fact is a working memory with forward chaining: facts are asserted, changed and retracted, rules fire for
// what they match, and what rules assert follows what it was concluded from.
//
// A kind of facts has fields that are numbers, texts or bools. A rule has patterns, each matched by one fact:
// conditions on its fields (Test), on two facts (Join), and Go functions for all else; and it may count the facts of
// a kind (Count) and judge the counts (When). All but the functions are data, so that a language's compiler can write
// them. See the example.
//
// # What happens when
//
// Assert, Change and Retract alter facts at once; what follows for rules is worked out by Run, from what is there then,
// not from what was in between. A match fires once. It ceases when a fact of it leaves or changes, or when When ceases
// to hold; when it arises once more, it fires once more.
//
// Which match fires first is a function of facts and rules: by Rule.Priority, then by the order of rules, then by the
// facts of the patterns one after the other, facts that were asserted earlier first.
//
// A fact that Match.Assert adds leaves when the last match that asserted it ceases. Facts that would support each other
// only in a circle leave as well. What a Count counts is no premise: a fact that is there because another is counted,
// which follows from it, holds itself up.
//
// # What it costs
//
// Facts are kept in columns. Conditions of a number of new facts are evaluated together, a column at a time. Equalities
// that join are looked up in a hash table; what is left is checked pair by pair. Only matches with new facts are looked
// for, and counts are kept up, not worked out anew.
//
// A Memory has no locks: one goroutine at a time may use it.
package fact
