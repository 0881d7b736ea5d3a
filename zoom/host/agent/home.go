package agent

// How a relay finds its host: by a file in a folder that both share, readable only by its owner. It has the host's
// addresses and the keys of the study. A host that takes a study over rewrites the file, and relays read it before each
// try.

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/internal/certificate"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// Home is the content of that file.
type Home struct {
	Addresses []string          `json:"addresses"` // HOST:PORT, in the order of the tries
	Keys      map[string][]byte `json:"keys"`      // as of certificate.Store
	Lease     float64           `json:"lease"`     // as of Terms, s; 0: the default
	Grace     float64           `json:"grace"`
}

// homeLimit is the limit of that file.
var homeLimit = intake.Limit{What: "a file that says where the host is", Bytes: 1 << 20}

// Write writes the file.
func (h Home) Write(path string) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomic.WriteFile(path, data, atomic.Mode(0o600))
}

func readHome(path string) (h Home, err error) {
	data, err := intake.Read(path, homeLimit)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	if err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

const (
	dialTime = 5 * time.Second // for one address
	meetTime = 10 * time.Second
	mostWait = 5 * time.Second // for the next host, or between two tries to reach it
)

// dial connects to the host. It tries all its addresses, the next one while the previous does not answer. The host is
// TLS's client, whichever side opened the connection.
func (h Home) dial(ctx context.Context, at clock.Clock) (net.Conn, error) {
	config, err := certificate.FromKeys(h.Keys)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result, len(h.Addresses))
	for i, address := range h.Addresses {
		go func() { // ends with its result
			if clock.Sleep(ctx, at, time.Duration(i)*headStart) != nil {
				results <- result{nil, ctx.Err()}
				return
			}
			conn, err := h.dialOne(ctx, address, config)
			results <- result{conn, err}
		}()
	}
	var errs []error
	var first net.Conn
	for range h.Addresses {
		r := <-results
		switch {
		case r.err != nil && first == nil:
			errs = append(errs, r.err)
		case r.err == nil && first == nil:
			first = r.conn
			cancel()
		case r.err == nil:
			_ = r.conn.Close()
		}
	}
	if first == nil {
		return nil, errors.Join(errs...)
	}
	return first, nil
}

// headStart is the lead of an address over the next one.
const headStart = 250 * time.Millisecond

func (h Home) dialOne(ctx context.Context, address string, config *tls.Config) (net.Conn, error) {
	dialling, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(dialling, "tcp", address)
	if err != nil {
		return nil, err
	}
	meeting, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	conn := tls.Server(raw, config)
	if err := conn.HandshakeContext(meeting); err != nil {
		return nil, errors.Join(fmt.Errorf("host %s: %w", address, err), raw.Close())
	}
	return conn, nil
}

// Greet is the host's side of that handshake, on an open connection.
func Greet(ctx context.Context, raw net.Conn, store *certificate.Store) (net.Conn, error) {
	config, err := store.Host()
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, meetTime)
	defer cancel()
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return conn, nil
}

// CallHome serves the host named by the file at a path, and each later host. It ends if a host dismisses the relay, if
// the file was removed, if ctx ends, or if no host came for the grace time while none of the relay's processes is left.
// It reports changes of the connection by log.
func (r *Relay) CallHome(ctx context.Context, path string, log func(string)) error {
	wait := time.Duration(0)
	return r.serveAll(ctx, log, func(ctx context.Context) (io.ReadWriteCloser, error) {
		_ = clock.Sleep(ctx, r.clock, wait) // dial sees why
		home, err := readHome(path)
		var conn net.Conn
		if err == nil {
			r.agree(home.Lease, home.Grace) // even if this host never answers
			conn, err = home.dial(ctx, r.clock)
		}
		if err != nil {
			wait = min(mostWait, max(headStart, 2*wait))
			return nil, err
		}
		wait = headStart
		return conn, nil
	})
}
