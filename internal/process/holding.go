package process

import "time"

// Usage is the use of resources of a process until now.
type Usage struct {
	CPU      time.Duration // its own, and of processes that it started and has waited for
	Memory   int64         // its peak, without that of processes that it started, bytes
	Resident int64         // its present memory, bytes
}

// File identifies a file on this machine.
type File struct{ device, inode uint64 }
