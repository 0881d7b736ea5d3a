package event

// The format of event files. The first line names it. A file without that line has format 1: the data of a run's end
// were in values and text. Since format 3 the first line may have what all events of a run have in common, and the
// other lines lack it. Since format 4 the folder of an ended run has its request in its result.

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Format is the latest version of event files. Files whose events have nothing in common are written in format 2, which
// is the same for them.
const Format = 4

// header is the first line of an event file.
type header struct {
	Format int `json:"format"`
	Common
}

// Common are fields that all events of a run have alike. An event without such a field has that of the file's first
// line.
type Common struct {
	Study     string `json:"study,omitempty"`
	Run       string `json:"run,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
	Component string `json:"component,omitempty"`
	Host      string `json:"host,omitempty"`
}

// without returns an event without the fields that it has in common.
func (c *Common) without(e Event) Event {
	drop(&e.Study, c.Study)
	drop(&e.Run, c.Run)
	drop(&e.Attempt, c.Attempt)
	drop(&e.Component, c.Component)
	drop(&e.Host, c.Host)
	return e
}

func drop[T comparable](field *T, common T) {
	if *field == common {
		*field = *new(T)
	}
}

// complete gives an event the fields that it lacks.
func (c *Common) complete(e *Event) {
	e.Study, e.Run, e.Attempt = cmp.Or(e.Study, c.Study), cmp.Or(e.Run, c.Run), cmp.Or(e.Attempt, c.Attempt)
	e.Component, e.Host = cmp.Or(e.Component, c.Component), cmp.Or(e.Host, c.Host)
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

// headerOf reads a first line, and reports whether it names a format.
func headerOf(line []byte) (h header, named bool) {
	if json.Unmarshal(line, &h) != nil || h.Format == 0 {
		return header{Format: 1}, false
	}
	return h, true
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
