// Package plugin is the kit with which a flow solver becomes a plugin.
//
// A solver is a type with two methods: Describe says what it takes, gives and
// writes, Run computes one operating point and tells how it goes. Its main
// program is one call:
//
//	func main() { plugin.Serve(mysolver.New()) }
//
// The kit does the rest: the handshake, encryption, the stream of events, pause
// and stop, and an orderly end when the host dies. Solvers in other languages
// speak the protocol of proto/solver.proto, which says all that they need.
//
// The host's side of the same protocol is Client. Everything that both sides
// must agree on is here and nowhere else: names and checks of values, the
// handshake, the files of a run folder.
package plugin

//go:generate protoc --go_out=proto --go_opt=paths=source_relative --go-grpc_out=proto --go-grpc_opt=paths=source_relative -Iproto -I../../watchdog/event/proto solver.proto
