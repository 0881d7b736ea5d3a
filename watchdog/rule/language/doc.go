// Package language is the language of rules' conditions: expressions of github.com/expr-lang/expr with numbers that
// have units, and with functions of the user. The packages that judge conditions define the names.
package language
