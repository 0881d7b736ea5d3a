package record

// Files of JSON lines, to which any process may append.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

// ReadLines calls each with the lines of a JSON file in a folder; a missing file has none. It skips an incomplete line:
// that is being written, or its writer was killed before acting on it.
func ReadLines[T any](folder, name, what string, limit int64, each func(T)) error {
	data, err := private.ReadFile(filepath.Join(folder, name), intake.Limit{What: what, Bytes: limit})
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
