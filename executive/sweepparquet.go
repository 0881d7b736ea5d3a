package executive

import (
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes the columns of WriteCSV with their types: DOUBLE, null where
// nothing could be computed, BOOLEAN for converged, the rest UTF-8 text. The columns of
// numbers are called by their paths; their units are in the file's metadata, as
// "unit:performance.Fn" = "N" ("1" without a unit), with "engine" and "sweep".
func (r *SweepResult) WriteParquet(w io.Writer) error {
	columns := r.Sweep.Columns()
	options := []parquet.WriterOption{
		parquet.Compression(&parquet.Snappy),
		parquet.KeyValueMetadata("engine", r.Engine),
		parquet.KeyValueMetadata("sweep", r.Sweep.Name),
	}
	names := r.names()
	for i, q := range columns {
		unit := q.Dim.Bare()
		if unit == "" {
			unit = "1"
		}
		options = append(options, parquet.KeyValueMetadata("unit:"+names[i], unit))
	}
	options = append(options, table(append(names, states...), len(columns)))
	out := parquet.NewWriter(w, options...)
	// Some rows at a time, since a sweep may have a million.
	const most = 1024
	batch := make([]parquet.Row, 0, most)
	for i := range r.Rows {
		batch = append(batch, r.Rows[i].parquet())
		if len(batch) == most || i == len(r.Rows)-1 {
			if _, err := out.WriteRows(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return out.Close()
}

// table is the schema of columns in this order, of which the first are numbers
// that may be null, the next is the flag converged, and the others are texts. A
// struct type is the one way to an order: parquet.Group sorts by name.
func table(names []string, numbers int) *parquet.Schema {
	fields := make([]reflect.StructField, len(names))
	for i, name := range names {
		f := reflect.StructField{Name: "C" + strconv.Itoa(i), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`parquet:"` + name + `"`)}
		switch {
		case i < numbers:
			f.Type = reflect.TypeFor[float64]()
			f.Tag = reflect.StructTag(`parquet:"` + name + `,optional"`)
		case i == numbers:
			f.Type = reflect.TypeFor[bool]()
		}
		fields[i] = f
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

func (row *SweepRow) parquet() parquet.Row {
	out := make(parquet.Row, 0, len(row.Values)+len(states))
	for i, v := range row.Values {
		if finite(v) {
			out = append(out, parquet.DoubleValue(v).Level(0, 1, i))
		} else {
			out = append(out, parquet.NullValue().Level(0, 0, i))
		}
	}
	out = append(out, parquet.BooleanValue(row.Converged).Level(0, 0, len(out)))
	for _, text := range []string{strings.Join(row.Limited, "; "), strings.Join(row.Extrapolated, "; "), row.Message} {
		out = append(out, parquet.ByteArrayValue([]byte(text)).Level(0, 0, len(out)))
	}
	return out
}
