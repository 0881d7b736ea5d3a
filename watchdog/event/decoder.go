package event

import (
	"encoding/json"
	"fmt"
)

// Decoder turns the lines of an event file into events, from its first line on. Its zero value with a Path is ready. It
// is for readers of a growing file; Read reads the present contents.
type Decoder struct {
	Path string // of the file, for errors

	format int // 0: no line was seen
}

// Line takes the next line. It reports false for the line that names the format, which is no event. Errors: a
// *FormatError if a newer program wrote the file, which then has no events; another error for a damaged line, after
// which other lines are still good.
func (d *Decoder) Line(line []byte) (e Event, ok bool, err error) {
	if d.format == 0 {
		named := false
		if d.format, named = formatOf(line); named && d.format <= Format {
			return e, false, nil
		}
	}
	if d.format > Format {
		return e, false, &FormatError{d.Path, d.format}
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, false, fmt.Errorf("event log %s: a damaged line: %w", d.Path, err)
	}
	if d.format < 2 {
		e.translate()
	}
	return e, true, nil
}
