//go:build !linux

package process

// Children is not known on this system.
func Children(int) bool { return false }

// Used is not known on this system.
func Used(int) Usage { return Usage{} }
