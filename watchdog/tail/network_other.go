//go:build !linux

package tail

// network is not known here: what is right there is right everywhere.
func network(string) bool { return true }
