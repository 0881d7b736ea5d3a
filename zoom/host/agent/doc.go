// Package agent connects plugins and watchdogs on another machine to a host. A relay is a process on that machine, one
// for each node of a block. It starts the processes that the host orders, each in a process group of its own. It passes
// connections, standard output, signals and files through one connection, which it opens to the host: no node listens
// on a network.
//
//	host                                                      node
//	Node --- yamux over TLS 1.3, or over ssh's pipes --- Relay --- process group (solver, watchdog)
//	  |                                                    |            |
//	  +--- mTLS of go-plugin, end to end ------------------+-- socket --+
//
// A host that connects by other means, such as ssh, uses a socket of the relay instead, which only the relay's user can
// open.
//
// The relay cannot read the messages between host and plugin, and knows neither solvers nor runs.
//
// # Lifetimes
//
// Both sides send heartbeats. Each gives the other up after a time of silence, the lease, even if the connection is not
// broken: a hanging machine or a network that loses every packet breaks no connection. A relay without a host closes
// the connections of its processes, which end by the terms of their own leases, and waits for another host of the same
// study. It ends when a host dismisses it, with its block, or after the grace time without a host if all its processes
// have ended.
//
// A Node that was given up is never used again: its later messages are dropped.
package agent
