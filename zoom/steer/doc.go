// Package steer is a registry of the objects in a running solver that can be read and changed, and of the commands that
// do so. Its terms are Falcon's (Gu, Eisenhauer, Schwan: On-line monitoring and steering of parallel programs,
// Concurrency: Practice and Experience 10, 1998) and Progress (Vetter, Schwan: Progress, a toolkit for interactive
// program steering, ICPP 1995), both of Georgia Tech.
//
// A solver registers [Object] values, each with a binding to its own variables. It calls [Registry.Armed] at its safe
// points: once an iteration, where all its threads wait and its state is consistent. Armed is one atomic load. If it
// reports true the solver calls [Registry.Obey], in which its own thread applies the commands. So a binding needs no
// lock, unless its object may be probed.
//
//	sense    a copy of a value, made at a safe point
//	read     a probe: a value read at once, at any time; only for objects without races
//	write    a probe that writes
//	actuate  a change at a safe point: precondition, change, postcondition; rolled back if that fails
//	call     of a registered function, at a safe point or beside the solver
//
// Commands arrive by [Registry.Submit]. Receipts report their fate: refused, or accepted and then armed, applied,
// rolled back, overtaken, expired or late. Commands due at the same safe point are applied in the order of arrival.
//
// The road of a command, and of its receipts back, file by file:
//
//	words of the command line, a page, script  cmd/peregrine/steer, executive/view/web, script
//	  client.Order, of a run: RunCommand       client/give.go
//	    its JSON in a call Steer               zoom/plugin/steerclient.go
//	      the run's process                    zoom/plugin/steered.go
//	        pending, with its targets          submit.go
//	          the solver's thread              safepoint.go
//	            objects change                 apply.go
//	          event.Receipt                    watchdog/event/receipt.go
//	    its JSON, during the streaming call    zoom/plugin/steerclient.go
//	  cli.Receipt, with study and run          cmd/peregrine/cli/receipt.go
package steer
