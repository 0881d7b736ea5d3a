// Package house holds the rules of the house: which package may import which,
// how the files of a package stand to each other, who may read the clock, and
// which functions may stay although the program never calls them. It has tests
// only, and `make lint` runs them.
//
// Some rules were made after the code. Such a rule has a ratchet: a table of
// what still breaks it. A test fails if something new breaks the rule, and also
// if an entry of the table is no longer needed, so that a table only gets shorter.
package house
