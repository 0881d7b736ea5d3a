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

// piclRegions are the events of the regions that the analysis knows.
var piclRegions = map[string]int64{trace.Sending: piclSend, trace.Receiving: piclReceive, trace.Idle: piclIdle}

// picl reads PICL.
type picl struct {
	seq    map[string]uint64
	words  []string // of the line
	values []any    // of the line
}

func newPICL() *picl { return &picl{seq: map[string]uint64{}} }

var piclFields = [...]string{"record", "event", "processor", "process", "n"}

func (p *picl) line(text []byte, take func(trace.Record)) (err error) {
	if p.words, err = splitQuoted(p.words[:0], string(text)); err != nil {
		return err
	}
	w := p.words
	if len(w) < 6 {
		return fmt.Errorf("a line of %d fields; want record, event, time, processor, process, n", len(w))
	}
	var head [len(piclFields)]int64
	if err = wholes(head[:2], w[:2], piclFields[:2]); err == nil {
		err = wholes(head[2:], w[3:6], piclFields[2:])
	}
	if err != nil {
		return err
	}
	at, err := finite(w[2])
	if err != nil {
		return fmt.Errorf("time is %q, want seconds", cut(w[2]))
	}
	descriptor, err := p.parseValues(head[4], w[6:])
	if err != nil {
		return err
	}
	r := trace.Record{Time: at, Measured: at, Process: strconv.FormatInt(head[2], 10),
		Thread: strconv.FormatInt(head[3], 10)}
	if err := p.fill(&r, head[0], head[1], descriptor); err != nil {
		return err
	}
	p.seq[r.Process]++
	r.Seq = p.seq[r.Process]
	take(r)
	return nil
}

// parseValues parses the descriptor and the values after n.
func (p *picl) parseValues(n int64, rest []string) (descriptor int64, err error) {
	p.values = p.values[:0]
	switch {
	case n < 0 || n > mostPICLValues:
		return 0, fmt.Errorf("n is %d; 0 to %d values are read", n, mostPICLValues)
	case n == 0 && len(rest) > 0:
		return 0, fmt.Errorf("n is 0, but %d fields follow", len(rest))
	case n == 0:
		return 0, nil
	case int64(len(rest)) != n+1:
		return 0, fmt.Errorf("n is %d, but %d fields follow; want a descriptor and n values", n, len(rest))
	}
	descriptor, err = strconv.ParseInt(rest[0], 10, 64)
	if err != nil || descriptor < piclCharacter || descriptor > piclDouble {
		return 0,
			fmt.Errorf("descriptor is %q, want 0 (character), 1 (string), 2 (int), 3 (long), 4 (float) or 5 (double)",
				cut(rest[0]))
	}
	for i, word := range rest[1:] {
		var v any = word
		switch descriptor {
		case piclInt, piclLong:
			v, err = strconv.ParseInt(word, 10, 64)
			if err != nil {
				err = errWhole
			}
		case piclFloat, piclDouble:
			if v, err = finite(word); err != nil {
				err = errNumber
			}
		}
		if err != nil {
			return 0, fmt.Errorf("value %d is %q: want %w", i+1, cut(word), err)
		}
		p.values = append(p.values, v)
	}
	return descriptor, nil
}

// fill gives the messages and regions that the analysis knows their kinds. Every other line becomes an Enter, a Leave
// or a Marker that has all of the line.
func (p *picl) fill(r *trace.Record, record, event, descriptor int64) (err error) {
	entry, exit := record == piclEntry, record == piclExit
	var v [3]int64
	switch {
	case entry && event == piclSend:
		v, err = p.numbers(event, "bytes, type and destination", 3)
		r.Kind, r.From, r.To, r.Bytes, r.Type = trace.Send, r.Process, strconv.FormatInt(v[2], 10), v[0], v[1]
	case exit && event == piclSend && len(p.values) == 0:
		r.Kind, r.Name = trace.Leave, trace.Sending
	case entry && event == piclReceive:
		v, err = p.numbers(event, "type", 1)
		r.Kind, r.Name, r.To, r.Type = trace.Enter, trace.Receiving, r.Process, v[0]
	case exit && event == piclReceive:
		v, err = p.numbers(event, "bytes, type and source", 3)
		r.Kind, r.From, r.To, r.Bytes, r.Type = trace.Receive, strconv.FormatInt(v[2], 10), r.Process, v[0], v[1]
	case entry && event == piclIdle && len(p.values) == 0:
		r.Kind, r.Name = trace.Enter, trace.Idle
	case exit && event == piclIdle && len(p.values) == 0:
		r.Kind, r.Name = trace.Leave, trace.Idle
	default:
		p.other(r, record, event, descriptor)
	}
	return err
}

// other fills in a record for a line that the analysis does not know.
func (p *picl) other(r *trace.Record, record, event, descriptor int64) {
	r.Kind, r.Name = trace.Marker, piclNamePrefix+strconv.FormatInt(event, 10)
	switch record {
	case piclEntry:
		r.Kind = trace.Enter
	case piclExit:
		r.Kind = trace.Leave
	}
	r.Values = map[string]any{piclRecordKey: record, piclEventKey: event}
	if len(p.values) > 0 {
		r.Values["descriptor"] = descriptor
	}
	for i, v := range p.values {
		r.Values["v"+strconv.Itoa(i+1)] = v
	}
}

// numbers returns the values of a message, of which n must be there.
func (p *picl) numbers(event int64, what string, n int) (list [3]int64, err error) {
	if len(p.values) != n {
		return list, fmt.Errorf("event %d has %d values, want %s", event, len(p.values), what)
	}
	for i, v := range p.values {
		x, isWhole := v.(int64)
		if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			x, isWhole = int64(f), true
		}
		if list[i] = x; !isWhole {
			return list, fmt.Errorf("event %d: value %d is %v, want a whole number", event, i+1, v)
		}
	}
	return list, nil
}

// piclWriter writes PICL. Processes that are no numbers get some, from the first that is free.
type piclWriter struct {
	to       *bufio.Writer
	decimals int
	text     []byte // of a line
	last     float64
	at       []byte // last, written
	numbers  map[string]int64
	used     map[int64]bool
	plain    []bool // by number: it is that of the process with this name
	regions  map[string]int64
}

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
	if r.Time != w.last {
		w.last, w.at = r.Time, w.time(w.at[:0], r.Time)
	}
	switch {
	case len(r.Values) > 0 && r.Values[piclRecordKey] != nil && r.Values[piclEventKey] != nil: // as it was read
		var values []any
		for i := 1; r.Values["v"+strconv.Itoa(i)] != nil; i++ {
			values = append(values, r.Values["v"+strconv.Itoa(i)])
		}
		return w.put(r, whole(r.Values[piclRecordKey]), whole(r.Values[piclEventKey]), whole(r.Values["descriptor"]),
			values...)
	case r.Kind == trace.Send:
		return w.putInts(r, piclEntry, piclSend, r.Bytes, r.Type, w.number(r.To))
	case r.Kind == trace.Receive:
		return w.putInts(r, piclExit, piclReceive, r.Bytes, r.Type, w.number(r.From))
	case r.Kind == trace.Enter && r.Name == trace.Receiving:
		return w.putInts(r, piclEntry, piclReceive, r.Type)
	case r.Kind == trace.Enter:
		return w.putInts(r, piclEntry, w.region(r.Name))
	case r.Kind == trace.Leave:
		return w.putInts(r, piclExit, w.region(r.Name))
	}
	var values []any // PICL has no event for it: its numbers, in the order of their names
	for _, name := range sortedKeys(r.Values) {
		if x, ok := trace.Number(r.Values[name]); ok {
			values = append(values, x)
		}
	}
	return w.put(r, piclMark, w.region(r.Name), piclDouble, values...)
}

// region is the event of a region: those of users are numbers from 1.
func (w *piclWriter) region(name string) int64 {
	if n, known := piclRegions[name]; known {
		return n
	}
	if w.regions[name] == 0 {
		w.regions[name] = int64(len(w.regions) + 1)
	}
	return w.regions[name]
}

func (w *piclWriter) number(process string) int64 {
	k := plainNumber(process)
	if k >= 0 && k < len(w.plain) && w.plain[k] {
		return int64(k)
	}
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
	if k >= 0 && n == int64(k) {
		w.plain = append(w.plain, make([]bool, max(0, k+1-len(w.plain)))...)
		w.plain[k] = true
	}
	return n
}

// plainNumber returns the number that a name of up to six digits is, written without a leading zero; -1: it is none.
func plainNumber(name string) (n int) {
	if name == "" || len(name) > 6 || len(name) > 1 && name[0] == '0' {
		return -1
	}
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return -1
		}
		n = 10*n + int(name[i]-'0')
	}
	return n
}

// begin begins a line of so many values, up to the descriptor.
func (w *piclWriter) begin(r *trace.Record, record, event, descriptor int64, values int) []byte {
	thread, _ := strconv.ParseInt(r.Thread, 10, 64) // a name: 0
	text := strconv.AppendInt(w.text[:0], record, 10)
	text = strconv.AppendInt(append(text, ' '), event, 10)
	text = append(append(text, ' '), w.at...)
	for _, n := range [...]int64{w.number(r.Process), thread, int64(values)} {
		text = strconv.AppendInt(append(text, ' '), n, 10)
	}
	if values > 0 {
		text = strconv.AppendInt(append(text, ' '), descriptor, 10)
	}
	return text
}

// putInts writes a line of whole numbers.
func (w *piclWriter) putInts(r *trace.Record, record, event int64, values ...int64) error {
	text := w.begin(r, record, event, piclInt, len(values))
	for _, n := range values {
		text = strconv.AppendInt(append(text, ' '), n, 10)
	}
	return w.end(text)
}

func (w *piclWriter) end(text []byte) error {
	w.text = append(text, '\n')
	_, err := w.to.Write(w.text)
	return err
}

// put writes a line.
func (w *piclWriter) put(r *trace.Record, record, event, descriptor int64, values ...any) error {
	text := w.begin(r, record, event, descriptor, len(values))
	for _, v := range values {
		text = append(text, ' ')
		switch x := v.(type) {
		case int64:
			text = strconv.AppendInt(text, x, 10)
		case float64:
			text = strconv.AppendFloat(text, x, 'g', -1, 64)
		default:
			word := fmt.Sprint(x)
			if word == "" || strings.ContainsAny(word, " \t\"") {
				word = strconv.Quote(word)
			}
			text = append(text, word...)
		}
	}
	return w.end(text)
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

// Close implements [Writer].
func (w *piclWriter) Close() error { return w.to.Flush() }

// splitQuoted appends the words of a line, which is split at blanks outside double quotes.
func splitQuoted(words []string, text string) ([]string, error) {
	blank := func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	for i := 0; i < len(text); {
		begin := i
		switch {
		case blank(text[i]):
			i++
		case text[i] == '"':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return nil, errors.New("a quote is not closed")
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s is no text", cut(quoted))
			}
			words, i = append(words, word), i+len(quoted)
		default:
			for i < len(text) && !blank(text[i]) {
				i++
			}
			words = append(words, text[begin:i])
		}
	}
	return words, nil
}
