package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/peregrine-sim/peregrine/internal/folder"
)

// CheckFormat reads the first line of an event file and returns a *FormatError if a newer
// program wrote it.
func CheckFormat(path string) error {
	f, err := folder.OpenFile(path)
	if err != nil {
		return fmt.Errorf("event log: %w", err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 1<<20)).ReadBytes('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("event log: %w", err)
	}
	if h, _ := headerOf(line); h.Format > Format {
		return &FormatError{path, h.Format}
	}
	return nil
}
