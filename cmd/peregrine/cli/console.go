package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/terminal"
)

// Console is standard output or standard error. Several goroutines may use it. It prints no control characters, as
// names, messages and logs come from files and from users' solvers. It keeps the first write error, so that none is
// lost.
type Console struct {
	File *os.File

	mu   sync.Mutex
	rest []byte  // the beginning of a character whose end comes with the next write
	err  error   // the first failure to write
	held *[]byte // output held back while a full screen is shown; nil: no full screen
}

// Hold holds output back until Release, while a full screen is on the terminal.
func (c *Console) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		c.held = new([]byte)
	}
}

// Release prints the held output.
func (c *Console) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		text := string(*c.held)
		c.held = nil
		c.put(text)
	}
}

// Write writes text, with control characters made visible. The program reports a write error at its end, so callers may
// ignore it.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := append(c.rest, p...)
	whole := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				whole = at
			}
			break
		}
	}
	c.rest = append([]byte(nil), text[whole:]...)
	c.put(printable.Text(string(text[:whole])))
	return len(p), nil
}

// Command writes control sequences of the program itself.
func (c *Console) Command(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(text)
}

func (c *Console) put(text string) {
	if text == "" { // a file may refuse even that
		return
	}
	if c.held != nil {
		*c.held = append(*c.held, text...)
		return
	}
	if _, err := c.File.WriteString(text); err != nil && c.err == nil {
		c.err = err
	}
}

// Close returns the first write error, with the name of the file.
func (c *Console) Close(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(printable.Text(string(c.rest)))
	c.rest = nil
	if c.err == nil {
		return nil
	}
	if path, ok := errors.AsType[*fs.PathError](c.err); ok {
		return fmt.Errorf("%s cannot be written: %w", name, path.Err)
	}
	return fmt.Errorf("%s cannot be written: %w", name, c.err)
}

// IsTerminal reports whether people read as it is written.
func (c *Console) IsTerminal() bool { return terminal.Is(c.File) }
