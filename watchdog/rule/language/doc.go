// Package language is the language of rules' conditions: expressions of github.com/expr-lang/expr with numbers that
// have units, and with functions of the user's. What names mean is known where conditions are judged.
package language
