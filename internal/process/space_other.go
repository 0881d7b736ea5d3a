//go:build !linux

package process

// Stopped is not known on this system.
func (id ID) Stopped() bool { return false }

// Space is unknown on this system: its processes have one set of numbers.
func Space() string { return "" }
