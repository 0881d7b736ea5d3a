// Package house tests the rules of the code: the direction of imports, circles between files, the use of the clock,
// unreached functions, sizes, and the words of comments and pages. It has tests only, and `make lint` runs them.
//
// A rule may have a table of exceptions. A test fails if new code breaks the rule, and also if an entry of the table is
// no longer needed, so that a table only gets shorter.
package house
