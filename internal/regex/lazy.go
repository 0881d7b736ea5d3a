// Package regex has regular expressions that are compiled when they are first used. Compiled while packages are
// initialised, the expressions of the whole program would cost each process, of each run, milliseconds.
package regex

import (
	"regexp"
	"sync"
)

// Lazy returns a function that returns the compiled expression. The function panics if text is not an expression.
func Lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
