package run

import "github.com/peregrine-sim/peregrine/zoom/host/local"

// Scratch returns the folder for sockets of a host with the launcher local.
func (h *Host) Scratch() string { return h.launcher.(*local.Launcher).Scratch() }
