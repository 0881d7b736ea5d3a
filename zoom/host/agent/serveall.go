package agent

// A relay serves one host after the other, by any kind of connection.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// call meets the host at the other end of a connection, within meetTime.
func (r *Relay) call(line *Line, conn io.ReadWriteCloser) (*Line, error) {
	defer r.clock.AfterFunc(meetTime, func() { _ = conn.Close() }).Stop()
	return line.Call(conn)
}

// nextHost returns the connection of a host. It fails if none comes for a while, or when ctx ends.
type nextHost func(ctx context.Context) (io.ReadWriteCloser, error)

// serveLine serves one host, over another connection whenever one breaks, until either gives the other up. If such a
// connection leads to another host, it returns the line to that host.
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
			if line.isClosed() { // the host has let it go, and this is another host
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

// serveAll serves each host whose connection next returns. It ends if a host dismisses the relay, if ctx ends, or if no
// host came for the grace time while none of the relay's processes is left. It reports each change of the connection by
// log, once.
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
			return fmt.Errorf("the study has ended: %w", err) // a killed host leaves the file
		case clock.Since(r.clock, alone) > r.terms().Grace && !r.Busy():
			return fmt.Errorf("no host for %v: %w", r.terms().Grace, err)
		}
		if text := fmt.Sprint(err); text != said {
			log(text + "; trying again")
			said = text
		}
	}
}
