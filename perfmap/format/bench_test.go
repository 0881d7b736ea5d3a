package format

import (
	"bytes"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/perfmaptest"
)

// BenchmarkRead measures reading a fan map (5 tables of 13 x 21 values) from
// its file's content, checks and preparation included.
func BenchmarkRead(b *testing.B) {
	m := perfmaptest.Fan(b, perfmap.Monotone)
	var text bytes.Buffer
	must.OK(b, native{}.Write(&text, m))
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text.Bytes(), "fan.map"); err != nil {
			b.Fatal(err)
		}
	}
}
