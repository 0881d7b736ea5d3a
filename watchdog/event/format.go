package event

// The format of event files. The first line names it. A file without that line has format 1: the data of a run's end
// were in values and text. Since format 3 the first line may have what all events of a run have in common, and the
// other lines lack it. Since format 4 the folder of an ended run has its request in its result. Since format 5 events
// of plugin and files have times in seconds after the time of the first line, and most lack their source. Each line is
// read alone, so that a lost line loses no other. The host's events have whole times: if the first line is lost, the
// first of them replaces its time.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Format is the latest version of event files. Files whose events have nothing in common are written in format 2, which
// is the same for them.
const Format = 5

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

	Time time.Time `json:"time,omitzero"` // of the first line: not common, but their times count from it
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

// line is the form of an event in a file of format 5.
type line struct {
	Source Source          `json:"source,omitempty"` // empty: see likelySource
	Seq    int64           `json:"seq"`
	Time   json.RawMessage `json:"time"`
	Kind   Kind            `json:"kind"`
	Event
}

// likelySource is the source of an event that lacks it.
func (e *Event) likelySource() Source {
	if e.File != "" {
		return File
	}
	return Plugin
}

// longestAfter is the largest number of seconds that stands for a time: as a float64 it has the nanosecond.
const longestAfter = 1e6

// short returns the line of an event.
func (c *Common) short(e Event) (l line, err error) {
	l = line{e.Source, e.Seq, nil, e.Kind, c.without(e)}
	drop(&l.Source, e.likelySource())
	after := e.Time.Sub(c.Time)
	if e.Source == Host || c.Time.IsZero() || e.Time.Location() != time.UTC || after < 0 ||
		after.Seconds() > longestAfter {
		l.Time, err = json.Marshal(e.Time)
		return l, err
	}
	digits := fmt.Sprintf("%010d", after.Nanoseconds())
	whole, part := digits[:len(digits)-9], strings.TrimRight(digits[len(digits)-9:], "0")
	if l.Time = append(l.Time, whole...); part != "" {
		l.Time = append(append(l.Time, '.'), part...)
	}
	return l, nil
}

var errNoStart = errors.New("a time counts from that of the first line, which is lost")

// at returns the time that is some seconds after that of the first line.
func (c *Common) at(after float64) (time.Time, error) {
	if c.Time.IsZero() {
		return time.Time{}, errNoStart
	}
	if !(math.Abs(after) <= longestAfter) {
		return time.Time{}, fmt.Errorf("a time of %g s after that of the first line", after)
	}
	return c.Time.Add(time.Duration(math.Round(after * 1e9))), nil
}

// slow reads a line of any form, by encoding/json.
func (c *Common) slow(text []byte) (Event, error) {
	var l struct {
		Time json.RawMessage `json:"time"`
		Event
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return Event{}, err
	}
	var err error
	if after, isNumber := strconv.ParseFloat(string(l.Time), 64); isNumber == nil {
		l.Event.Time, err = c.at(after)
	} else if l.Time != nil {
		err = json.Unmarshal(l.Time, &l.Event.Time)
	}
	return l.Event, err
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
