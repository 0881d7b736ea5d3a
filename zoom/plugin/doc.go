// Package plugin makes a flow solver a plugin: a process that Peregrine starts for each run.
//
// A solver is a type with two methods: Describe returns its inputs, outputs and files; Run computes one operating point
// and reports its progress. Its main program is one call:
//
//	func main() { plugin.Serve(mysolver.New()) }
//
// The package does the rest: the handshake, encryption, the stream of events, pause and stop, and an orderly end when
// the host dies. Solvers in other languages implement the protocol of proto/solver.proto, which documents everything
// that they need.
//
// Client is the host's side of the protocol. This package defines everything on which both sides must agree: names and
// checks of values, the handshake, the files of a run folder.
package plugin

//go:generate protoc --go_out=proto --go_opt=paths=source_relative --go-grpc_out=proto --go-grpc_opt=paths=source_relative -Iproto -I../../watchdog/event/proto solver.proto
