package tail

// Network reports whether a folder may be on a file system that other machines write to, too.
func Network(folder string) bool { return network(folder) }
