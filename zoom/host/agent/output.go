package agent

// The output of a process of a node, between the relay and its reader.

import (
	"io"
	"sync"
)

// mostOutput is the largest size of output that waits for its reader, bytes: as much as a pipe of Linux holds.
const mostOutput = 64 << 10

// output is a pipe whose writer never waits: a reader that is slow, or has ended, does not delay the report of the
// process's end. Output without room is dropped: only the handshake matters, which comes first.
type output struct {
	mu     sync.Mutex
	more   sync.Cond
	held   []byte
	ended  bool // no more output comes
	closed bool // the reader has ended
}

func newOutput() *output {
	o := &output{}
	o.more.L = &o.mu
	return o
}

// write adds the output that has room.
func (o *output) write(p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.held = append(o.held, p[:min(len(p), mostOutput-len(o.held))]...)
		o.more.Broadcast()
	}
}

// end records that no more output comes.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.more.Broadcast()
}

// Read waits for the next output.
func (o *output) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.held) == 0 && !o.ended && !o.closed {
		o.more.Wait()
	}
	switch {
	case o.closed:
		return 0, io.ErrClosedPipe
	case len(o.held) == 0:
		return 0, io.EOF
	}
	n := copy(p, o.held)
	o.held = o.held[n:]
	return n, nil
}

// Close records that the reader has ended.
func (o *output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.held = true, nil
	o.more.Broadcast()
	return nil
}
