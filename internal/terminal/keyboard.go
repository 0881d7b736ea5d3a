package terminal

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

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

// Keys send a character, or a sequence that begins with escape (ECMA-48, and xterm's control sequences).

// sequences are the codes of keys without characters, after escape.
var sequences = map[string]string{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "OA": "up", "OB": "down", "OC": "right", "OD": "left",
	"[H": "home", "[F": "end", "OH": "home", "OF": "end", "[1~": "home", "[4~": "end", "[7~": "home", "[8~": "end",
	"[5~": "pgup", "[6~": "pgdown", "[Z": "tab", "[3~": "delete",
}

// controls are the codes of one byte.
var controls = map[byte]string{
	'\r': "enter", '\n': "enter", '\t': "tab", 0x7f: "backspace", '\b': "backspace", ' ': "space", 0x0c: "ctrl+l",
}

// decoder turns bytes into keys. A sequence may come in parts.
type decoder struct{ rest []byte }

// decode returns the keys in b. If quiet is true, no more bytes follow for a while, and a single escape is a key.
func (d *decoder) decode(b []byte, quiet bool) (keys []string) {
	d.rest = append(d.rest, b...)
	for len(d.rest) > 0 {
		key, n := first(d.rest)
		if n == 0 { // the rest follows, or it was the escape key
			if !quiet {
				return keys
			}
			if d.rest[0] == 0x1b {
				keys = append(keys, "esc")
			}
			d.rest = d.rest[:0]
			return keys
		}
		if key != "" {
			keys = append(keys, key)
		}
		d.rest = d.rest[n:]
	}
	return keys
}

// first returns the first key and its length. The key is empty for an unknown code; n is 0 for an incomplete one.
func first(b []byte) (key string, n int) {
	switch {
	case b[0] == 0x1b:
		return escaped(b)
	case b[0] < 0x20, b[0] == 0x7f, b[0] == ' ':
		return controls[b[0]], 1
	case !utf8.FullRune(b):
		return "", 0
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return "", size
	}
	return string(r), size
}

// escaped is the key of a sequence.
func escaped(b []byte) (key string, n int) {
	if len(b) == 1 {
		return "", 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return sequences[plain(string(b[1:i+1]))], i + 1
			}
			if b[i] < 0x20 { // not a sequence
				return "", i
			}
		}
		return "", 0
	case 'O':
		if len(b) < 3 {
			return "", 0
		}
		return sequences[string(b[1:3])], 3
	}
	return "esc", 1 // and another key at once, or with the Alt key
}

// plain leaves out keys held with it: "[1;5A" is up with Ctrl.
func plain(s string) string {
	at := strings.IndexByte(s, ';')
	if at < 0 {
		return s
	}
	last := s[len(s)-1:]
	if last == "~" {
		return s[:at] + last
	}
	return "[" + last
}
