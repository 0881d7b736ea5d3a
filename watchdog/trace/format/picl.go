package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Record types and events of PICL. A line is
//
//	record event time processor process n [descriptor v1 ... vn]
//
// with the type of the n values as descriptor, which is absent if n is 0.
const (
	piclEntry, piclExit         = -3, -4
	piclMark                    = -2
	piclSend, piclReceive       = -21, -51
	piclIdle                    = -601
	piclString, piclCharacter   = 1, 0
	piclInt, piclLong           = 2, 3
	piclFloat, piclDouble       = 4, 5
	mostPICLValues              = 4096
	piclNamePrefix              = "event "
	piclRecordKey, piclEventKey = "record", "event"
)

// picl reads PICL.
type picl struct{ seq map[string]uint64 }

func newPICL() *picl { return &picl{map[string]uint64{}} }

// piclLine is the fields of a line.
type piclLine struct {
	record, event      int64
	time               float64
	processor, process int64
	descriptor         int
	values             []any
}

func (p *picl) line(text []byte, take func(trace.Record)) error {
	l, err := parsePICL(string(text))
	if err != nil {
		return err
	}
	r, err := l.toRecord()
	if err != nil {
		return err
	}
	p.seq[r.Process]++
	r.Seq = p.seq[r.Process]
	take(r)
	return nil
}

func parsePICL(text string) (l piclLine, err error) {
	words, err := splitQuoted(text)
	if err != nil {
		return l, err
	}
	if len(words) < 6 {
		return l, fmt.Errorf("a line of %d fields; want record, event, time, processor, process, n", len(words))
	}
	var n int64
	for i, f := range []struct {
		name string
		into *int64
	}{{"record", &l.record}, {"event", &l.event}, {"", nil}, {"processor", &l.processor}, {"process", &l.process},
		{"n", &n}} {
		if f.into == nil {
			continue
		}
		if *f.into, err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return l, fmt.Errorf("%s is %q, want a whole number", f.name, cut(words[i]))
		}
	}
	if l.time, err = finite(words[2]); err != nil {
		return l, fmt.Errorf("time is %q, want seconds", cut(words[2]))
	}
	if n < 0 || n > mostPICLValues {
		return l, fmt.Errorf("n is %d; 0 to %d values are read", n, mostPICLValues)
	}
	rest := words[6:]
	if n == 0 {
		if len(rest) > 0 {
			return l, fmt.Errorf("n is 0, but %d fields follow", len(rest))
		}
		return l, nil
	}
	if int64(len(rest)) != n+1 {
		return l, fmt.Errorf("n is %d, but %d fields follow; want a descriptor and n values", n, len(rest))
	}
	if l.descriptor, err = strconv.Atoi(rest[0]); err != nil || l.descriptor < piclCharacter ||
		l.descriptor > piclDouble {
		return l,
			fmt.Errorf("descriptor is %q, want 0 (character), 1 (string), 2 (int), 3 (long), 4 (float) or 5 (double)",
				cut(rest[0]))
	}
	for i, w := range rest[1:] {
		v, err := piclValue(l.descriptor, w)
		if err != nil {
			return l, fmt.Errorf("value %d is %q: %w", i+1, cut(w), err)
		}
		l.values = append(l.values, v)
	}
	return l, nil
}

func piclValue(descriptor int, word string) (any, error) {
	switch descriptor {
	case piclInt, piclLong:
		x, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return nil, errors.New("want a whole number")
		}
		return x, nil
	case piclFloat, piclDouble:
		x, err := finite(word)
		if err != nil {
			return nil, errors.New("want a number")
		}
		return x, nil
	}
	return word, nil
}

// toRecord gives the messages and regions that the analysis knows their kinds. Every other line becomes an Enter, a
// Leave or a Marker that has all of the line.
func (l *piclLine) toRecord() (trace.Record, error) {
	r := trace.Record{
		Time: l.time, Measured: l.time, Process: strconv.FormatInt(l.processor, 10),
		Thread: strconv.FormatInt(l.process, 10),
	}
	entry, exit := l.record == piclEntry, l.record == piclExit
	switch {
	case entry && l.event == piclSend:
		v, err := l.numbers("bytes, type and destination", 3)
		if err != nil {
			return r, err
		}
		r.Kind, r.From, r.To = trace.Send, r.Process, strconv.FormatInt(v[2], 10)
		r.Bytes, r.Type = v[0], v[1]
	case exit && l.event == piclSend && len(l.values) == 0:
		r.Kind, r.Name = trace.Leave, trace.Sending
	case entry && l.event == piclReceive:
		v, err := l.numbers("type", 1)
		if err != nil {
			return r, err
		}
		r.Kind, r.Name, r.To, r.Type = trace.Enter, trace.Receiving, r.Process, v[0]
	case exit && l.event == piclReceive:
		v, err := l.numbers("bytes, type and source", 3)
		if err != nil {
			return r, err
		}
		r.Kind, r.To, r.From = trace.Receive, r.Process, strconv.FormatInt(v[2], 10)
		r.Bytes, r.Type = v[0], v[1]
	case (entry || exit) && l.event == piclIdle && len(l.values) == 0:
		r.Kind, r.Name = trace.Enter, trace.Idle
		if exit {
			r.Kind = trace.Leave
		}
	default:
		l.other(&r)
	}
	return r, nil
}

// other fills in a record for a line that the analysis does not know.
func (l *piclLine) other(r *trace.Record) {
	r.Kind, r.Name = trace.Marker, piclNamePrefix+strconv.FormatInt(l.event, 10)
	switch l.record {
	case piclEntry:
		r.Kind = trace.Enter
	case piclExit:
		r.Kind = trace.Leave
	}
	r.Values = map[string]any{piclRecordKey: l.record, piclEventKey: l.event}
	if len(l.values) > 0 {
		r.Values["descriptor"] = int64(l.descriptor)
	}
	for i, v := range l.values {
		r.Values["v"+strconv.Itoa(i+1)] = v
	}
}

// numbers returns the values of a message, of which n must be there.
func (l *piclLine) numbers(what string, n int) ([]int64, error) {
	if len(l.values) != n {
		return nil, fmt.Errorf("event %d has %d values, want %s", l.event, len(l.values), what)
	}
	list := make([]int64, n)
	for i, v := range l.values {
		x, ok := v.(int64)
		if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			x, ok = int64(f), true
		}
		if !ok {
			return nil, fmt.Errorf("event %d: value %d is %v, want a whole number", l.event, i+1, v)
		}
		list[i] = x
	}
	return list, nil
}

// piclWriter writes PICL. Processes that are no numbers get some, from the first that is free.
type piclWriter struct {
	to       *bufio.Writer
	decimals int
	text     []byte // of a line
	last     float64
	numbers  map[string]int64
	used     map[int64]bool
	regions  map[string]int64
}

func newPICLWriter(to io.Writer) Writer { return NewPICL(to, 0) }

// NewPICL returns a writer of PICL whose times have at least so many decimals. They have more where these would change
// the time.
func NewPICL(to io.Writer, decimals int) Writer {
	return &piclWriter{to: bufio.NewWriterSize(to, 64<<10), decimals: decimals, last: math.Inf(-1),
		numbers: map[string]int64{}, used: map[int64]bool{}, regions: map[string]int64{}}
}

// Write implements [Writer]. It refuses a record that is earlier than the one before: times ascend in PICL.
func (w *piclWriter) Write(r *trace.Record) error {
	if r.Time < w.last {
		return fmt.Errorf("a record at %v s after one at %v s; times ascend in PICL", r.Time, w.last)
	}
	w.last = r.Time
	switch {
	case r.Values[piclRecordKey] != nil && r.Values[piclEventKey] != nil:
		return w.unharmed(r)
	case r.Kind == trace.Send:
		return w.entry(r, piclEntry, piclSend, r.Bytes, r.Type, w.number(r.To))
	case r.Kind == trace.Receive:
		return w.entry(r, piclExit, piclReceive, r.Bytes, r.Type, w.number(r.From))
	case r.Kind == trace.Enter && r.Name == trace.Receiving:
		return w.entry(r, piclEntry, piclReceive, r.Type)
	case r.Kind == trace.Enter:
		return w.entry(r, piclEntry, w.region(r.Name))
	case r.Kind == trace.Leave:
		return w.entry(r, piclExit, w.region(r.Name))
	}
	return w.marker(r)
}

// region is the event of a region: those of users are numbers from 1.
func (w *piclWriter) region(name string) int64 {
	switch name {
	case trace.Sending:
		return piclSend
	case trace.Receiving:
		return piclReceive
	case trace.Idle:
		return piclIdle
	}
	n, ok := w.regions[name]
	if !ok {
		n = int64(len(w.regions) + 1)
		w.regions[name] = n
	}
	return n
}

func (w *piclWriter) number(process string) int64 {
	if n, ok := w.numbers[process]; ok {
		return n
	}
	n, err := strconv.ParseInt(process, 10, 64)
	if err != nil || w.used[n] {
		for n = 0; w.used[n]; {
			n++
		}
	}
	w.numbers[process], w.used[n] = n, true
	return n
}

// head begins a line.
func (w *piclWriter) head(r *trace.Record, record, event int64) {
	thread, _ := strconv.ParseInt(r.Thread, 10, 64) // a name: 0
	text := strconv.AppendInt(w.text[:0], record, 10)
	text = strconv.AppendInt(append(text, ' '), event, 10)
	text = w.time(append(text, ' '), r.Time)
	text = strconv.AppendInt(append(text, ' '), w.number(r.Process), 10)
	w.text = strconv.AppendInt(append(text, ' '), thread, 10)
	_, _ = w.to.Write(w.text)
}

func (w *piclWriter) time(text []byte, time float64) []byte {
	begin := len(text)
	text = strconv.AppendFloat(text, time, 'f', -1, 64)
	decimals := 0
	if point := bytes.IndexByte(text[begin:], '.'); point >= 0 {
		decimals = len(text) - begin - point - 1
	} else if w.decimals > 0 {
		text = append(text, '.')
	}
	for ; decimals < w.decimals; decimals++ {
		text = append(text, '0')
	}
	return text
}

func (w *piclWriter) entry(r *trace.Record, record, event int64, values ...int64) error {
	w.head(r, record, event)
	text := strconv.AppendInt(append(w.text[:0], ' '), int64(len(values)), 10)
	if len(values) > 0 {
		text = strconv.AppendInt(append(text, ' '), piclInt, 10)
	}
	for _, v := range values {
		text = strconv.AppendInt(append(text, ' '), v, 10)
	}
	w.text = append(text, '\n')
	_, err := w.to.Write(w.text)
	return err
}

// unharmed writes a line as it was read.
func (w *piclWriter) unharmed(r *trace.Record) error {
	w.head(r, whole(r.Values[piclRecordKey]), whole(r.Values[piclEventKey]))
	var values []any
	for i := 1; r.Values["v"+strconv.Itoa(i)] != nil; i++ {
		values = append(values, r.Values["v"+strconv.Itoa(i)])
	}
	return w.values(whole(r.Values["descriptor"]), values)
}

// marker writes a record that PICL has no event for, with its numbers in the order of their names.
func (w *piclWriter) marker(r *trace.Record) error {
	w.head(r, piclMark, w.region(r.Name))
	var values []any
	for _, name := range sortedKeys(r.Values) {
		if x, ok := number(r.Values[name]); ok {
			values = append(values, x)
		}
	}
	return w.values(piclDouble, values)
}

func (w *piclWriter) values(descriptor int64, values []any) error {
	_, _ = fmt.Fprintf(w.to, " %d", len(values))
	if len(values) > 0 {
		_, _ = fmt.Fprintf(w.to, " %d", descriptor)
	}
	for _, v := range values {
		switch x := v.(type) {
		case string:
			if x == "" || strings.ContainsAny(x, " \t\"") {
				x = strconv.Quote(x)
			}
			_, _ = fmt.Fprintf(w.to, " %s", x)
		case float64:
			_, _ = fmt.Fprintf(w.to, " %s", strconv.FormatFloat(x, 'g', -1, 64))
		default:
			_, _ = fmt.Fprintf(w.to, " %v", x)
		}
	}
	return w.to.WriteByte('\n')
}

// Close implements [Writer].
func (w *piclWriter) Close() error { return w.to.Flush() }

// splitQuoted splits a line at blanks outside double quotes.
func splitQuoted(text string) ([]string, error) {
	if !strings.Contains(text, `"`) {
		return strings.Fields(text), nil
	}
	var words []string
	for text = strings.TrimLeft(text, " \t"); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] != '"' {
			end := strings.IndexAny(text, " \t")
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, text[:end]), text[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, errors.New("a quote is not closed")
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("%s is no text", cut(quoted))
		}
		words, text = append(words, word), text[len(quoted):]
	}
	return words, nil
}
