// Package script runs small programs in Starlark (go.starlark.net) that steer the runs of a study. Unlike a list of
// commands, a script can react to the state of the runs.
//
// A script has access only to the registered objects of the study's runs: not to files, the network, other scripts, or
// any clock but its own waiting time. It is bounded in steps, time and output, and ends with its context. A client can
// run it itself, or leave it in the process that works on the study; see [Left].
package script
