package sensor_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/intake/intaketest"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
)

// Whatever is called a stream of records, it is read in bounded memory, what is read is an event, and can be
// written and read again.
func FuzzRecords(f *testing.F) {
	from, n := origins(), uint64(0)
	f.Add(encode(f, []sensor.Batch{numbered(from[0], 3, &n), {Lost: 4, Events: []event.Event{{Kind: event.Rate}}}, numbered(from[1], 2, &n)}))
	f.Add([]byte("PSR1\x01\x3a" + `{"name":"s","kind":"tracing","fields":[{"name":"x"}]}     ` + "\x02\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		intaketest.Bounded(t, len(data), func() {
			var got, reread kept
			var bad *sensor.CodeError
			if err := sensor.NewReader(bytes.NewReader(data)).CopyTo(context.Background(), &got); err != nil && !errors.As(err, &bad) {
				t.Fatal(err)
			}
			for i := range got.records {
				if e := got.records[i].Event(); len(e.Values)+len(e.NonFinite) != len(got.records[i].Values) {
					t.Fatalf("%+v is the event of %+v", e, got.records[i])
				}
			}
			b := encode(t, []sensor.Batch{{Records: got.records, Lost: got.lost}})
			if err := sensor.NewReader(bytes.NewReader(b)).CopyTo(context.Background(), &reread); err != nil || len(reread.records) != len(got.records) {
				t.Fatalf("%d of %d records were read again: %v", len(reread.records), len(got.records), err)
			}
		})
	})
}
