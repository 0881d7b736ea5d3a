package relay

// A relay has one host after the other, however they come to it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// within has a function meet the other end of a connection in the time for that.
func (r *Relay) within(conn io.ReadWriteCloser, meet func(io.ReadWriteCloser) error) error {
	defer r.clock.AfterFunc(meetTime, func() { _ = conn.Close() }).Stop()
	return meet(conn)
}

// serveLine serves one host, over another connection whenever one breaks, until either gives the other up.
func (r *Relay) serveLine(ctx context.Context, line *Line, next func() (io.ReadWriteCloser, error)) error {
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx, line) }()
	for {
		select {
		case err := <-served:
			return err
		case <-line.Broken():
		}
		conn, err := next()
		if err == nil && line.isClosed() {
			err = conn.Close()
		} else if err == nil {
			err = r.within(conn, line.Call)
		}
		if errors.Is(err, errLineUnknown) { // another host, or one that has given this relay up
			_ = line.Close()
		}
		if line.isClosed() {
			return errors.Join(<-served, err)
		}
	}
}

// serveAll serves each host whose connection next returns, until one dismisses the relay, none came for the grace time while nothing
// that the relay started is left, or ctx ends. Next returns an error when there is none after a while. What befalls the connection is
// said by log, once.
func (r *Relay) serveAll(ctx context.Context, log func(string), next func() (io.ReadWriteCloser, error)) error {
	alone, said := r.clock.Now(), ""
	for {
		conn, err := next()
		if err == nil {
			line := NewLine()
			if err = r.within(conn, line.Call); err == nil {
				err, said = r.serveLine(ctx, line, next), ""
				alone = r.clock.Now()
			}
		}
		switch {
		case r.Dismissed():
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) && clock.Since(r.clock, alone) > r.terms().Lease && !r.Busy():
			return fmt.Errorf("the study has ended: %w", err) // a host that was killed leaves the file
		case clock.Since(r.clock, alone) > r.terms().Grace && !r.Busy():
			return fmt.Errorf("no host for %v: %w", r.terms().Grace, err)
		}
		if text := err.Error(); text != said {
			log(text + "; trying again")
			said = text
		}
	}
}
