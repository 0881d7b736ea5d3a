// Package zoom replaces the behaviour of a component by that of a flow solver's runs. It plans the runs, gives the
// solver inlet profiles whose averages are the engine's 1-D state, averages the computed flow back to 1-D values, and
// makes of them a map or a model that the engine is solved on.
//
//	operating points -> plan -> runs -> study.Study -> outcomes -> ledger -> map, or model -> engine -> operating points
//
// Planning is in steps that make no runs: a plan turns operating points and the outcomes so far into requests; outcomes
// are entered into a ledger (ledger.go), which knows each run's answer, why it has none, and whether it counts. Only
// ledger.evaluate, and answers of earlier studies that a cache has lost (reuse.go), have runs made. Three plans have a
// ledger; they differ in where runs are made, when there are enough, and what the answers make:
//
//	            runs                          until                            make
//	Grid        on speed lines and throttles  all operating points lie within  a map that interpolates them
//	            of a fixed lattice            the map
//	Rounds      where the engine works, or    the engine's results are known   a Response: a Gaussian process
//	            all over a map                to the error that is wanted      (package surrogate)
//	Ends        towards stall and choke of    each end is between two runs of  a stall line on the Response
//	            speed lines (stallsearch)     nearly the same throttle
//
// A run without an answer is missing, unless its failure is what was to be found out: that a line ends before it, that
// no flow is steady at an end, that the machine has no such design flow. The error at a point is the largest of what
// the answers leave open between them, what their runs had not settled, and what mass and energy do not balance
// (causes.go for Rounds, griderror.go for a Grid).
//
// Rounds use what is there: the engine's own map (method.go), cheaper solvers (prior.go), solutions of neighbouring
// runs (restart.go), and answers that earlier studies of the same machine left in the cache (reuse.go). A study that
// finds all that it requests in the cache takes nothing else from there, so that the same command has the same answer
// to the last bit, the second time without a run, whatever other studies have left meanwhile.
//
// Package machine has the kinds of components: what their runs are given, and what their answers are. Package
// executive/zoomsolve solves the engine in turn with these plans. Package run makes the runs, package plugin defines
// the protocol between host and solver, and package solver holds the built-in solvers.
package zoom
