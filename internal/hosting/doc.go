// Package hosting starts go-plugin processes for a host and is their other end in the
// process. It knows neither flow solvers nor watchdogs: whoever uses it brings a handshake and
// a gRPC service, and gets a connection.
//
//	Host.Start -> Process --- mTLS on a unix socket --- Serve <- main of the plugin
//	                 |                                    |
//	          process group, log                  Lease: is there a host?
//
// # Lifetimes
//
// A Host keeps certificates, which outlive it in their folder, and a scratch folder for
// sockets, which goes with Close. A Process lives until it ends by itself or Stop ends it, with
// everything that it has started. When the host dies in any way, the plugin notices by its Lease
// and removes its socket and, as the last one, the scratch folder. What is left when both were
// killed at once, the next Host sweeps.
//
// What a process is to the operating system package process says; commands and sockets
// are known here and to nobody else.
package hosting
