// Package sound makes the messages of a trace audible, as ParaGraph's successors did (J. M. Francioni, J. A. Jackson
// and L. Albright, The sounds of parallel programs, 1991). It writes Sun's .au: 8000 samples a second, 8 bits each by
// the mu-law of ITU-T G.711, one channel.
package sound

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Rate is the number of samples of a second.
const Rate = 8000

// Mode is what sounds.
type Mode string

const (
	Send    Mode = "send"    // the tone of the sender of the latest message that is under way
	SendMix Mode = "sendmix" // the tones of the senders of all messages that are under way
	SendNum Mode = "sendnum" // a tone that is higher for more messages that are under way
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Send, SendMix, SendNum} }

// MostLength is the longest sound, s.
const MostLength = 3600

// Write writes the sound of a trace, of a length in s. Its times are in proportion to those of the trace. A message is
// under way from the begin of its send to the end of its receive.
func Write(w io.Writer, s *trace.Stats, mode Mode, length float64) error {
	switch {
	case !slices.Contains(Modes(), mode):
		return fmt.Errorf("unknown sound %q; the sounds are %s", mode, strings.Join([]string{string(Send),
			string(SendMix), string(SendNum)}, ", "))
	case !(length > 0 && length <= MostLength):
		return fmt.Errorf("a sound of %v s; its length is up to %d s", length, MostLength)
	}
	samples := int(math.Round(length * Rate))
	out := bufio.NewWriter(w)
	head := []byte(".snd")
	for _, x := range []uint32{24, uint32(samples), 1, Rate, 1} { // of the header, of the data; mu-law; rate, channels
		head = binary.BigEndian.AppendUint32(head, x)
	}
	if _, err := out.Write(head); err != nil {
		return err
	}
	senders := slices.SortedFunc(maps.Keys(s.Processes), trace.ProcessNumber)
	pitch := map[string]float64{}
	for i, name := range senders {
		pitch[name] = tone(i)
	}
	ends := slices.Clone(s.Messages)
	slices.SortStableFunc(ends, func(a, b trace.Message) int { return cmp.Compare(a.Sent, b.Sent) })
	var under []trace.Message // that are under way
	phase := map[float64]float64{}
	for i, next := 0, 0; i < samples; i++ {
		at := s.Begin + s.Span*float64(i)/float64(samples)
		for ; next < len(ends) && ends[next].Sent <= at; next++ {
			under = append(under, ends[next])
		}
		under = slices.DeleteFunc(under, func(m trace.Message) bool { return m.Received <= at })
		var tones []float64
		switch {
		case len(under) == 0:
		case mode == Send:
			tones = []float64{pitch[under[len(under)-1].From]}
		case mode == SendNum:
			tones = []float64{tone(len(under) - 1)}
		default:
			for _, m := range under {
				tones = append(tones, pitch[m.From])
			}
			slices.Sort(tones)
			tones = slices.Compact(tones)
		}
		sum := 0.0
		for _, f := range tones {
			phase[f] = math.Mod(phase[f]+2*math.Pi*f/Rate, 2*math.Pi)
			sum += math.Sin(phase[f])
		}
		if err := out.WriteByte(muLaw(0.8 * sum / math.Max(1, float64(len(tones))))); err != nil {
			return err
		}
	}
	return out.Flush()
}

// tone is the frequency of a number, Hz: steps of the scale of A minor pentatonic, up to three octaves and again.
func tone(i int) float64 {
	steps := [...]int{0, 3, 5, 7, 10}
	i %= 3 * len(steps)
	return 220 * math.Exp2(float64(12*(i/len(steps))+steps[i%len(steps)])/12)
}

// muLaw encodes a sample of -1 to 1 by G.711.
func muLaw(x float64) byte {
	const bias, most = 0x84, 32635
	sign := byte(0)
	if x < 0 {
		sign, x = 0x80, -x
	}
	n := int(min(x*32767, most)) + bias
	exponent := 7
	for mask := 0x4000; exponent > 0 && n&mask == 0; mask >>= 1 {
		exponent--
	}
	return ^(sign | byte(exponent<<4) | byte(n>>(exponent+3)&0xf))
}
