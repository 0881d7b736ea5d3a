package event

import (
	"cmp"
	"fmt"
)

// Decoder turns the lines of an event file into events, from its first line on. Its zero value with a Path is ready. It
// is for readers of a growing file; Read reads the present contents.
type Decoder struct {
	Path string // of the file, for errors

	header header // of format 0: no line was seen
}

// Line takes the next line. It reports false for the line that names the format, which is no event. Errors: a
// *FormatError if a newer program wrote the file, which then has no events; another error for a damaged line, after
// which other lines are still good.
func (d *Decoder) Line(line []byte) (e Event, ok bool, err error) {
	if d.header.Format == 0 {
		named := false
		if d.header, named = headerOf(line); named && d.header.Format <= Format {
			return e, false, nil
		}
	}
	if d.header.Format > Format {
		return e, false, &FormatError{d.Path, d.header.Format}
	}
	if !e.quick(line, &d.header.Common) {
		if e, err = d.header.slow(line); err != nil {
			return Event{}, false, fmt.Errorf("event log %s: a damaged line: %w", d.Path, err)
		}
	}
	if d.header.Format < 2 { // or the first line is damaged
		e.translate()
		d.header.Time = cmp.Or(d.header.Time, e.Time) // about that of the first line
	}
	if d.header.Format < 2 || d.header.Format > 4 {
		e.Source, e.Kind = cmp.Or(e.Source, e.likelySource()), cmp.Or(e.Kind, Iteration)
	}
	d.header.complete(&e)
	return e, true, nil
}
