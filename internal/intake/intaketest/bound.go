// Package intaketest checks bounds on the memory and processor time of readers, for fuzz tests. Elapsed time depends on
// the load of the machine; a reader that never returns is found by go test.
package intaketest

import (
	"runtime/metrics"
	"testing"
	"time"
)

// Bounds of a reader's use for size bytes. Real files take some hundred bytes a byte; the rest is for other work of the
// process, and for slow machines.
const (
	leastMemory = 64 << 20
	memory      = 4 << 10 // bytes allocated a byte read, most of them free again
	leastTime   = 10 * time.Second
)

// Bounded calls read, which reads size bytes. It fails if the memory and time used are out of proportion.
func Bounded(t testing.TB, size int, read func()) {
	t.Helper()
	before, start := allocated(), used()
	read()
	took, space := used()-start, allocated()-before
	if most := uint64(leastMemory + memory*size); space > most {
		t.Errorf("%d bytes took %d MB, at most %d are allowed", size, space>>20, most>>20)
	}
	if most := leastTime + time.Duration(size)*10*time.Microsecond; took > most {
		t.Errorf("%d bytes took %v of a processor, at most %v are allowed", size, took, most)
	}
}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
