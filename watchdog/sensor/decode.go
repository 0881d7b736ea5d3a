package sensor

// Reading the binary form. Its source is not trusted: the contents are checked, and the memory is at most proportional
// to its length.

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
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
	values   int    // of a record
	sequence uint64 // of its last record
}

// NewReader returns a reader of a stream.
func NewReader(from io.Reader) *Reader { return &Reader{from: counted{Reader: bufio.NewReader(from)}} }

// Events passes on the monitor's events, and each record as an event, until the stream ends, which is no error, or take
// fails. Another error is a *CodeError, or that of the stream; the records before it have been passed on.
func (r *Reader) Events(take func(event.Event) error) error {
	for {
		b, err := r.read()
		for e := range b.All() {
			if err := take(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Read passes on the batches of the stream until it ends, with the errors of [Reader.Events]. A batch is lent until
// take returns.
func (r *Reader) Read(take func(Batch)) error {
	for {
		b, err := r.read()
		take(b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// read returns the next batch, which is valid until the next call. Its error is io.EOF at the end of the stream.
func (r *Reader) read() (Batch, error) {
	r.basket.empty()
	var b Batch
	err := r.batch(&b)
	b.Records = r.basket.records
	if err == nil || err == io.EOF && r.from.offset == 0 {
		return b, err
	}
	if err == errEnd {
		return b, io.EOF
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, &CodeError{r.from.offset, err}
}

// errEnd is the end of a stream where it may be.
var errEnd = errors.New("the end")

func (r *Reader) batch(b *Batch) error {
	if !r.begun {
		if err := r.begin(); err != nil {
			return err
		}
	}
	for first := true; len(r.basket.records) < mostTaken; first = false {
		kind, err := r.from.ReadByte()
		if err == io.EOF && first {
			return errEnd
		}
		if err != nil {
			return err
		}
		if kind == frameEnd {
			return nil
		}
		if err := r.frame(kind, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) begin() error {
	got, err := r.text(len(Magic), uint64(len(Magic)))
	if err != nil {
		return err
	}
	if got != Magic {
		return fmt.Errorf("it begins with %q, not with %q: it is not a stream of records, or of a version that this "+
			"program does not know", got, Magic)
	}
	r.begun = true
	return nil
}

func (r *Reader) frame(kind byte, b *Batch) error {
	switch kind {
	case frameSensor:
		return r.sensor()
	case frameOrigin:
		return r.origin(false)
	case framePeer:
		return r.origin(true)
	case frameRecord, frameStep, frameMark:
		return r.record(kind)
	case frameSummary:
		b.Summary = new(Summary)
		return r.json(mostEvent, b.Summary)
	case frameLost:
		_, err := binary.ReadUvarint(&r.from)
		return err
	case frameEvent:
		var e event.Event
		if err := r.json(mostEvent, &e); err != nil {
			return err
		}
		b.Events = append(b.Events, e)
		return nil
	}
	return fmt.Errorf("there is no frame %d", kind)
}

func (r *Reader) sensor() error {
	var s Spec
	if err := r.json(mostSpec, &s); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	r.sensors = append(r.sensors, &s)
	return nil
}

func (r *Reader) origin(withPeer bool) error {
	n, err := binary.ReadUvarint(&r.from)
	if err != nil {
		return err
	}
	if n >= uint64(len(r.sensors)) {
		return fmt.Errorf("an origin of sensor %d; %d have been declared", n, len(r.sensors))
	}
	o := &source{Origin: Origin{Spec: r.sensors[n]}, values: len(r.sensors[n].Fields)}
	texts := []*string{&o.Run, &o.Thread, &o.Block}
	if withPeer {
		texts = append(texts, &o.Peer)
	}
	for _, s := range texts {
		size, err := binary.ReadUvarint(&r.from)
		if err != nil {
			return err
		}
		if *s, err = r.text(mostDoc, size); err != nil {
			return err
		}
	}
	if withPeer {
		if o.Type, err = binary.ReadVarint(&r.from); err != nil {
			return err
		}
	}
	r.origins = append(r.origins, o)
	return nil
}

func (r *Reader) record(kind byte) error {
	n, err := binary.ReadUvarint(&r.from)
	if err != nil {
		return err
	}
	if n >= uint64(len(r.origins)) {
		return fmt.Errorf("a record of origin %d; %d have been named", n, len(r.origins))
	}
	o := r.origins[n]
	passed, err := binary.ReadVarint(&r.from)
	if err != nil {
		return err
	}
	missing, err := binary.ReadUvarint(&r.from)
	if err != nil {
		return err
	}
	if missing >= math.MaxInt64 || o.sequence+missing >= math.MaxInt64 {
		return fmt.Errorf("a record behind %d missing ones", missing)
	}
	from, record := len(r.basket.values), Record{From: &o.Origin}
	if (kind == frameMark) != (o.Spec.Kind == Marker) {
		return fmt.Errorf("a record of frame %d of a sensor of kind %s", kind, o.Spec.Kind)
	}
	if kind == frameMark {
		err = r.mark(&record)
	} else {
		err = r.stepped(&record, kind, o.values)
	}
	if err != nil {
		return err
	}
	r.time += passed
	o.sequence += missing + 1
	record.Time, record.Sequence = time.Unix(0, r.time).UTC(), o.sequence
	r.basket.add(record, from)
	return nil
}

// stepped reads a record's step and values.
func (r *Reader) stepped(to *Record, kind byte, values int) error {
	step, err := binary.ReadUvarint(&r.from)
	if err != nil {
		return err
	}
	if kind == frameStep { // in the other older versions wrote a number
		if to.Step = Step(step); step > uint64(Called) {
			return fmt.Errorf("there is no step %d", step)
		}
	}
	return r.values(values)
}

// mark reads the value of a marker.
func (r *Reader) mark(to *Record) (err error) {
	switch to.From.form() {
	case "":
		return r.values(1)
	case Float32:
		if _, err = r.from.fill(r.bytes[:4]); err == nil {
			x := math.Float32frombits(binary.LittleEndian.Uint32(r.bytes[:4]))
			r.basket.values = append(r.basket.values, float64(x))
		}
		return err
	case Text:
		size, err := binary.ReadUvarint(&r.from)
		if err == nil {
			to.Text, err = r.text(mostText, size)
		}
		return err
	}
	to.Int, err = binary.ReadVarint(&r.from)
	return err
}

// values appends so many to the basket.
func (r *Reader) values(n int) error {
	if _, err := r.from.fill(r.bytes[:8*n]); err != nil {
		return err
	}
	for i := range n {
		r.basket.values = append(r.basket.values, math.Float64frombits(binary.LittleEndian.Uint64(r.bytes[8*i:])))
	}
	return nil
}

func (r *Reader) json(most int, v any) error {
	size, err := binary.ReadUvarint(&r.from)
	if err != nil {
		return err
	}
	text, err := r.text(most, size)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), v)
}

// text reads a text of a size that may be false.
func (r *Reader) text(most int, size uint64) (string, error) {
	if size > uint64(most) {
		return "", fmt.Errorf("a text of %d bytes; at most %d are allowed", size, most)
	}
	bytes := make([]byte, size)
	n, err := r.from.fill(bytes)
	return string(bytes[:n]), err
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

// fill reads until the slice is full.
func (c *counted) fill(into []byte) (int, error) {
	n, err := io.ReadFull(c.Reader, into)
	c.offset += int64(n)
	return n, err
}
