package hosting

import (
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
)

// What a sweep costs a process that has a thousand relays.
func BenchmarkSweep(b *testing.B) {
	for range 1000 {
		dir := must.Value(MakeScratch())(b)
		b.Cleanup(func() { _ = os.Remove(dir) })
	}
	for b.Loop() {
		Sweep()
	}
}
