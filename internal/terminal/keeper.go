package terminal

// A keeper is a process that leaves the terminal as it was where this one cannot: it was killed, or a goroutine of
// its panicked.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// leave are the codes that end a full screen: lines that scroll, wrapping, the other screen's buffer, the cursor,
// styles.
const leave = "\x1b[r\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[m\r"

// Marks by which a keeper knows whether there is a full screen.
const (
	shown  = '+'
	hidden = '-'
)

// mostKept bounds what a keeper takes of the words of a program that crashes, bytes.
const mostKept = 1 << 20

// Keeper is the process of a keeper, as the program sees it whose terminal it keeps.
type Keeper struct {
	mu   sync.Mutex
	pipe *os.File
	wait func() error
}

// NewKeeper starts a keeper of a terminal. Start starts a process that calls Keep with what comes through the file
// that it gets; wait waits for the process's end. What the runtime says of a crash goes to the keeper as well, which
// prints it once the screen has gone.
func NewKeeper(tty *os.File, start func(stdin *os.File) (wait func() error, err error)) (*Keeper, error) {
	was, err := modeOf(tty)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(was)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	wait, err := start(r)
	_ = r.Close() // the process's
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	_ = debug.SetCrashOutput(w, debug.CrashOptions{}) // without it the crash is seen where it is printed
	return &Keeper{pipe: w, wait: wait}, nil
}

// Shown says that there is a full screen from now on. A nil keeper keeps nothing.
func (k *Keeper) Shown() { k.mark(shown) }

// Hidden says that the terminal is as it was.
func (k *Keeper) Hidden() { k.mark(hidden) }

func (k *Keeper) mark(m byte) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pipe != nil {
		_, _ = k.pipe.Write([]byte{m}) // one that is gone keeps nothing
	}
}

// Close ends the keeper: the terminal is as it was.
func (k *Keeper) Close() {
	if k == nil {
		return
	}
	k.mark(hidden)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pipe != nil {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_ = k.pipe.Close()
		_ = k.wait()
		k.pipe = nil
	}
}

// Keep is the work of a keeper's process: it waits for the end of the program at the other end of in, and leaves the
// terminal as it was if the program had a full screen then. What the program said of its crash is printed into out.
func Keep(in io.Reader, tty *os.File, out io.Writer) {
	said, _ := io.ReadAll(io.LimitReader(in, mostKept))
	line, rest, _ := bytes.Cut(said, []byte("\n"))
	var was mode
	if json.Unmarshal(line, &was) != nil {
		return
	}
	words := bytes.TrimLeft(rest, string([]byte{shown, hidden}))
	if marks := rest[:len(rest)-len(words)]; len(marks) == 0 || marks[len(marks)-1] != shown {
		return
	}
	_ = setMode(tty, &was)
	_, _ = tty.WriteString(leave)
	_, _ = out.Write(words)
}
