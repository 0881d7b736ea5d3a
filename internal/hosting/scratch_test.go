package hosting

import (
	"os"
	"testing"
)

// What a sweep costs a process that has a thousand relays.
func BenchmarkSweep(b *testing.B) {
	for range 1000 {
		dir, err := MakeScratch()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = os.Remove(dir) })
	}
	for b.Loop() {
		Sweep()
	}
}
