// Package proto is an event as it travels between processes, generated from event.proto.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative event.proto
