// Package run makes runs of flow solvers. A solver is a plugin: a process of its own
// that package plugin describes. This package starts such processes, many at once, hands
// each a request, watches it, stops it when it must, says how it ended, and keeps all that
// happened in a folder per run.
//
//	Job -> Pool -> Process (plugin) -> Outcome
//	         |        |
//	         |        +-> run folder: request, process, events, log, result
//	         +-> events: observer, Watcher (files), Monitor (may stop a run)
//
// Study puts a cache in front of the pool, so that nothing is run twice.
package run
