package sensor_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// drawOrigins returns some of which several may share a sensor.
func drawOrigins(t *rapid.T) []*sensor.Origin {
	text := rapid.StringN(0, 10, 40)
	b := sensor.NewBoard(sensor.BoardOptions{})
	var specs []sensor.Spec
	for range rapid.IntRange(1, 3).Draw(t, "sensors") {
		s := sensor.Spec{Name: "s" + text.Draw(t, "name"), Kind: sensor.Tracing, Full: sensor.Drop, Every: 1,
			Event: event.Sensed}
		if rapid.Bool().Draw(t, "counts") {
			s.Kind, s.Filter = sensor.Extended, sensor.Filter{Op: sensor.Histogram, N: 9, Resolution: 1, Greatest: 1000}
		}
		for k := range rapid.IntRange(1, 8).Draw(t, "fields") {
			s.Fields = append(s.Fields, sensor.Field{Name: string(rune('a' + k)), Unit: text.Draw(t, "unit")})
		}
		if err := b.Declare(s); err != nil {
			continue // two of one name
		}
		specs = append(specs, s)
	}
	var list []*sensor.Origin
	for k := range rapid.IntRange(1, 5).Draw(t, "origins") {
		list = append(list, &sensor.Origin{Spec: &specs[k%len(specs)], Run: text.Draw(t, "run"),
			Thread: text.Draw(t, "thread"), Block: text.Draw(t, "block")})
	}
	return list
}

func drawBatches(t *rapid.T) []sensor.Batch {
	from, numbers := drawOrigins(t), map[*sensor.Origin]uint64{}
	at := start
	var list []sensor.Batch
	for range rapid.IntRange(1, 5).Draw(t, "batches") {
		b := sensor.Batch{Lost: rapid.Uint64Range(0, 3).Draw(t, "lost")}
		if rapid.Bool().Draw(t, "event") {
			b.Events = []event.Event{
				{Source: event.Plugin, Kind: event.Rate, Time: at, Text: rapid.String().Draw(t, "text")},
			}
		}
		for range rapid.IntRange(0, 10).Draw(t, "records") {
			o := rapid.SampledFrom(from).Draw(t, "from")
			numbers[o] += rapid.Uint64Range(1, 1000).Draw(t, "step")
			at = at.Add(time.Duration(rapid.Int64Range(-1e3, 1e9).Draw(t, "passed")))
			r := sensor.Record{
				From: o, Time: at, Sequence: numbers[o],
				Perturbation: time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "waited")),
			}
			for range o.Spec.Output() {
				r.Values = append(r.Values, rapid.OneOf(rapid.Float64(), rapid.Just(math.Inf(-1))).Draw(t, "x"))
			}
			b.Records = append(b.Records, r)
		}
		list = append(list, b)
	}
	return list
}

// encode returns the binary form of batches.
func encode(t failing, list []sensor.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	w := sensor.NewWriter(&out)
	for _, b := range list {
		must.OK(t, w.Take(context.Background(), b))
	}
	return out.Bytes()
}

// What was written is read, batch by batch, to the bit.
func TestBinaryForm(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		want := drawBatches(t)
		r := sensor.NewReader(iotest.OneByteReader(bytes.NewReader(encode(t, want))))
		for k, w := range want {
			got := must.Value(r.Read())(t)
			if len(got.Records) == 0 {
				got.Records = nil
			}
			for i := range w.Events { // JSON has one replacement for all that is not UTF-8
				w.Events[i].Text = strings.ToValidUTF8(w.Events[i].Text, "\uFFFD")
			}
			if diff := cmp.Diff(w, got); diff != "" {
				t.Fatalf("batch %d: %s", k, diff)
			}
		}
		if _, err := r.Read(); err != io.EOF {
			t.Fatalf("error %v at the end", err)
		}
	})
}

// A stream that was cut gives what was whole, in order, and says where it was cut.
func TestCutStream(t *testing.T) {
	testenv.Check(t, func(t *rapid.T) {
		list := drawBatches(t)
		whole := encode(t, list)
		var want []sensor.Record
		for _, b := range list {
			want = append(want, b.Records...)
		}
		cut := rapid.IntRange(0, len(whole)-1).Draw(t, "cut")
		var got kept
		err := sensor.NewReader(bytes.NewReader(whole[:cut])).CopyTo(context.Background(), &got)
		var bad *sensor.CodeError
		if err != nil && (!errors.As(err, &bad) || !errors.Is(err, io.ErrUnexpectedEOF) || bad.Offset > int64(cut)) {
			t.Fatalf("error %v", err)
		}
		if len(got.records) > len(want) {
			t.Fatalf("%d records of %d", len(got.records), len(want))
		}
		for k, r := range got.records {
			must.Equal(t, want[k], r)
		}
	})
}

// A record of 64 bytes takes little more.
func TestBinaryFormIsCompact(t *testing.T) {
	o := &sensor.Origin{Spec: &sensor.Spec{Name: "s", Kind: sensor.Tracing, Fields: fields(8)}, Run: "run", Thread: "t"}
	var b sensor.Batch
	for n := range 1000 {
		b.Records = append(b.Records, sensor.Record{From: o, Time: start.Add(time.Duration(n) * time.Millisecond),
			Sequence: uint64(n + 1), Values: make([]float64, 8)})
	}
	if size := len(encode(t, []sensor.Batch{b})); size > 72*1000 {
		t.Errorf("%d bytes for 1000 records of 64", size)
	}
}

func TestBadStreams(t *testing.T) {
	head := "PSR1\x01\x3a" + `{"name":"s","kind":"tracing","fields":[{"name":"x"}]}     ` + "\x02\x00\x00\x00\x00"
	for text, want := range map[string]string{
		"PSR2":                 `it begins with "PSR2", not with "PSR1"`,
		"PSR1\x09":             "there is no frame 9",
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
		_, err := sensor.NewReader(strings.NewReader(text)).Read()
		var bad *sensor.CodeError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	broken := errors.New("no route")
	if _, err := sensor.NewReader(iotest.ErrReader(broken)).Read(); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if err := sensor.NewReader(strings.NewReader(head+"\x04\x05\x06")).CopyTo(t.Context(),
		sensor.Func(func(_ context.Context, b sensor.Batch) error {
			if b.Lost != 5 {
				t.Errorf("%d lost", b.Lost)
			}
			return broken
		})); err != broken {
		t.Errorf("error %v of the sink", err)
	}
}

// A solver that asks for what nobody declared is told what there is.
func TestSolverAsksForUnknown(t *testing.T) {
	b := declare(t, sensor.BoardOptions{}, sensor.Spec{Name: "residual", Kind: sensor.Tracing, Fields: pair})
	defer func() {
		const want = `run fan-1: there is no sensor "residul", did you mean residual?; declare it in the solver's description`
		if got := recover(); got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	b.Solver("fan-1").Sensor("residul", "0", "")
}

// Whatever is called a stream of records, it is read in bounded memory, what is read is an event, and can be
// written and read again.
func FuzzRecords(f *testing.F) {
	from, n := origins(), uint64(0)
	f.Add(encode(f, []sensor.Batch{numbered(from[0], 3, &n), {Lost: 4, Events: []event.Event{{Kind: event.Rate}}},
		numbered(from[1], 2, &n)}))
	f.Add([]byte("PSR1\x01\x3a" + `{"name":"s","kind":"tracing","fields":[{"name":"x"}]}     ` +
		"\x02\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			var got, reread kept
			var bad *sensor.CodeError
			if err := sensor.NewReader(bytes.NewReader(data)).CopyTo(context.Background(), &got); err != nil &&
				!errors.As(err, &bad) {
				t.Fatal(err)
			}
			for i := range got.records {
				if e := got.records[i].Event(); len(e.Values)+len(e.NonFinite) != len(got.records[i].Values) {
					t.Fatalf("%+v is the event of %+v", e, got.records[i])
				}
			}
			b := encode(t, []sensor.Batch{{Records: got.records, Lost: got.lost}})
			if err := sensor.NewReader(bytes.NewReader(b)).CopyTo(context.Background(), &reread); err != nil ||
				len(reread.records) != len(got.records) {
				t.Fatalf("%d of %d records were read again: %v", len(reread.records), len(got.records), err)
			}
		})
	})
}
