// Package hosting starts go-plugin processes for a host and is their other end in the process. It knows neither flow
// solvers nor watchdogs: its user brings a handshake and a gRPC service, and gets a connection.
//
//	Host.Start -> Process --- mTLS on a unix socket --- Serve <- main of the plugin
//	                 |                                    |
//	          process group, log                  Lease: is there a host?
//
// # Lifetimes
//
// A Host keeps certificates, which outlive it in their folder, and a scratch folder for sockets, which Close removes. A
// Process lives until it ends by itself or Stop ends it, with all its descendants. When the host dies in any way, the
// plugin notices by its Lease and removes its socket and, as the last one, the scratch folder. If both were killed at
// once, the next Host removes the rest.
//
// Package process has the operating system's view of a process. Only this package knows commands and sockets.
package hosting
