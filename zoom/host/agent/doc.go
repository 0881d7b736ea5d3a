// Package agent carries plugins and watchdogs of another machine to a host. A relay is a process on that machine, one
// for each node of a block. It starts what the host orders, each in a process group of its own, and passes
// connections, standard output, signals and files through one connection, which it opens to the host: no node listens
// on a network.
//
//	host                                                      node
//	Node --- yamux over TLS 1.3, or over ssh's pipes --- Relay --- process group (solver, watchdog)
//	  |                                                    |            |
//	  +--- mTLS of go-plugin, end to end ------------------+-- socket --+
//
// A host that is reached by something else, as by ssh, comes to a socket of the relay instead, which only the relay's
// user can open.
//
// The relay cannot read what host and plugin say to each other, and knows neither solvers nor runs.
//
// # Lifetimes
//
// Both sides send heartbeats and give the other up after a time of silence, the lease, also where the connection does
// not break: a machine that hangs or a network that loses every packet breaks nothing. A relay without a host closes
// the connections of its processes, which end by the terms of their own leases, and waits for another host of the
// same study. It ends when none came within the grace time and nothing that it started is left, when a host dismisses
// it, or with its block.
//
// A Node that was given up stays so: what comes from it later goes nowhere.
package agent
