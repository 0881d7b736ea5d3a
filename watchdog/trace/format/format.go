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
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// mostLine is the length of the longest line that is read, bytes. Longer ones are skipped.
const mostLine = 1 << 20

// reader reads the lines of a format. A line has no line end. Its error is the line's problem.
type reader interface {
	line(text []byte, take func(trace.Record)) error
}

// lineError reports a line that is too long.
type lineError struct{ length int64 }

func (e *lineError) Error() string {
	return fmt.Sprintf("a line of %d bytes is skipped; at most %d are read", e.length, mostLine)
}

// readLine returns the next line, which is valid until the next call. Its error is io.EOF with the last line, or a
// *lineError.
func readLine(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return text, err
	}
	line := slices.Clone(text)
	length := int64(len(text))
	for err == bufio.ErrBufferFull {
		text, err = in.ReadSlice('\n')
		length += int64(len(text))
		if length <= mostLine {
			line = append(line, text...)
		}
	}
	if length > mostLine {
		if err != nil && err != io.EOF {
			return nil, err
		}
		return nil, &lineError{length}
	}
	return line, err
}

// jsonLines reads records as [trace.Record] writes them.
type jsonLines struct{}

func (*jsonLines) line(text []byte, take func(trace.Record)) error {
	r := trace.Record{}
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("no record in JSON: %w", err)
	}
	if r.Kind == "" {
		return errors.New("a record without a kind")
	}
	for name, v := range r.Values {
		if x, ok := v.(float64); ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			r.Values[name] = int64(x)
		}
	}
	take(r)
	return nil
}

// Writer writes the records of a trace, in the order of their times.
type Writer interface {
	Write(r *trace.Record) error
	Close() error // writes the end, and leaves the file open
}
