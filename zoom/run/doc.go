// Package run makes runs of flow solvers. A solver is a plugin: a separate process that
// speaks the protocol of package plugin. This package starts such processes, several at a
// time, sends each one request, watches it, stops it if necessary, classifies how it ended,
// and records everything in one folder per run.
//
//	Job -> Pool -> Process (plugin) -> Outcome
//	         |        |
//	         |        +-> run folder: request, process, events, log, result
//	         +-> events: observer, Watcher (files), Monitor (may stop a run)
//
// Study puts a cache in front of the pool, so that no request is run twice.
package run
