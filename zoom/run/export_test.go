package run

import "github.com/peregrine-sim/peregrine/zoom/run/local"

// Scratch is the folder for sockets of a host with the launcher local, which tests look into.
func (h *Host) Scratch() string { return h.launcher.(*local.Launcher).Scratch() }
