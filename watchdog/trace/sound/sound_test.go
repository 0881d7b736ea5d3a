package sound

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// stats has a message of a in the first half of the time, and one of b in the second quarter.
func stats() *trace.Stats {
	return trace.Analyse([]trace.Record{
		{Time: 0, Process: "a", Kind: trace.Send, From: "a", To: "b"},
		{Time: 1, Process: "b", Kind: trace.Send, From: "b", To: "a"},
		{Time: 2, Process: "a", Kind: trace.Receive, From: "b", To: "a"},
		{Time: 2, Process: "b", Kind: trace.Receive, From: "a", To: "b"},
		{Time: 4, Process: "a", Kind: trace.Marker},
	}, nil)
}

// linear decodes a sample of G.711 to -1 to 1.
func linear(b byte) float64 {
	b = ^b
	x := float64(((int(b&0xf)<<3)+0x84)<<(b>>4&7)-0x84) / 32767
	if b&0x80 != 0 {
		return -x
	}
	return x
}

// power is the power of a frequency in samples.
func power(samples []byte, f float64) float64 {
	sin, cos := 0.0, 0.0
	for i, b := range samples {
		s, c := math.Sincos(2 * math.Pi * f * float64(i) / Rate)
		sin, cos = sin+s*linear(b), cos+c*linear(b)
	}
	return math.Hypot(sin, cos) / float64(len(samples))
}

// The tones are those of the messages under way, and there is silence when there is none.
func TestTones(t *testing.T) {
	a, b := tone(0), tone(1)
	for mode, want := range map[Mode][3][]float64{ // in the first, second and third quarter
		Send: {{a}, {b}, {}}, SendMix: {{a}, {a, b}, {}}, SendNum: {{a}, {b}, {}},
	} {
		var out bytes.Buffer
		must.OK(t, Write(&out, stats(), mode, 1))
		text := out.Bytes()
		if string(text[:4]) != ".snd" || binary.BigEndian.Uint32(text[8:]) != Rate || len(text) != 24+Rate {
			t.Fatalf("%s: %d bytes, %q", mode, len(text), text[:24])
		}
		for quarter, tones := range want {
			part := text[24+quarter*Rate/4 : 24+(quarter+1)*Rate/4]
			for _, f := range []float64{a, b} {
				sounds := false
				for _, w := range tones {
					sounds = sounds || w == f
				}
				if got := power(part, f); (got > 0.15) != sounds {
					t.Errorf("%s, quarter %d: %.0f Hz has %.3f", mode, quarter, f, got)
				}
			}
		}
	}
}

// Decoding gives what was encoded, within a step of the law.
func TestMuLaw(t *testing.T) {
	for x := -0.99; x < 1; x += 0.001 {
		if got := linear(muLaw(x)); math.Abs(got-x) > 0.035*math.Abs(x)+0.0003 {
			t.Errorf("%v comes back as %v", x, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, length := range []float64{0, -1, math.NaN(), math.Inf(1), 1e9} {
		if Write(&bytes.Buffer{}, stats(), Send, length) == nil {
			t.Errorf("a length of %v is taken", length)
		}
	}
	if Write(&bytes.Buffer{}, stats(), "drum", 1) == nil {
		t.Error("a drum is played")
	}
}
