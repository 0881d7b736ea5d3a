package sensor

// The binary form of records: a stream that explains itself, for files and for other processes. Numbers are varints of
// encoding/binary, signed ones zigzag, texts their length and their bytes.
//
//	stream   magic, frames
//	frame    1, text                                         a sensor: its Spec in JSON; numbered from 0
//	         2, sensor, texts run, thread, block             an origin; numbered from 0
//	         3, origin, time, sequence, 0, values            a record
//	         4, number                                       ignored; older versions wrote it
//	         5, text                                         an event, in JSON
//	         6                                               the end of a batch
//	         7, sensor, texts run, thread, block, peer, type an origin with a peer; numbered with the others
//	         8, origin, time, sequence, step, values         a record of a region, a message or a child
//	         9, origin, time, sequence, value                a record of a marker
//	         10, text                                        the summary, in JSON
//
// The time is the difference to that of the record before, ns, the first to the beginning of 1970. The sequence is the
// number of missing records between the origin's last record and this. Values are as many as the sensor has fields, 8
// bytes each, little endian. The value of a marker is a signed number, a text, or a float of its 4 or 8 bytes. A
// record of 8 numbers takes 64 bytes and about 8 more.

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// Magic begins a stream. Its last letter is the version.
const Magic = "PSR1"

const (
	frameSensor = 1 + iota
	frameOrigin
	frameRecord
	frameLost
	frameEvent
	frameEnd
	framePeer
	frameStep
	frameMark
	frameSummary
)

// Writer writes the binary form, one write a batch.
type Writer struct {
	to      io.Writer
	line    []byte
	begun   bool
	sensors map[*Spec]uint64
	origins map[*Origin]*written
	time    int64 // of the last record
}

// written is the state of an origin in a stream.
type written struct {
	number   uint64
	sequence uint64 // of its last record
}

// NewWriter returns a writer that begins a stream with its first batch.
func NewWriter(to io.Writer) *Writer {
	return &Writer{to: to, sensors: map[*Spec]uint64{}, origins: map[*Origin]*written{}}
}

// Write writes a batch.
func (w *Writer) Write(b Batch) error {
	if w.line = w.line[:0]; !w.begun {
		w.line = append(w.line, Magic...)
		w.begun = true
	}
	for i := range b.Events {
		if err := w.json(frameEvent, &b.Events[i]); err != nil {
			return err
		}
	}
	for i := range b.Records {
		if err := w.record(&b.Records[i]); err != nil {
			return err
		}
	}
	if b.Summary != nil {
		if err := w.json(frameSummary, b.Summary); err != nil {
			return err
		}
	}
	w.line = append(w.line, frameEnd)
	if _, err := w.to.Write(w.line); err != nil {
		return fmt.Errorf("sensor records: %w", err)
	}
	return nil
}

func (w *Writer) json(frame byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("sensor records: %w", err)
	}
	w.line = append(w.line, frame)
	w.text(string(text))
	return nil
}

func (w *Writer) text(s string) {
	w.line = append(binary.AppendUvarint(w.line, uint64(len(s))), s...)
}

func (w *Writer) record(r *Record) error {
	o := w.origins[r.From]
	if o == nil {
		if err := w.origin(r.From); err != nil {
			return err
		}
		o = w.origins[r.From]
	}
	at, kind := r.Time.UnixNano(), byte(frameStep)
	switch {
	case r.From.Spec.Kind == Tracing:
		kind = frameRecord
	case r.From.Spec.Kind == Marker:
		kind = frameMark
	}
	w.line = binary.AppendUvarint(append(w.line, kind), o.number)
	w.line = binary.AppendVarint(w.line, at-w.time)
	w.line = binary.AppendUvarint(w.line, r.Sequence-o.sequence-1)
	if w.time, o.sequence = at, r.Sequence; kind == frameMark {
		w.mark(r)
		return nil
	}
	w.line = append(w.line, byte(r.Step))
	for _, x := range r.Values {
		w.line = binary.LittleEndian.AppendUint64(w.line, math.Float64bits(x))
	}
	return nil
}

// mark writes the value of a marker.
func (w *Writer) mark(r *Record) {
	switch r.From.form() {
	case "":
		w.line = binary.LittleEndian.AppendUint64(w.line, math.Float64bits(r.Values[0]))
	case Float32:
		w.line = binary.LittleEndian.AppendUint32(w.line, math.Float32bits(float32(r.Values[0])))
	case Text:
		w.text(r.Text)
	default:
		w.line = binary.AppendVarint(w.line, r.Int)
	}
}

// origin writes the origin of records, and its sensor.
func (w *Writer) origin(from *Origin) error {
	sensor, ok := w.sensors[from.Spec]
	if !ok {
		if err := w.json(frameSensor, from.Spec); err != nil {
			return err
		}
		sensor = uint64(len(w.sensors))
		w.sensors[from.Spec] = sensor
	}
	kind, texts := byte(frameOrigin), []string{from.Run, from.Thread, from.Block}
	if from.Peer != "" || from.Type != 0 {
		kind, texts = framePeer, append(texts, from.Peer)
	}
	w.line = binary.AppendUvarint(append(w.line, kind), sensor)
	for _, s := range texts {
		w.text(s)
	}
	if kind == framePeer {
		w.line = binary.AppendVarint(w.line, from.Type)
	}
	w.origins[from] = &written{number: uint64(len(w.origins))}
	return nil
}
