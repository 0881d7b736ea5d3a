package config_test

import (
	"os"
	"testing"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/must"
)

// BenchmarkParse measures reading and checking an engine file of the size of
// the E3's (16 components, 6 bleeds, 4 cases), per file.
func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("testdata/turbofan.yaml")
	must.OK(b, err)
	cat := catalogue()
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := config.Parse("turbofan.yaml", data, cat, nil); err != nil {
			b.Fatal(err)
		}
	}
}
