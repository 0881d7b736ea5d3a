package format

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// row is a record in a table.
type row struct {
	Time     float64 `parquet:"time"`
	Measured float64 `parquet:"measured"`
	Host     string  `parquet:"host,dict"`
	Process  string  `parquet:"process,dict"`
	Thread   string  `parquet:"thread,dict"`
	Seq      int64   `parquet:"seq"`
	Kind     string  `parquet:"kind,dict"`
	Name     string  `parquet:"name,dict"`
	From     string  `parquet:"from,dict"`
	To       string  `parquet:"to,dict"`
	Type     int64   `parquet:"type"`
	Bytes    int64   `parquet:"bytes"`
	Count    int64   `parquet:"count"`
	Values   string  `parquet:"values"` // in JSON; empty: none
}

// columns are the names of a row's fields.
var columns = []string{
	"time", "measured", "host", "process", "thread", "seq", "kind", "name", "from", "to", "type", "bytes", "count",
	"values",
}

func toRow(r *trace.Record) (row, error) {
	t := row{
		r.Time, r.Measured, r.Host, r.Process, r.Thread, int64(r.Seq), string(r.Kind), r.Name, r.From, r.To, r.Type,
		r.Bytes, r.Count, "",
	}
	if len(r.Values) > 0 {
		text, err := json.Marshal(r.Values)
		if err != nil {
			return t, fmt.Errorf("values of a record: %w", err)
		}
		t.Values = string(text)
	}
	return t, nil
}

// csvWriter writes a header, and a row for each record.
type csvWriter struct{ to *csv.Writer }

func newCSV(to io.Writer) Writer {
	c := &csvWriter{csv.NewWriter(to)}
	_ = c.to.Write(columns) // Close has the error
	return c
}

// Write implements [Writer].
func (c *csvWriter) Write(r *trace.Record) error {
	t, err := toRow(r)
	if err != nil {
		return err
	}
	whole := func(x int64) string { return strconv.FormatInt(x, 10) }
	float := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return c.to.Write([]string{
		float(t.Time), float(t.Measured), t.Host, t.Process, t.Thread, whole(t.Seq), t.Kind, t.Name, t.From, t.To,
		whole(t.Type), whole(t.Bytes), whole(t.Count), t.Values,
	})
}

// Close implements [Writer].
func (c *csvWriter) Close() error {
	c.to.Flush()
	return c.to.Error()
}

// parquetWriter writes the rows in groups.
type parquetWriter struct {
	to   *parquet.GenericWriter[row]
	rows []row
}

// mostRows is the number of rows that are collected before they are written.
const mostRows = 1 << 12

func newParquet(to io.Writer) Writer {
	return &parquetWriter{to: parquet.NewGenericWriter[row](to, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(1<<18))}
}

// Write implements [Writer].
func (p *parquetWriter) Write(r *trace.Record) error {
	t, err := toRow(r)
	if p.rows = append(p.rows, t); err != nil || len(p.rows) < mostRows {
		return err
	}
	return p.flush()
}

func (p *parquetWriter) flush() error {
	_, err := p.to.Write(p.rows)
	p.rows = p.rows[:0]
	return err
}

// Close implements [Writer].
func (p *parquetWriter) Close() error {
	if err := p.flush(); err != nil {
		return err
	}
	return p.to.Close()
}
