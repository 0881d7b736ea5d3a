package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// sniffers recognise a format by its first line that is neither empty nor a comment, in this order.
var sniffers = []struct {
	name string
	is   func(line []byte) bool
	make func() reader
}{
	{"JSON", func(l []byte) bool { return l[0] == '{' }, func() reader { return &jsonLines{} }},
	{"PICL", func(l []byte) bool { return strings.IndexByte("-+.0123456789", l[0]) >= 0 },
		func() reader { return newPICL() }},
	{"PRASE", func(l []byte) bool { return 'a' <= l[0]|' ' && l[0]|' ' <= 'z' }, func() reader { return newPRASE() }},
}

// ErrFormat reports a file of none of the formats.
var ErrFormat = errors.New("no trace: a line of PICL begins with a number (-3 -21 0.5 0 0 ...), of PRASE with a word " +
	"(sendw 0 4 ...), a record of JSON with a brace")

// Read passes on the records of a trace as its lines give them; [trace.Sort] puts the whole in order. It tells each
// line that it skips. A file of sensors (package sensor) has offsets in place of lines. A nil description: the first
// line shows the format. Its error is that of the input, or ErrFormat.
func Read(from io.Reader, by *Description, take func(trace.Record), tell func(trace.Problem)) error {
	in := bufio.NewReaderSize(from, 64<<10)
	if head, err := in.Peek(len(sensor.Magic)); by == nil && err == nil && string(head) == sensor.Magic {
		return readSensors(in, take, tell)
	}
	var format reader
	if by != nil {
		format = newDescribed(by)
	}
	for number := int64(1); ; number++ {
		text, err := readLine(in)
		var long *lineError
		switch {
		case errors.As(err, &long):
			tell(trace.Problem{Line: number, Message: err.Error()})
			continue
		case err != nil && err != io.EOF:
			return err
		}
		if line := bytes.TrimSpace(text); len(line) > 0 && line[0] != '#' {
			if format == nil {
				if format = recognise(line); format == nil {
					return ErrFormat
				}
			}
			if problem := format.line(line, take); problem != nil {
				tell(trace.Problem{Line: number, Message: problem.Error()})
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func recognise(line []byte) reader {
	for _, s := range sniffers {
		if s.is(line) {
			return s.make()
		}
	}
	return nil
}

// writers are the formats that are written.
var writers = map[string]func(io.Writer) Writer{
	"picl": newPICLWriter, "perfetto": newPerfetto, "chrome": newChrome, "otlp": newOTLP,
	"csv": newCSV, "parquet": newParquet,
}

// Names lists the formats that are written.
func Names() []string { return []string{"picl", "perfetto", "chrome", "otlp", "csv", "parquet"} }

// NewWriter returns a writer of a format of [Names].
func NewWriter(name string, to io.Writer) (Writer, error) {
	make, ok := writers[name]
	if !ok {
		return nil, fmt.Errorf("unknown format %q; the formats are %s", name, strings.Join(Names(), ", "))
	}
	return make(to), nil
}
