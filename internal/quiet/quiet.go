// Package quiet drops the line that package starlark logs where the address space is limited. It is logged while
// packages are initialised. Of packages that do not import each other, Go initialises the one with the lesser path
// first: this one comes before starlark, as it imports the standard library alone.
package quiet

import (
	"bytes"
	"log"
	"os"
)

func init() { log.SetOutput(filter{}) }

type filter struct{}

// Write implements [io.Writer].
func (filter) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("Starlark failed to allocate")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}
