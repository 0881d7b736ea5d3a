// Package proto is the protocol between a host and its watchdog process,
// generated from watchdog.proto.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative -I. -I../event/proto watchdog.proto
