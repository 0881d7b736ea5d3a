package perfmap

import (
	"bytes"
	"testing"
)

func benchFan(b testing.TB, interp Interp) *Map {
	m, err := MakeCompressor(CompressorShape{Name: "fan", PR: 1.68, Eff: 0.888, Wc: 643.7, Core: &CoreShape{PR: 1.55, Eff: 0.9}})
	if err != nil {
		b.Fatal(err)
	}
	m.Interp = interp
	if m, err = New(*m); err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkAt measures one lookup of all five tables of a fan map (13 speed
// lines x 21 R-lines) with their derivatives. The target is under 300 ns and
// no allocation.
func BenchmarkAt(b *testing.B) {
	places := map[string]Point{"inside": {Nc: 0.937, X: 1.83}, "outside": {Nc: 1.2, X: 0.9}}
	for _, interp := range []Interp{Monotone, Linear, Lagrange2, Lagrange3} {
		for name, p := range places {
			b.Run(string(interp)+"/"+name, func(b *testing.B) {
				m := benchFan(b, interp)
				out := make([]Value, len(m.Tables))
				b.ReportAllocs()
				for b.Loop() {
					m.At(0, p.Nc, p.X, out)
				}
			})
		}
	}
}

// BenchmarkStallMargins measures both stall margins of one point.
func BenchmarkStallMargins(b *testing.B) {
	m := benchFan(b, Monotone)
	b.ReportAllocs()
	for b.Loop() {
		m.StallMargins(0, 0.937, 1.83)
	}
}

// BenchmarkNew measures the check and preparation of a fan map.
func BenchmarkNew(b *testing.B) {
	m := benchFan(b, Monotone)
	for b.Loop() {
		if _, err := New(*m); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLookupMakesNoGarbage(t *testing.T) {
	for _, interp := range []Interp{Monotone, Linear, Lagrange2, Lagrange3} {
		m := benchFan(t, interp)
		out := make([]Value, len(m.Tables))
		if n := testing.AllocsPerRun(100, func() { m.At(0, 0.937, 1.83, out); m.At(0, 1.3, 0.5, out) }); n != 0 {
			t.Errorf("%s: %g allocations", interp, n)
		}
		if n := testing.AllocsPerRun(10, func() { m.StallMargins(0, 0.937, 1.83) }); n != 0 {
			t.Errorf("%s: %g allocations for the stall margins", interp, n)
		}
	}
}

// BenchmarkRead measures reading a fan map (5 tables of 13 x 21 values) from
// its file's content, checks and preparation included.
func BenchmarkRead(b *testing.B) {
	m := benchFan(b, Monotone)
	var text bytes.Buffer
	if err := writeNative(&text, m); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text.Bytes(), "fan.map"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMake measures making a fan map from its design point.
func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		benchFan(b, Monotone)
	}
}
