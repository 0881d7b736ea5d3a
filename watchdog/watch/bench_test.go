package watch

import (
	"path/filepath"
	"testing"
)

// BenchmarkOnce judges a log of OpenFOAM's: parsing, and the state at every fiftieth part of the run.
func BenchmarkOnce(b *testing.B) {
	text := log(20000, 0.0001, "1e-4", ends)
	path := write(b, filepath.Join(b.TempDir(), "log"), text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Once([]string{path}, Options{}, func(Line) {}); err != nil {
			b.Fatal(err)
		}
	}
}
