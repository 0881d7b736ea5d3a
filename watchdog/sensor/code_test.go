package sensor

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// drawOrigins returns some of which several may share a sensor.
func drawOrigins(t *rapid.T) []*Origin {
	text := rapid.StringN(0, 10, 40)
	var specs []*Spec
	for range rapid.IntRange(1, 3).Draw(t, "sensors") {
		s := Spec{Name: "s" + text.Draw(t, "name"), Kind: Tracing, Every: rapid.IntRange(0, 2).Draw(t, "every")}
		for k := range rapid.IntRange(1, 8).Draw(t, "fields") {
			s.Fields = append(s.Fields, Field{Name: string(rune('a' + k)), Unit: text.Draw(t, "unit")})
		}
		switch s.Kind = rapid.SampledFrom(recording.Kinds()).Draw(t, "kind"); s.Kind {
		case Region, Fork, Join:
			s.Fields = nil
		case Send, Receive:
			s.Fields = MessageFields()
		case Marker:
			s.Fields = s.Fields[:1]
			s.Fields[0].Form = rapid.SampledFrom(append(forms, "")).Draw(t, "form")
		}
		specs = append(specs, &s)
	}
	var list []*Origin
	for k := range rapid.IntRange(1, 5).Draw(t, "origins") {
		list = append(list, &Origin{Spec: specs[k%len(specs)], Run: text.Draw(t, "run"),
			Thread: text.Draw(t, "thread"), Block: text.Draw(t, "block"), Peer: text.Draw(t, "peer"),
			Type: rapid.Int64().Draw(t, "type")})
	}
	return list
}

func drawBatches(t *rapid.T) []Batch {
	from, numbers, text := drawOrigins(t), map[*Origin]uint64{}, rapid.StringN(0, 10, 40)
	at := start
	var list []Batch
	for range rapid.IntRange(1, 5).Draw(t, "batches") {
		var b Batch
		if rapid.Bool().Draw(t, "event") {
			b.Events = []event.Event{
				{Source: event.Plugin, Kind: event.Rate, Time: at, Text: rapid.String().Draw(t, "text")},
			}
		}
		for range rapid.IntRange(0, 10).Draw(t, "records") {
			o := rapid.SampledFrom(from).Draw(t, "from")
			numbers[o] += rapid.Uint64Range(1, 1000).Draw(t, "step")
			at = at.Add(time.Duration(rapid.Int64Range(-1e3, 1e9).Draw(t, "passed")))
			r := Record{From: o, Time: at, Sequence: numbers[o]}
			switch form := o.form(); {
			case form == Text:
				r.Text = text.Draw(t, "text")
			case form != "" && form != Float32:
				r.Int = rapid.Int64().Draw(t, "int")
			}
			for range o.Spec.Fields {
				x := rapid.OneOf(rapid.Float64(), rapid.Just(math.Inf(-1))).Draw(t, "x")
				if o.form() == Float32 {
					x = float64(float32(x))
				}
				if o.form() == "" || o.form() == Float32 {
					r.Values = append(r.Values, x)
				}
			}
			if o.Spec.Kind != Tracing && o.Spec.Kind != Marker {
				r.Step = Step(rapid.IntRange(0, int(Called)).Draw(t, "step"))
			}
			b.Records = append(b.Records, r)
		}
		list = append(list, b)
	}
	return list
}

// encode returns the binary form of batches.
func encode(t must.T, list []Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	for _, b := range list {
		must.OK(t, w.Write(b))
	}
	return out.Bytes()
}

// What was written is read, batch by batch, to the bit.
func TestBinaryForm(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		want := drawBatches(t)
		k := 0
		must.OK(t, NewReader(iotest.OneByteReader(bytes.NewReader(encode(t, want)))).Read(func(got Batch) error {
			w := want[k]
			if len(got.Records) == 0 {
				got.Records = nil
			}
			for i := range got.Records {
				if len(got.Records[i].Values) == 0 {
					got.Records[i].Values = nil
				}
			}
			for i := range w.Events { // JSON has one replacement for all that is not UTF-8
				w.Events[i].Text = strings.ToValidUTF8(w.Events[i].Text, "\uFFFD")
			}
			if diff := cmp.Diff(w, got); diff != "" {
				t.Fatalf("batch %d: %s", k, diff)
			}
			k++
			return nil
		}))
		must.Equal(t, len(want), k)
	})
}

// A stream that was cut gives what was whole, in order, and says where it was cut.
func TestCutStream(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		list := drawBatches(t)
		whole := encode(t, list)
		var want, got []event.Event
		for _, b := range list {
			want = slices.AppendSeq(want, b.All())
		}
		cut := rapid.IntRange(0, len(whole)-1).Draw(t, "cut")
		err := NewReader(bytes.NewReader(whole[:cut])).Events(func(e event.Event) error {
			got = append(got, e)
			return nil
		})
		var bad *CodeError
		if err != nil && (!errors.As(err, &bad) || !errors.Is(err, io.ErrUnexpectedEOF) || bad.Offset > int64(cut)) {
			t.Fatalf("error %v", err)
		}
		if len(got) > len(want) {
			t.Fatalf("%d records of %d", len(got), len(want))
		}
		for k, e := range got {
			want[k].Text = strings.ToValidUTF8(want[k].Text, "\uFFFD")
			must.Equal(t, want[k], e)
		}
	})
}

// A record of 64 bytes takes little more.
func TestBinaryFormIsCompact(t *testing.T) {
	o := &Origin{Spec: &Spec{Name: "s", Kind: Tracing, Fields: eight}, Run: "run", Thread: "t"}
	var b Batch
	for n := range 1000 {
		b.Records = append(b.Records, Record{From: o, Time: start.Add(time.Duration(n) * time.Millisecond),
			Sequence: uint64(n + 1), Values: make([]float64, 8)})
	}
	if size := len(encode(t, []Batch{b})); size > 72*1000 {
		t.Errorf("%d bytes for 1000 records of 64", size)
	}
}

func TestBadStreams(t *testing.T) {
	head := "PSR1\x01\x3a" + `{"name":"s","kind":"tracing","fields":[{"name":"x"}]}     ` + "\x02\x00\x00\x00\x00"
	for text, want := range map[string]string{
		"PSR2":                 `it begins with "PSR2", not with "PSR1"`,
		"PSR1\x19":             "there is no frame 25",
		"PSR1\x02\x00":         "an origin of sensor 0; 0 have been declared",
		"PSR1\x03\x07":         "a record of origin 7; 0 have been named",
		"PSR1\x01\x02{}":       `sensor "": its name has 0 bytes`,
		"PSR1\x01\x02{,":       "invalid character",
		"PSR1\x05\xff\xff\x7f": "a text of 2097151 bytes; at most 1048576 are allowed",
		head + "\x03\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00": "a record behind 18446744073709551615 " +
			"missing ones",
		head + "\x03\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x09": "overflows",
		head + "\x03\x00\x00\x00\x00\x00\x00":                         io.ErrUnexpectedEOF.Error(),
	} {
		err := collect([]byte(text), &kept{})
		if _, ok := errors.AsType[*CodeError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	broken := errors.New("no route")
	ignored := func(Batch) error { return nil }
	if err := NewReader(iotest.ErrReader(broken)).Read(ignored); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	// A program of an older version counts lost records, and says more of a sensor.
	spec := `{"name":"s","kind":"tracing","fields":[{"name":"x"}],"full":"drop","event":"sensed"}`
	old := "PSR1\x01" + string(rune(len(spec))) + spec + "\x02\x00\x00\x00\x00" + "\x04\x05" + "\x03\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x06"
	if err := NewReader(strings.NewReader(old)).Events(func(e event.Event) error {
		must.Equal(t, 1.0, e.Values["x"])
		return broken
	}); err != broken {
		t.Errorf("error %v of the function", err)
	}
}

// Whatever is called a stream of records, it is read in bounded memory, what is read is an event, and can be
// written and read again.
func FuzzRecords(f *testing.F) {
	o := &Origin{Spec: &Spec{Name: "s", Kind: Tracing, Fields: pair[:1]}, Run: "a", Thread: "0"}
	one := Batch{Records: []Record{{From: o, Time: start, Sequence: 1, Values: []float64{1}}}}
	f.Add(encode(f, []Batch{one, {Events: []event.Event{{Kind: event.Rate}}}}))
	f.Add([]byte("PSR1\x01\x3a" + `{"name":"s","kind":"tracing","fields":[{"name":"x"}]}     ` +
		"\x02\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			var got, reread kept
			if err := collect(data, &got); err != nil && !errors.As(err, new(*CodeError)) {
				t.Fatal(err)
			}
			for i := range got.records {
				if e := got.records[i].Event(); len(e.Values)+len(e.NonFinite) != len(got.records[i].Values) {
					t.Fatalf("%+v is the event of %+v", e, got.records[i])
				}
			}
			b := encode(t, []Batch{{Records: got.records}})
			if err := collect(b, &reread); err != nil || len(reread.records) != len(got.records) {
				t.Fatalf("%d of %d records were read again: %v", len(reread.records), len(got.records), err)
			}
		})
	})
}

// collect reads a stream.
func collect(data []byte, into *kept) error {
	return NewReader(bytes.NewReader(data)).Read(func(b Batch) error {
		into.take(b)
		return nil
	})
}
