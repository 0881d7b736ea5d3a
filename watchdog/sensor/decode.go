package sensor

// Reading the binary form. Its source is not trusted: the contents are checked, and the memory is at most proportional
// to its length.

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Limits of texts in a stream, bytes. The limits of names are in spec.go.
const (
	mostSpec  = 128 << 10
	mostEvent = 1 << 20
)

// CodeError reports an invalid stream of records. It wraps io.ErrUnexpectedEOF if the stream was cut.
type CodeError struct {
	Offset int64 // bytes
	Err    error
}

func (e *CodeError) Error() string {
	return fmt.Sprintf("sensor records: at byte %d: %v; the records before are good", e.Offset, e.Err)
}

func (e *CodeError) Unwrap() error { return e.Err }

// Reader reads the stream of a Writer.
type Reader struct {
	from    counted
	err     error // the first of the stream: after it nothing is read
	begun   bool
	sensors []*Spec
	origins []*source
	time    int64 // of the last record
	basket  basket
	bytes   [8 * mostFields]byte // of the values of a record
}

// source is an origin of a stream.
type source struct {
	Origin
	sequence uint64 // of its last record
}

// NewReader returns a reader of a stream.
func NewReader(from io.Reader) *Reader { return &Reader{from: counted{Reader: bufio.NewReader(from)}} }

// Events passes on the monitor's events, and each record as an event; see Read.
func (r *Reader) Events(take func(event.Event) error) error {
	return r.Read(func(b Batch) error {
		for e := range b.All() {
			if err := take(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Read passes on the batches of the stream until it ends, which is no error, or take fails. A batch is lent until take
// returns. Another error is a *CodeError, or that of the stream; the records before it have been passed on.
func (r *Reader) Read(take func(Batch) error) error {
	for {
		r.basket.empty()
		var b Batch
		if r.batch(&b) {
			return nil
		}
		b.Records = r.basket.records
		if err := take(b); err != nil {
			return err
		}
		switch {
		case r.err == io.EOF && r.from.offset == 0:
			return nil
		case r.err == io.EOF:
			return &CodeError{r.from.offset, io.ErrUnexpectedEOF}
		case r.err != nil:
			return &CodeError{r.from.offset, r.err}
		}
	}
}

// batch reads a batch, and reports whether the stream has ended where it may.
func (r *Reader) batch(b *Batch) (ended bool) {
	if !r.begun {
		if got := string(r.fill(r.bytes[:len(Magic)])); r.err == nil && got != Magic {
			r.err = fmt.Errorf("it begins with %q, not with %q: it is not a stream of records, or of a version that "+
				"this program does not know", got, Magic)
		}
		r.begun = true
	}
	for first := true; r.err == nil && len(r.basket.records) < mostTaken; first = false {
		kind, err := r.from.ReadByte()
		switch {
		case err == io.EOF && first:
			return true
		case err != nil:
			r.err = err
		case kind == frameEnd:
			return false
		default:
			r.frame(kind, b)
		}
	}
	return false
}

func (r *Reader) frame(kind byte, b *Batch) {
	switch kind {
	case frameSensor:
		s := &Spec{}
		if r.json(mostSpec, s); r.err == nil {
			r.err = s.Check()
		}
		r.sensors = append(r.sensors, s)
	case frameOrigin, framePeer:
		r.origin(kind == framePeer)
	case frameRecord, frameStep, frameMark:
		r.record(kind)
	case frameSummary:
		s := new(Summary)
		if r.json(mostEvent, s); r.err == nil {
			b.Summary = s
		}
	case frameLost:
		r.uvarint()
	case frameEvent:
		var e event.Event
		if r.json(mostEvent, &e); r.err == nil {
			b.Events = append(b.Events, e)
		}
	default:
		r.err = fmt.Errorf("there is no frame %d", kind)
	}
}

func (r *Reader) origin(withPeer bool) {
	n := r.number(len(r.sensors), "an origin of sensor %d; %d have been declared")
	if r.err != nil {
		return
	}
	o := &source{Origin: Origin{Spec: r.sensors[n], Run: r.text(mostDoc), Thread: r.text(mostDoc),
		Block: r.text(mostDoc)}}
	if withPeer {
		o.Peer, o.Type = r.text(mostDoc), r.varint()
	}
	r.origins = append(r.origins, o)
}

func (r *Reader) record(kind byte) {
	n := r.number(len(r.origins), "a record of origin %d; %d have been named")
	passed, missing := r.varint(), r.uvarint()
	if r.err != nil {
		return
	}
	o := r.origins[n]
	from, record := len(r.basket.values), Record{From: &o.Origin}
	switch {
	case missing >= math.MaxInt64 || o.sequence+missing >= math.MaxInt64:
		r.err = fmt.Errorf("a record behind %d missing ones", missing)
	case (kind == frameMark) != (o.Spec.Kind == Marker):
		r.err = fmt.Errorf("a record of frame %d of a sensor of kind %s", kind, o.Spec.Kind)
	case kind == frameMark:
		r.mark(&record)
	default:
		step := r.uvarint()
		if kind == frameStep { // in the other older versions wrote a number
			if record.Step = Step(step); step > uint64(Called) {
				r.err = cmp.Or(r.err, fmt.Errorf("there is no step %d", step))
			}
		}
		r.values(len(o.Spec.Fields))
	}
	if r.err != nil {
		return
	}
	r.time += passed
	o.sequence += missing + 1
	record.Time, record.Sequence = time.Unix(0, r.time).UTC(), o.sequence
	r.basket.add(record, from)
}

// mark reads the value of a marker.
func (r *Reader) mark(to *Record) {
	switch to.From.form() {
	case "":
		r.values(1)
	case Float32:
		x := math.Float32frombits(binary.LittleEndian.Uint32(r.fill(r.bytes[:4])))
		r.basket.values = append(r.basket.values, float64(x))
	case Text:
		to.Text = r.text(mostText)
	default:
		to.Int = r.varint()
	}
}

// values appends so many to the basket.
func (r *Reader) values(n int) {
	for b := r.fill(r.bytes[:8*n]); len(b) > 0; b = b[8:] {
		r.basket.values = append(r.basket.values, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
}

func (r *Reader) json(most int, v any) {
	if text := r.text(most); r.err == nil {
		r.err = json.Unmarshal([]byte(text), v)
	}
}

// text reads a text, whose size may be false.
func (r *Reader) text(most int) string {
	size := r.uvarint()
	if size > uint64(most) {
		r.err = cmp.Or(r.err, fmt.Errorf("a text of %d bytes; at most %d are allowed", size, most))
	}
	if r.err != nil {
		return ""
	}
	return string(r.fill(make([]byte, size)))
}

// number reads the number of a thing of so many.
func (r *Reader) number(of int, wrong string) uint64 {
	n := r.uvarint()
	if n >= uint64(of) {
		r.err = cmp.Or(r.err, fmt.Errorf(wrong, n, of))
	}
	return n
}

func (r *Reader) uvarint() (x uint64) {
	if r.err == nil {
		x, r.err = binary.ReadUvarint(&r.from)
	}
	return x
}

func (r *Reader) varint() (x int64) {
	if r.err == nil {
		x, r.err = binary.ReadVarint(&r.from)
	}
	return x
}

// fill reads until the slice is full.
func (r *Reader) fill(into []byte) []byte {
	if r.err == nil {
		var n int
		n, r.err = io.ReadFull(r.from.Reader, into)
		r.from.offset += int64(n)
	}
	return into
}

// counted counts the bytes that are read.
type counted struct {
	*bufio.Reader
	offset int64
}

// ReadByte implements [io.ByteReader].
func (c *counted) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.offset++
	}
	return b, err
}
