package agent

// A relay has one host after the other, however they come to it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// call meets the host at the other end of a connection, in the time for that.
func (r *Relay) call(line *Line, conn io.ReadWriteCloser) (*Line, error) {
	defer r.clock.AfterFunc(meetTime, func() { _ = conn.Close() }).Stop()
	return line.Call(conn)
}

// nextHost returns the connection of a host, or an error when there is none after a while, or when ctx ends.
type nextHost func(ctx context.Context) (io.ReadWriteCloser, error)

// serveLine serves one host, over another connection whenever one breaks, until either gives the other up. If another
// host is at the end of such a connection, it returns the line to that.
func (r *Relay) serveLine(ctx context.Context, line *Line, next nextHost) (*Line, error) {
	served := make(chan error, 1)
	// for the next connection: not when the host has dismissed the relay, or was silent for too long
	waiting, over := context.WithCancel(ctx)
	defer over()
	go func() {
		served <- r.Serve(ctx, line)
		over()
	}()
	for {
		select {
		case err := <-served:
			return nil, err
		case <-line.Broken():
		}
		conn, err := next(waiting)
		if err == nil {
			of := line
			if line.isClosed() { // the host has let it go, and this is another one
				of = NewLine()
			}
			var other *Line
			if other, err = r.call(of, conn); err == nil && other != line {
				_ = line.Close()
				return other, <-served
			}
		}
		if line.isClosed() {
			if waiting.Err() != nil {
				err = nil // Serve has why
			}
			return nil, errors.Join(<-served, err)
		}
	}
}

// serveAll serves each host whose connection next returns, until one dismisses the relay, none came for the grace
// time while nothing that the relay started is left, or ctx ends. What befalls the connection is said by log, once.
func (r *Relay) serveAll(ctx context.Context, log func(string), next nextHost) error {
	alone, said := r.clock.Now(), ""
	for {
		conn, err := next(ctx)
		var line *Line
		if err == nil {
			line, err = r.call(NewLine(), conn)
		}
		for line != nil && ctx.Err() == nil && !r.Dismissed() {
			line, err = r.serveLine(ctx, line, next)
			alone, said = r.clock.Now(), ""
		}
		if line != nil {
			err = line.Close()
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
		if text := fmt.Sprint(err); text != said {
			log(text + "; trying again")
			said = text
		}
	}
}
