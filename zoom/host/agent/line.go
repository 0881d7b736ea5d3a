package agent

// A reliable stream of bytes over connections that break. A lease ends after a time of silence, not because a router
// forgot a connection or a laptop changed networks. Data under way are sent again over the next connection, and the
// layers above notice only the delay.
//
//	line    = hello reply frame*           // each connection, the caller's hello first
//	hello   = "PRL1" id(16) received(8)    // id zero: a new line; received: bytes of the line received, big-endian
//	reply   = state(1) id(16) received(8)  // state: '+' continues, 'n' is a new line: the old line is unknown here
//	frame   = 'D' length data | 'A' received   // lengths are unsigned varints
//
// Each side keeps its sent data until the other acknowledges them.

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

const (
	lineMagic = "PRL1"
	lineAhead = 4 << 20   // bytes that may wait to be sent, or to be acknowledged, before a writer waits
	lineFrame = 16 << 10  // bytes of one frame, at most: each frame that arrives before a connection breaks is progress
	lineBatch = 256 << 10 // bytes that are given to a connection at once
	lineAck   = 32 << 10  // bytes received after which an acknowledgement is sent at the latest
)

type lineID [16]byte

// Line is such a stream. Its methods may be called by several goroutines, but Read by one.
type Line struct {
	id lineID

	mu     sync.Mutex
	change *sync.Cond
	raw    io.ReadWriteCloser // in use; nil: none
	broken chan struct{}      // closed when raw broke; replaced with the next connection
	closed bool

	out   []byte // not acknowledged by the other side
	base  uint64 // bytes of the line before out
	sent  uint64 // bytes of the line that were given to raw
	in    []byte // received and not read
	came  uint64 // bytes of the line received
	acked uint64 // ... and acknowledged
}

func newLine(id lineID) *Line {
	l := &Line{id: id, broken: make(chan struct{})}
	l.change = sync.NewCond(&l.mu)
	return l
}

// NewLine returns the caller's side of a new line, which has no connection yet.
func NewLine() *Line { return newLine(lineID{}) }

// Call continues the line over a connection to an answering side, and returns it. If the other side does not know the
// line, because it is another host or has given the line up, Call returns a new line over that connection. The
// connection is closed if Call fails.
func (l *Line) Call(raw io.ReadWriteCloser) (*Line, error) {
	l.detach()
	l.mu.Lock()
	said := l.came
	l.mu.Unlock()
	hello := binary.BigEndian.AppendUint64(append([]byte(lineMagic), l.id[:]...), said)
	reply := make([]byte, 1+16+8)
	_, err := raw.Write(hello)
	if err == nil {
		_, err = io.ReadFull(raw, reply)
	}
	switch {
	case err != nil:
	case reply[0] == 'n' && l.id == lineID{}:
		l.id = lineID(reply[1:17])
	case reply[0] == 'n':
		l, said = newLine(lineID(reply[1:17])), 0
	case reply[0] != '+' || lineID(reply[1:17]) != l.id:
		err = fmt.Errorf("the other side answers %q", reply[0])
	}
	if err == nil {
		err = l.attach(raw, said, binary.BigEndian.Uint64(reply[17:]))
	}
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return l, nil
}

// Exchange has the answering sides of lines. The zero value is ready for use.
type Exchange struct {
	mu    sync.Mutex
	lines map[lineID]*Line
}

// Answer takes a connection whose other end calls. It returns a new line; nil: a known line continues over it. The
// connection is closed if Answer fails, or if ctx ends before the handshake is complete.
func (x *Exchange) Answer(ctx context.Context, raw io.ReadWriteCloser) (*Line, error) {
	defer context.AfterFunc(ctx, func() { _ = raw.Close() })()
	hello := make([]byte, len(lineMagic)+16+8)
	if _, err := io.ReadFull(raw, hello); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	if string(hello[:len(lineMagic)]) != lineMagic {
		return nil, errors.Join(fmt.Errorf("it says %q, which is no relay of this version", hello[:len(lineMagic)]),
			raw.Close())
	}
	id, came := lineID(hello[len(lineMagic):len(lineMagic)+16]), binary.BigEndian.Uint64(hello[len(lineMagic)+16:])
	l, state := x.find(id)
	if state == 'n' {
		came = 0 // of another line, if of any
	}
	l.detach() // an older connection, which may not have noticed that it broke, must not be read any more
	l.mu.Lock()
	said := l.came
	l.mu.Unlock()
	_, err := raw.Write(binary.BigEndian.AppendUint64(append([]byte{state}, l.id[:]...), said))
	if err == nil {
		err = l.attach(raw, said, came)
	}
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	if state == 'n' {
		return l, nil
	}
	return nil, nil
}

// find returns the line of an ID, or a new line if it is unknown.
func (x *Exchange) find(id lineID) (*Line, byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.lines == nil {
		x.lines = map[lineID]*Line{}
	}
	for known, l := range x.lines {
		if l.isClosed() {
			delete(x.lines, known)
		}
	}
	if l := x.lines[id]; l != nil {
		return l, '+'
	}
	_, _ = rand.Read(id[:]) // never fails
	l := newLine(id)
	x.lines[id] = l
	return l, 'n'
}

func (l *Line) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// attach makes the line use a connection whose other side sends the bytes after the first said bytes, and has received
// came bytes. It fails if another connection has brought some of these bytes meanwhile: they would come twice.
func (l *Line) attach(raw io.ReadWriteCloser, said, came uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return net.ErrClosed
	case l.came != said:
		return fmt.Errorf("another connection has brought %d bytes meanwhile", l.came-said)
	case came < l.base || came > l.base+uint64(len(l.out)):
		return fmt.Errorf("the other side has received %d bytes, of %d to %d", came, l.base, l.base+uint64(len(l.out)))
	}
	l.drop(l.raw)
	l.forget(came)
	l.sent, l.raw, l.broken = came, raw, make(chan struct{})
	go l.send(raw) // both end with the connection, which detach closes
	go l.receive(raw)
	return nil
}

// detach closes the connection, if any.
func (l *Line) detach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(l.raw)
}

// drop closes a connection if it is in use. The caller holds the lock.
func (l *Line) drop(raw io.ReadWriteCloser) {
	if raw == nil || l.raw != raw {
		return
	}
	_ = raw.Close() // errors do not matter: it is not used any more
	l.raw = nil
	close(l.broken)
	l.change.Broadcast()
}

// Broken is closed when the line has no connection.
func (l *Line) Broken() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// forget drops the data that the other side has received. The caller holds the lock.
func (l *Line) forget(came uint64) {
	l.out = l.out[came-l.base:]
	l.base = came
	if len(l.out) == 0 {
		l.out = nil // frees the memory before it
	}
	l.change.Broadcast()
}

// send sends over a connection while it is in use.
func (l *Line) send(raw io.ReadWriteCloser) {
	var frames []byte
	for {
		l.mu.Lock()
		for l.raw == raw && l.sent == l.base+uint64(len(l.out)) && l.came-l.acked < lineAck {
			l.change.Wait()
		}
		if l.raw != raw {
			l.mu.Unlock()
			return
		}
		frames = frames[:0]
		if l.came > l.acked {
			frames = binary.AppendUvarint(append(frames, 'A'), l.came)
			l.acked = l.came
		}
		for len(frames) < lineBatch && l.sent < l.base+uint64(len(l.out)) {
			rest := l.out[l.sent-l.base:]
			rest = rest[:min(len(rest), lineFrame)]
			frames = append(binary.AppendUvarint(append(frames, 'D'), uint64(len(rest))), rest...)
			l.sent += uint64(len(rest))
		}
		l.mu.Unlock()
		if _, err := raw.Write(frames); err != nil {
			l.fail(raw)
			return
		}
	}
}

// fail lets a broken connection go.
func (l *Line) fail(raw io.ReadWriteCloser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(raw)
}

// receive takes the frames of a connection while it is in use.
func (l *Line) receive(raw io.ReadWriteCloser) {
	r := bufio.NewReaderSize(raw, 16<<10)
	var data []byte
	for {
		kind, err := r.ReadByte()
		var n uint64
		if err == nil {
			n, err = binary.ReadUvarint(r)
		}
		if err == nil && kind == 'D' {
			if n > lineFrame {
				err = errors.New("a frame that is too long")
			} else {
				data = append(data[:0], make([]byte, n)...)
				_, err = io.ReadFull(r, data)
			}
		}
		if err != nil || !l.took(raw, kind, n, data) {
			l.fail(raw)
			return
		}
	}
}

// took handles a frame. It reports false if the frame is invalid, or if the connection is not in use any more.
func (l *Line) took(raw io.ReadWriteCloser, kind byte, n uint64, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for kind == 'D' && l.raw == raw && len(l.in) > lineAhead {
		l.change.Wait()
	}
	switch {
	case l.raw != raw:
		return false
	case kind == 'D':
		l.in = append(l.in, data...)
		l.came += n
		l.change.Broadcast()
	case kind == 'A' && n >= l.base && n <= l.sent:
		l.forget(n)
	default:
		return false
	}
	return true
}

// Read implements io.Reader. It waits while the line has no connection.
func (l *Line) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.in) == 0 && !l.closed {
		l.change.Wait()
	}
	if len(l.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, l.in)
	if l.in = l.in[n:]; len(l.in) == 0 {
		l.in = nil
	}
	l.change.Broadcast()
	return n, nil
}

// Write implements io.Writer. It waits while too many bytes are under way.
func (l *Line) Write(p []byte) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(p) > 0 {
		for len(l.out) >= lineAhead && !l.closed {
			l.change.Wait()
		}
		if l.closed {
			return n, net.ErrClosed
		}
		k := min(len(p), lineAhead-len(l.out))
		l.out = append(l.out, p[:k]...)
		p, n = p[k:], n+k
		l.change.Broadcast()
	}
	return n, nil
}

// Close ends the line with its connection. The last data written may be lost.
func (l *Line) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.drop(l.raw)
	l.change.Broadcast()
	return nil
}
