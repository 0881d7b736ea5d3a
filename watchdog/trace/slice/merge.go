package slice

import (
	"context"
	"errors"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Source passes on the records of a slice that one host has, in the order of their times. It ends when pass returns an
// error, with that. Other errors name the source.
type Source func(ctx context.Context, pass func([]trace.Record) error) error

// A batch is so many records at most, and so many batches wait for the one that takes them. A source that is faster
// than its reader waits.
const (
	batchSize = 256
	batches   = 4
)

// stream is the batches of a source, or of two.
type stream chan []trace.Record

// Merge passes on the records of all sources in the order of their times. Sources are read, and merged in pairs, at the
// same time. Where a source fails, the others continue: a record of the kind Lost marks the time of its end, and
// the error joins all failures.
func Merge(ctx context.Context, sources []Source, take func(r *trace.Record) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	failures := make(chan error, len(sources))
	streams := make([]stream, len(sources))
	for i := range sources {
		to := make(stream, batches)
		streams[i] = to
		go func() { failures <- read(ctx, sources[i], to) }()
	}
	done := make(chan struct{}, len(sources)) // of the merges
	merges := 0
	for len(streams) > 1 {
		var next []stream
		for i := 0; i+1 < len(streams); i += 2 {
			a, b, to := streams[i], streams[i+1], make(stream, batches)
			merges++
			go func() {
				pair(ctx, a, b, to)
				done <- struct{}{}
			}()
			next = append(next, to)
		}
		if len(streams)%2 == 1 {
			next = append(next, streams[len(streams)-1])
		}
		streams = next
	}
	var failed error
	for _, last := range streams {
		for batch := range last {
			for i := range batch {
				if failed == nil {
					if failed = take(&batch[i]); failed != nil {
						cancel(failed)
					}
				}
			}
		}
	}
	for range merges {
		<-done
	}
	all := []error{failed}
	for range sources {
		if err := <-failures; err != nil && failed == nil {
			all = append(all, err)
		}
	}
	if failed == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(all...)
}

// send passes a batch on, and waits while the stream is full.
func (s stream) send(ctx context.Context, batch []trace.Record) error {
	select {
	case s <- batch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read passes on a source. At its failure a record says so.
func read(ctx context.Context, from Source, to stream) error {
	defer close(to)
	last := 0.0
	err := from(ctx, func(records []trace.Record) error {
		for batch := range slices.Chunk(records, batchSize) {
			last = batch[len(batch)-1].Time
			if err := to.send(ctx, slices.Clone(batch)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	lost := trace.Record{Time: last, Measured: last, Kind: trace.Lost, Name: err.Error()}
	_ = to.send(ctx, []trace.Record{lost}) // the error is returned
	return err
}

// pair merges two streams into one. Of records of the same time those of the first come first.
func pair(ctx context.Context, a, b, to stream) {
	defer close(to)
	var x, y []trace.Record
	out := make([]trace.Record, 0, batchSize)
	flush := func() bool {
		full := out
		out = make([]trace.Record, 0, batchSize)
		return len(full) == 0 || to.send(ctx, full) == nil
	}
	openA, openB := true, true
	for {
		for openA && len(x) == 0 {
			x, openA = <-a
		}
		for openB && len(y) == 0 {
			y, openB = <-b
		}
		if len(x) == 0 && len(y) == 0 {
			flush()
			return
		}
		if len(y) == 0 || len(x) > 0 && x[0].Time <= y[0].Time {
			out, x = append(out, x[0]), x[1:]
		} else {
			out, y = append(out, y[0]), y[1:]
		}
		if len(out) == batchSize && !flush() {
			return
		}
	}
}
