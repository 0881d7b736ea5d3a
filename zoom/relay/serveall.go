package relay

// A relay has one host after the other, however they come to it.

import (
	"context"
	"fmt"
	"io"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// serveAll serves each host whose connection next returns, until one dismisses the relay, none came for the grace time while nothing
// that the relay started is left, or ctx ends. Next returns an error when there is none after a while. What befalls the connection is
// said by log, once.
func (r *Relay) serveAll(ctx context.Context, log func(string), next func() (io.ReadWriteCloser, error)) error {
	alone, said := r.clock.Now(), ""
	for {
		conn, err := next()
		if err == nil {
			err, said = r.Serve(ctx, conn), ""
			alone = r.clock.Now()
		}
		switch {
		case r.Dismissed():
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case clock.Since(r.clock, alone) > r.Grace() && !r.Busy():
			return fmt.Errorf("no host for %v: %w", r.Grace(), err)
		}
		if text := err.Error(); text != said {
			log(text + "; trying again")
			said = text
		}
	}
}
