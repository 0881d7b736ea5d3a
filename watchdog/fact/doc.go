// Package fact is a working memory with forward chaining: facts are asserted, changed and retracted, rules fire for
// their matches, and facts that rules assert last as long as their premises.
//
// A kind of facts has fields that are numbers, texts or bools. A rule has patterns, each matched by one fact:
// conditions on its fields (Test), on two facts (Join), and Go functions for all others. It may also count the facts of
// a kind (Counts) and judge the counts (When). All parts except the functions are data, so that a language's compiler
// can write them. See the example.
//
// # Order of events
//
// Assert, Change and Retract alter facts at once. Run computes the consequences for rules from the facts at its call,
// not from earlier states. A match fires once. It ceases when a fact of it leaves or changes, or when When ceases to
// hold; when it arises once more, it fires once more.
//
// The order of firing is a function of facts and rules: by Rule.Priority, then by the order of rules, then by the facts
// of the patterns one after the other, facts that were asserted earlier first.
//
// A fact that Match.Assert adds leaves when the last match that asserted it ceases. Facts that support each other only
// in a circle leave as well. A counted fact is no premise: a fact that exists because another is counted, which follows
// from it, supports itself.
//
// # Cost
//
// Facts are kept in columns. Conditions of a number of new facts are evaluated together, a column at a time. Equalities
// that join are looked up in a hash table; the rest is checked pair by pair. Only matches with new facts are searched,
// and counts are updated, not computed anew.
//
// A Memory has no locks: one goroutine at a time may use it.
package fact
