package agent

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// fragile is a connection that breaks after so many bytes, in either direction.
type fragile struct {
	net.Conn
	mu   sync.Mutex
	left int
}

func (f *fragile) spend(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n = min(n, f.left)
	f.left -= n
	return n
}

func (f *fragile) Write(p []byte) (int, error) {
	k := f.spend(len(p))
	n, err := f.Conn.Write(p[:k])
	if err == nil && k < len(p) {
		_ = f.Conn.Close()
		err = errors.New("broken")
	}
	return n, err
}

// lines connects two ends by connections that break every now and then, until done is closed.
func lines(t *testing.T, breakAfter func() int, done <-chan struct{}) (caller, answerer *Line, tries func() int) {
	t.Helper()
	listener := listen(t)
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); wg.Wait() })
	var x Exchange
	first := make(chan *Line, 1)
	wg.Go(func() {
		for {
			raw, err := listener.Accept()
			if err != nil {
				return
			}
			if l, err := x.Answer(t.Context(), &fragile{Conn: raw, left: breakAfter()}); l != nil && err == nil {
				first <- l
			}
		}
	})
	caller = NewLine()
	n := 0
	var mu sync.Mutex
	call := func() error {
		mu.Lock()
		n++
		mu.Unlock()
		raw, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			return err
		}
		same, err := caller.Call(&fragile{Conn: raw, left: breakAfter()})
		if err == nil && same != caller {
			t.Error("another line")
		}
		return err
	}
	for call() != nil { // the very first connections may break, too
		if caller.id != (lineID{}) {
			t.Fatal("a line that has no connection has an ID")
		}
	}
	wg.Go(func() {
		for {
			select {
			case <-caller.Broken():
			case <-done:
			}
			select {
			case <-done:
				return
			default:
				_ = call() // the next round tries again
			}
		}
	})
	return caller, <-first, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// Whatever breaks when, both ends get every byte once and in order.
func TestLineOverBrokenConnections(t *testing.T) {
	seeds := uint64(1)
	if testenv.IsLong(t) {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(1, seed))
		var mu sync.Mutex
		done := make(chan struct{})
		a, b, tries := lines(t, func() int { mu.Lock(); defer mu.Unlock(); return 200 + r.IntN(100_000) }, done)
		var wg sync.WaitGroup
		for _, way := range [][2]*Line{{a, b}, {b, a}} {
			data := make([]byte, 1_000_000)
			source := rand.NewChaCha8([32]byte{byte(seed)})
			_, _ = source.Read(data)
			sizes := rand.New(rand.NewPCG(2, seed))
			wg.Go(func() {
				for rest := data; len(rest) > 0; {
					n := min(len(rest), 1+sizes.IntN(30_000))
					if _, err := way[0].Write(rest[:n]); err != nil {
						t.Error(err)
						return
					}
					rest = rest[n:]
				}
			})
			wg.Go(func() {
				got := make([]byte, len(data))
				if _, err := io.ReadFull(way[1], got); err != nil {
					t.Error(err)
				}
				if sha256.Sum256(got) != sha256.Sum256(data) {
					t.Errorf("seed %d: other bytes came, the first at %d", seed, firstDifference(got, data))
				}
			})
		}
		wg.Wait()
		close(done)
		_, _ = a.Close(), b.Close()
		if tries() < 10 {
			t.Errorf("seed %d: %d connections, so that little broke", seed, tries())
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

func TestLineRefusesWhatCannotBe(t *testing.T) {
	for name, say := range map[string]string{
		"nothing": "", "http": "GET / HTTP/1.1\r\nHost: here\r\n\r\n", "half": lineMagic + "123",
	} {
		a, b := net.Pipe()
		go func() { _, _ = a.Write([]byte(say)); _ = a.Close() }()
		var x Exchange
		if l, err := x.Answer(t.Context(), b); l != nil || err == nil {
			t.Errorf("%s: a line %v", name, l)
		}
	}
	for name, frame := range map[string][]byte{
		"kind": []byte("x\x01"), "long": append([]byte("D"), 0xff, 0xff, 0xff, 0xff, 0x0f), "ack": []byte("A\x05"),
	} {
		a, b := net.Pipe()
		var x Exchange
		go func() {
			hello := append([]byte(lineMagic), make([]byte, 24)...)
			_, _ = a.Write(hello)
			_, _ = io.ReadFull(a, make([]byte, 25))
			_, _ = a.Write(frame)
			_, _ = io.Copy(io.Discard, a)
		}()
		l := must.Value(x.Answer(t.Context(), b))(t)
		<-l.Broken()
		if got := bytes.Clone(l.in); len(got) > 0 {
			t.Errorf("%s: %q came", name, got)
		}
	}
}

// halted is a connection whose single Write returns when goOn is closed.
type halted struct {
	net.Conn
	wrote, goOn chan struct{}
}

func (h *halted) Write(p []byte) (int, error) {
	n, err := h.Conn.Write(p)
	close(h.wrote)
	<-h.goOn
	return n, err
}

// Bytes that come over a connection are not taken once more from the next one, to which the line had said before that
// they were missing.
func TestLineOverTwoConnections(t *testing.T) {
	var x Exchange
	first, other := net.Pipe()
	hello := append([]byte(lineMagic), make([]byte, 24)...)
	reply := make([]byte, 25)
	call := func(there net.Conn) {
		must.Value(there.Write(hello))(t)
		must.Value(io.ReadFull(there, reply))(t)
	}
	lines := make(chan *Line, 1)
	go func() { l, _ := x.Answer(t.Context(), first); lines <- l }()
	call(other)
	l := <-lines
	t.Cleanup(func() { _ = l.Close() })
	copy(hello[len(lineMagic):], reply[1:17]) // continue this line
	late := func() (there net.Conn, h *halted, failed chan error) {
		here, there := net.Pipe()
		h, failed = &halted{here, make(chan struct{}), make(chan struct{})}, make(chan error, 1)
		go func() { _, err := x.Answer(t.Context(), h); failed <- err }()
		call(there)
		<-h.wrote
		return there, h, failed
	}
	a, letA, failedA := late()
	b, letB, failedB := late()
	close(letA.goOn)
	must.OK(t, <-failedA)
	must.Value(a.Write([]byte("D\x04once")))(t)
	got := make([]byte, 4)
	must.Value(io.ReadFull(l, got))(t)
	close(letB.goOn)
	if err := <-failedB; err == nil {
		go func() { _, _ = b.Write([]byte("D\x04once")) }() // as the line has said
		must.Value(io.ReadFull(l, got))(t)
		t.Errorf("%q came twice", got)
	}
	must.Value(a.Write([]byte("D\x04then")))(t) // the connection in use stays
	if must.Value(io.ReadFull(l, got))(t); string(got) != "then" {
		t.Errorf("%q came", got)
	}
}

func TestLineCloses(t *testing.T) {
	done := make(chan struct{})
	a, b, _ := lines(t, func() int { return 1 << 30 }, done)
	close(done)
	read := make(chan error)
	go func() { _, err := b.Read(make([]byte, 1)); read <- err }()
	_ = b.Close()
	if err := <-read; err != io.EOF { //nolint:errorlint // it is what io.Reader asks for
		t.Errorf("read: %v", err)
	}
	<-a.Broken()
	_ = a.Close()
	if _, err := a.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write: %v", err)
	}
}
