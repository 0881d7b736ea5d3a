package record

// Files of JSON lines, to which any process may append.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/intake"
)

// ReadLines calls each with the lines of a file of JSON in a folder; without the file there are none. A line that is
// cut off is being written, or its writer was killed before it acted on it.
func ReadLines[T any](folder, name, what string, limit int64, each func(T)) error {
	data, err := intake.Read(filepath.Join(folder, name), intake.Limit{What: what, Bytes: limit})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range bytes.Lines(data) {
		var v T
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &v) == nil {
			each(v)
		}
	}
	return err
}
