package agent

// A connection, divided into streams. The first byte of a stream is its kind.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/hashicorp/yamux"
)

// Version is the version of the protocol.
const Version = 1

// Kinds of streams.
const (
	callStream = 'G' // of gRPC
	dialStream = 'D' // to a plugin, behind its address
)

// window is how many bytes of a stream may be under way: a file of 200 MB/s over a line of 10 ms needs 2 MB.
const window = 4 << 20

// multiplex returns the configuration of both sides. The package has heartbeats of its own.
func multiplex(lease time.Duration) *yamux.Config {
	c := yamux.DefaultConfig()
	c.EnableKeepAlive = false
	c.ConnectionWriteTimeout = lease
	c.StreamOpenTimeout = lease
	c.MaxStreamWindowSize = window
	c.LogOutput = io.Discard
	return c
}

// open opens a stream of a kind.
func open(s streams, kind byte, head string) (net.Conn, error) {
	stream, err := s.Open()
	if err != nil {
		return nil, err
	}
	if len(head) > 255 {
		return nil, errors.Join(fmt.Errorf("address %q is too long", head), stream.Close())
	}
	first := []byte{kind}
	if kind == dialStream {
		first = append(append(first, byte(len(head))), head...)
	}
	if _, err := stream.Write(first); err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	return stream, nil
}

// kindOf reads the kind of a stream and, for a stream to a plugin, its address.
func kindOf(stream net.Conn) (kind byte, network, address string, err error) {
	var b [2]byte
	if _, err = io.ReadFull(stream, b[:1]); err != nil || b[0] != dialStream {
		return b[0], "", "", err
	}
	if _, err = io.ReadFull(stream, b[1:]); err != nil {
		return b[0], "", "", err
	}
	head := make([]byte, b[1])
	if _, err = io.ReadFull(stream, head); err != nil {
		return b[0], "", "", err
	}
	network, address, found := strings.Cut(string(head), ":")
	if !found {
		err = fmt.Errorf("address %q", head)
	}
	return b[0], network, address, err
}

// Join carries bytes both ways until both have ended, or one has failed. It closes both.
func Join(a, b net.Conn) {
	done := make(chan struct{})
	one := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // an error ends the other way, too
		_ = to.Close()
		_ = from.Close()
	}
	go func() {
		defer close(done)
		one(a, b)
	}()
	one(b, a)
	<-done
}

// listener gives the streams of gRPC to its server.
type listener struct {
	streams chan net.Conn
	closed  context.Context
	address net.Addr
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.streams:
		return c, nil
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error   { return nil }
func (l *listener) Addr() net.Addr { return l.address }
