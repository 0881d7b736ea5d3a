// Package format reads and writes the files of trace tools.
//
// Read: PICL (P. H. Worley, A New PICL Trace File Format, ORNL/TM-12125, 1992), PRASE, records as lines of JSON, and
// formats by a [Description], such as Viper's.
// Written: PICL, Perfetto (perfetto.dev, protos/perfetto/trace), Chrome (Trace Event Format), OpenTelemetry (OTLP/JSON,
// one request a line), CSV and Parquet. A file that cannot be read in parts is read in the other parts, and each
// problem is told with its line.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Limits of a trace.
const (
	mostLine     = 1 << 20 // bytes of a line; longer ones are skipped
	mostProblems = 1000    // problems of a file; the lines of the others are counted
	mostTime     = 1e15    // s, of either sign
)

// reader reads the lines of a format. A line has no line end. Its error is the line's problem.
type reader interface {
	line(text []byte, take func(trace.Record)) error
}

// ErrFormat reports a file of none of the formats.
var ErrFormat = errors.New("no trace: a line of PICL begins with a number (-3 -21 0.5 0 0 ...), of PRASE with a word " +
	"(sendw 0 4 ...), a record of JSON with a brace")

// Read passes on the records of a trace as its lines give them; [trace.Sort] puts the whole in order. It tells the
// lines that it skips, from number mostProblems on as a single problem. A file of sensors (package sensor) has offsets
// in place of lines. A nil description: the first line shows the format. Lines of JSON for which skips is true are not
// read; nil: all are. Its error is that of the input or of take, after which nothing is read, or ErrFormat.
func Read(from io.Reader, by *Description, skips func(line []byte) bool, take func(trace.Record) error,
	tell func(trace.Problem)) error {
	in := NewReader(from)
	var stop error
	give := func(r trace.Record) {
		if stop == nil {
			stop = take(r)
		}
	}
	count, rest := 0, trace.Problem{}
	limited := func(p trace.Problem) {
		if count++; count <= mostProblems {
			tell(p)
		} else if rest.Lines++; rest.Line == 0 {
			rest.Line = p.Line
		}
	}
	if head, err := in.Peek(len(sensor.Magic)); by == nil && err == nil && string(head) == sensor.Magic {
		err := readSensors(in, give, tell, &stop)
		return cmp.Or(stop, err)
	}
	var format reader
	if by != nil {
		format = newDescribed(by)
	}
	unknown := false // a line is of no format
	err := Lines(in, func(text []byte) (problem error) {
		of := format
		if of == nil {
			if of = recognise(text, skips); of == nil {
				unknown = true
				return fmt.Errorf("%w", ErrFormat) // the lines after it may be a trace
			}
		}
		var unsound error
		problem = of.line(text, func(r trace.Record) {
			if unsound = cmp.Or(unsound, fault(&r)); unsound == nil {
				give(r)
			}
		})
		if problem == nil { // a torn line does not decide the format
			format = of
		}
		if stop != nil {
			return errStop
		}
		return cmp.Or(problem, unsound)
	}, limited, func() error { return nil })
	if rest.Lines > 0 {
		rest.Message = fmt.Sprintf("this and %d further lines cannot be read", rest.Lines-1)
		tell(rest)
	}
	if unknown && format == nil {
		err = cmp.Or(err, ErrFormat)
	}
	return cmp.Or(stop, err)
}

// fault returns why a record has no place in a trace; nil: it has.
func fault(r *trace.Record) error {
	switch {
	case !(math.Abs(r.Time) <= mostTime) || !(math.Abs(r.Measured) <= mostTime):
		return fmt.Errorf("time is %g s, want %g s to %g s", r.Time, -mostTime, mostTime)
	case r.Bytes < 0:
		return fmt.Errorf("bytes is %d, want 0 or more", r.Bytes)
	}
	return nil
}

// errStop ends the reading of lines.
var errStop = errors.New("no more lines")

// All returns the records of a trace; see Read.
func All(from io.Reader, by *Description, tell func(trace.Problem)) (list []trace.Record, err error) {
	err = Read(from, by, nil, func(r trace.Record) error {
		list = append(list, r)
		return nil
	}, tell)
	return list, err
}

// Lines passes on the lines of an input that are neither empty nor comments. It tells the lines that are too long, or
// that take refuses. It calls idle before it waits for more.
func Lines(in *bufio.Reader, take func(text []byte) error, tell func(trace.Problem), idle func() error) error {
	for number := int64(1); ; number++ {
		if in.Buffered() == 0 {
			if err := idle(); err != nil {
				return err
			}
		}
		text, err := in.ReadSlice('\n')
		length := len(text)
		for err == bufio.ErrBufferFull {
			var more []byte
			more, err = in.ReadSlice('\n')
			length += len(more)
		}
		if err != nil && err != io.EOF {
			return err
		}
		var problem error
		if length > mostLine {
			problem = fmt.Errorf("a line of %d bytes is skipped; at most %d are read", length, mostLine)
		} else if line := bytes.TrimSpace(bytes.TrimPrefix(text, mark)); len(line) > 0 && line[0] != '#' {
			problem = take(line)
		}
		switch {
		case problem == errStop:
			return problem
		case problem != nil:
			tell(trace.Problem{Line: number, Message: problem.Error()})
		}
		if err == io.EOF {
			return nil
		}
	}
}

// mark begins texts of some editors.
var mark = []byte("\ufeff")

// NewReader returns a buffered reader that holds the longest line.
func NewReader(from io.Reader) *bufio.Reader { return bufio.NewReaderSize(from, mostLine+1) }

// recognise returns the reader of a trace with this line that is neither empty nor a comment; nil: of none.
func recognise(line []byte, skips func([]byte) bool) reader {
	switch c := line[0]; {
	case c == '{':
		return &jsonLines{skips}
	case strings.IndexByte("-+.0123456789", c) >= 0:
		return newPICL()
	case 'a' <= c|' ' && c|' ' <= 'z':
		return newPRASE()
	}
	return nil
}

// jsonLines reads records as [trace.Record] writes them.
type jsonLines struct{ skips func(line []byte) bool }

func (j *jsonLines) line(text []byte, take func(trace.Record)) error {
	if j.skips != nil && j.skips(text) {
		return nil
	}
	r := trace.Record{}
	if err := json.Unmarshal(text, &r); err != nil {
		return JSONFault(err)
	}
	switch {
	case r.Kind == "":
		return errors.New("a record without a kind")
	case !slices.Contains(trace.Kinds(), r.Kind):
		return unknownKind(r.Kind)
	}
	for name, v := range r.Values {
		if x, ok := v.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			r.Values[name] = int64(x)
		}
	}
	take(r)
	return nil
}

// JSONFault returns the reason why a line is no record in JSON.
func JSONFault(err error) error {
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) && e.Field != "" {
		return fmt.Errorf("no record in JSON: %s is of the wrong kind or size: %s", e.Field, cut(e.Value))
	} else if e != nil {
		return fmt.Errorf("no record in JSON: %s, want an object", e.Value)
	}
	return fmt.Errorf("no record in JSON: %w", err)
}

func unknownKind(kind trace.Kind) error {
	return fmt.Errorf("unknown kind %q; the kinds are %s", cut(string(kind)),
		strings.Join(document.Texts(trace.Kinds()), ", "))
}

// writers are the formats that are written.
var writers = []struct {
	name string
	make func(io.Writer) Writer
}{
	{"picl", func(to io.Writer) Writer { return NewPICL(to, 0) }},
	{"perfetto", newPerfetto}, {"chrome", newChrome}, {"otlp", newOTLP}, {"csv", newCSV}, {"parquet", newParquet},
}

// Names lists the formats that are written.
func Names() (names []string) {
	for _, w := range writers {
		names = append(names, w.name)
	}
	return names
}

// NewWriter returns a writer of a format of [Names].
func NewWriter(name string, to io.Writer) (Writer, error) {
	for _, w := range writers {
		if w.name == name {
			return w.make(to), nil
		}
	}
	return nil, fmt.Errorf("unknown format %q; the formats are %s", name, strings.Join(Names(), ", "))
}
