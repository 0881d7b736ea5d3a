// Package solver serves the flow solvers that come with the program as plugins: what they
// take, what they give, and how they are held, saved and resumed. Its Registry knows them and the
// user's own by name.
//
// # What answers are kept under
//
// An answer of a solver of the user's own is kept under the content of its program's files,
// its arguments, its variables and the version that the user states. One of a built-in solver is kept
// under the version of its code, which stands in builtin.go beside a hash of that code, and
// under the compiler, the processor and the settings of the build by which instructions are chosen.
// Programs that embed the solvers thus share a cache, and a new build does not begin from nothing.
//
// The price: whoever changes the code must say, by raising the version or not, whether an answer may
// change by a bit. A test fails until he has. If he is wrong, old answers pass for new ones until
// the version rises; the results stored bit by bit for the command line's tests are the net below.
package solver
