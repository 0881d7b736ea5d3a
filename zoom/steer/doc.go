// Package steer is a registry of what may be seen and changed in a running solver, and of the commands that do so.
// The words are those of Falcon (Gu, Eisenhauer, Schwan: On-line monitoring and steering of parallel programs,
// Concurrency: Practice and Experience 10, 1998) and Progress (Vetter, Schwan: Progress, a toolkit for interactive
// program steering, ICPP 1995), both of Georgia Tech.
//
// A solver registers [Object] values, each with a binding to its own variables. It calls [Registry.Armed] at its safe
// points: once an iteration, where all its threads stand and its state is consistent. That is one atomic load. If it
// reports true the solver calls [Registry.Obey], in which its own thread does what the commands say. So a binding
// needs no lock, unless its object may be probed.
//
//	sense    a copy of a value, made at a safe point
//	read     a probe: a value read at once, whatever the solver does; only where that is free of races
//	write    a probe that writes
//	actuate  a change at a safe point: precondition, change, postcondition; rolled back if that fails
//	call     of a registered function, at a safe point or beside the solver
//
// Commands come by [Registry.Submit]. What becomes of one is reported by receipts: refused, or accepted and then
// armed, applied, rolled back, overtaken, expired or late. Commands that may be done at the same safe point are done
// in the order in which they came.
//
// A command's way, file by file, and that of its receipts back:
//
//	words of the command line                  cmd/peregrine/steer/order.go
//	  Command, of a run: client.RunCommand     client/give.go
//	    its JSON in a call Steer               zoom/plugin/steerclient.go
//	      the run's process                    zoom/plugin/steered.go
//	        pending, with its targets          submit.go
//	          the solver's thread              safepoint.go
//	            objects change                 apply.go
//	          event.Receipt                    watchdog/event/receipt.go
//	    its JSON, as long as the call streams  zoom/plugin/steerclient.go
//	  cli.Receipt, with study and run          cmd/peregrine/cli/receipt.go
package steer
