// Package proto is the protocol between a host and its relay on a node, generated from relay.proto.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative relay.proto
