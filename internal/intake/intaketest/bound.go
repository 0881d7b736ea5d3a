// Package intaketest holds readers to bounds of memory and of time on processors, for fuzz tests. The
// time that passes depends on what else the machine does; that a reader waits for ever is for go test
// to find.
package intaketest

import (
	"runtime/metrics"
	"testing"
	"time"
)

// Bounds of what a reader takes for size bytes. Real files take some hundred bytes a byte;
// the rest is for what a process does besides, and for slow machines.
const (
	leastMemory = 64 << 20
	memory      = 4 << 10 // bytes allocated a byte read, most of them free again
	leastTime   = 10 * time.Second
)

// Bounded reads size bytes by read, which must not take more memory and time than in proportion.
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

// allocated is what the process has allocated so far, bytes.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
