package process

import "time"

// Usage is what a process has used until now.
type Usage struct {
	CPU      time.Duration // of its own and of processes that it started and has waited for
	Memory   int64         // the most that it held at a time, without that of processes which it started, bytes
	Resident int64         // what it holds, bytes
}
