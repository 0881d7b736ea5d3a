//go:build !linux

package process

func (*MachineFacts) read() {}

// Load is not known here.
func Load() float64 { return -1 }

// Free is not known here.
func Free(string) int64 { return -1 }
