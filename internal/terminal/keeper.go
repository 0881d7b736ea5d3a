package terminal

// A keeper is a process that restores the terminal where this process cannot: it was killed, or one of its goroutines
// panicked.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"sync"
)

// leave are the codes that end a full screen: scrolling, wrapping, the main screen buffer, the cursor, styles.
const leave = "\x1b[r\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[m\r"

// Marks that tell a keeper whether a full screen is shown.
const (
	shown  = '+'
	hidden = '-'
)

// mostKept bounds the kept output of a program that crashes, in bytes.
const mostKept = 1 << 20

// Keeper is the program's handle of its keeper process.
type Keeper struct {
	mu   sync.Mutex
	pipe *os.File
	wait func() error
}

// NewKeeper starts a keeper of a terminal. Start starts a process that calls Keep with its standard input; wait waits
// for the end of that process. The runtime's crash report is sent to the keeper, too, which prints it after the full
// screen has ended.
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
	_ = debug.SetCrashOutput(w, debug.CrashOptions{}) // without it the crash is printed on the full screen
	return &Keeper{pipe: w, wait: wait}, nil
}

// Shown tells the keeper that a full screen is shown from now on. A nil keeper ignores it.
func (k *Keeper) Shown() { k.mark(shown) }

// Hidden tells the keeper that the terminal is restored.
func (k *Keeper) Hidden() { k.mark(hidden) }

func (k *Keeper) mark(m byte) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pipe != nil {
		_, _ = k.pipe.Write([]byte{m}) // a keeper that has ended is ignored
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

// Keep is the main function of a keeper's process. It waits for the end of the program at the other end of in, and
// restores the terminal if the program then showed a full screen. It prints the program's crash report to out.
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
