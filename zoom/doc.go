// Package zoom replaces the behaviour of a component by that of a flow solver's runs. It plans the runs and gives the
// solver inlet profiles whose averages are the engine's 1-D state. It averages the computed flow back to 1-D values and
// turns them into a map or a model, on which the engine is solved.
//
//	operating points -> plan -> runs -> study.Study -> outcomes -> ledger -> map, or model -> engine -> operating points
//
// Planning makes no runs: a plan turns operating points and the outcomes so far into requests. Outcomes are entered
// into a ledger (ledger.go). The ledger knows the answer of each run, the reason for a missing answer, and whether the
// answer counts: a command may exclude it. Only ledger.evaluate has runs made, and reuse.go for answers of earlier
// studies that a cache has lost. The Account of a plan (account.go) reports its runs. Three plans have a ledger; they
// differ in the places of their runs, in the end of planning and in the product of the answers:
//
//	            runs                          until                            make
//	Grid        on speed lines and throttles  all operating points lie within  a map that interpolates them
//	            of a fixed lattice            the map
//	Rounds      where the engine works, or    the engine's results are known   a Response: a Gaussian process
//	            all over a map                to the error that is wanted      (package surrogate)
//	Ends        towards stall and choke of    each end is between two runs of  a stall line on the Response
//	            speed lines (stallsearch)     nearly the same throttle
//
// A run whose answer does not count is missing, unless its failure is the result that was sought: the line ends before
// it, no flow is steady at an end, or the machine has no such design flow. The error at a point is the largest of three
// parts: the uncertainty between the answers, the rest that their runs had not settled, and the imbalance of mass and
// energy (causes.go for Rounds, griderror.go for a Grid).
//
// Rounds use available knowledge: the engine's own map (method.go), cheaper solvers (prior.go), solutions of
// neighbouring runs (restart.go), and answers that earlier studies of the same machine left in the cache (reuse.go). A
// study that finds all its requests in the cache takes no other answers from the cache. So a repeated command makes no
// run and has the same answer to the last bit, whatever other studies have left meanwhile.
//
// Package machine has the kinds of components: the inputs of their runs and the meaning of their answers. Package
// executive/zoomsolve solves the engine in turn with these plans. Package run makes the runs, package plugin defines
// the protocol between host and solver, and package solver holds the built-in solvers.
package zoom
