package event

// The format of event files. The first line names it. A file without that line has format 1: the data of a run's end
// were in values and text.

import (
	"encoding/json"
	"fmt"
)

// Format is the version of event files that this program writes.
const Format = 2

// header is the first line of an event file.
type header struct {
	Format int `json:"format"`
}

// FormatError reports a file that a newer program wrote.
type FormatError struct {
	Path   string
	Format int
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("event log %s has format %d and this program reads up to %d: use the newer Peregrine that "+
		"wrote it, or another folder (--work)", e.Path, e.Format, Format)
}

// formatOf returns the format that a first line names, and whether it names a format.
func formatOf(line []byte) (format int, named bool) {
	var h header
	if json.Unmarshal(line, &h) != nil || h.Format == 0 {
		return 1, false
	}
	return h.Format, true
}

// translate converts an event of format 1 to the present format.
func (e *Event) translate() {
	if e.Kind != Ended || e.Class != "" {
		return
	}
	e.Class, e.Text = Class(e.Text), ""
	e.Attempt, e.Wall = int(e.Values["attempt"]), e.Values["wall"]
	e.Cached, e.Follows = e.Values["cached"] != 0, e.Values["again"] != 0
	for _, name := range []string{"attempt", "wall", "cached", "again"} {
		delete(e.Values, name)
	}
	if len(e.Values) == 0 {
		e.Values = nil
	}
}
