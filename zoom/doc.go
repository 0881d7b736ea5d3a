// Package zoom lets a component's answer come from runs of a flow solver.
//
// A solver is a plugin: a process of its own that package plugin describes. This
// package starts such processes, many at once, hands each an operating point,
// watches it, stops it when it must, says how it ended, and keeps all that
// happened in a folder per run. Around that stand the pieces that join a 1-D
// engine model to a flow field: radial profiles at the boundary that integrate
// to the 1-D state, and averages that bring the flow field back to 1-D values.
//
//	Job -> Pool -> Process (plugin) -> Outcome
//	         |        |
//	         |        +-> run folder: request, process, events, log, result
//	         +-> events: observer, Watcher (files), Monitor (may stop a run)
//
// Study puts a cache in front of the pool, so that nothing is run twice.
package zoom
