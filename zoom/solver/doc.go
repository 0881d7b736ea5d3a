// Package solver serves the built-in flow solvers as plugins: it describes their inputs and outputs, and lets runs be
// paused, saved and resumed. Its Registry finds built-in and external solvers by name.
//
// # Identity in cache keys
//
// The cache key of an external solver's answer contains the content of its program's files, its arguments, its
// variables and the version that the user states. The key of a built-in solver's answer contains the version of its
// code, which builtin.go keeps beside a hash of that code, and the compiler, the processor and the build settings from
// which the compiler chooses instructions. So all programs with these solvers share a cache, and a new build does not
// start with an empty one.
//
// In return, an author who changes the code must decide whether an answer may change by a bit, and raise the version if
// so. A test fails until the hash is updated. After a wrong decision the cache returns old answers until the version
// rises; the results stored bit by bit for the tests of cmd/peregrine are likely to show that.
package solver
