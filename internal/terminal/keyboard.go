package terminal

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

// Keyboard gives the keys of a terminal as they are pressed. Close restores it.
type Keyboard struct {
	file  *os.File
	clock clock.Clock
	was   *mode

	mu   sync.Mutex // held while it is read
	held bool       // the terminal is restored and not read

	cancel context.CancelFunc
	done   chan struct{}
}

// Open reads the keys of a terminal and calls press for each, from a goroutine that ends with Close. The error is
// ErrNone if the file is no terminal or the process is in the background.
func Open(f *os.File, at clock.Clock, press func(key string)) (*Keyboard, error) {
	was, err := modeOf(f)
	if err != nil || !Foreground(f) {
		return nil, ErrNone
	}
	if err := setMode(f, keysMode(*was)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	k := &Keyboard{file: f, clock: at, was: was, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		k.read(ctx, press)
	}()
	return k, nil
}

// Close restores the terminal. It may be called more than once.
func (k *Keyboard) Close() {
	k.cancel()
	<-k.done
	k.Restore()
}

// Restore restores the terminal's mode, and stops reading until Take.
func (k *Keyboard) Restore() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.held {
		k.held = true
		_ = setMode(k.file, k.was) // a terminal that has vanished needs no mode
	}
}

// Take takes the keys again, after Restore. It reports false while the process is in the background.
func (k *Keyboard) Take() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held && Foreground(k.file) && setMode(k.file, keysMode(*k.was)) == nil {
		k.held = false
	}
	return !k.held
}

// empty is the number of successive empty reads after which the terminal is considered closed.
const empty = 20

// read reads until ctx ends or the terminal is closed.
func (k *Keyboard) read(ctx context.Context, press func(string)) {
	var keys decoder
	buffer := make([]byte, 256)
	for quick := 0; ctx.Err() == nil && quick < empty; {
		begun := k.clock.Now()
		n, mine := k.readOnce(buffer)
		for _, key := range keys.decode(buffer[:n], n == 0) {
			press(key)
		}
		switch {
		case n > 0, clock.Since(k.clock, begun) > 50*time.Millisecond:
			quick = 0
			continue
		case mine:
			quick++
		}
		_ = clock.Sleep(ctx, k.clock, 50*time.Millisecond)
	}
}

// readOnce reads the keys that are pressed within a tenth of a second. mine is false if the terminal belongs to another
// process.
func (k *Keyboard) readOnce(buffer []byte) (n int, mine bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held || !Foreground(k.file) {
		return 0, false
	}
	n, _ = k.file.Read(buffer) // for Go an empty read is the end of the file
	return max(0, n), true
}
