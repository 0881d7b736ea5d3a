// Package script runs small programs in Starlark (go.starlark.net) that steer the runs of a study: what to do next
// may depend on what the runs are like, which no list of commands can say.
//
// A script sees the registered objects of the study's runs and nothing else: no files, no network, no other scripts,
// no clock but the time that it may wait. It is bounded in steps, time and output, and ends with its context. It can
// be given by a client, which runs it itself, or be left in the process that works on the study; see [Left].
package script
