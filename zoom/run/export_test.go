package run

// Scratch is the folder for sockets, which tests look into.
func (h *Host) Scratch() string { return h.scratch }
