package report

import (
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// This file writes tables as Parquet, for sweeps and histories alike.

// parquetTable is a table to be written: columns of numbers, each called by its
// path, a flag and texts after them.
type parquetTable struct {
	about   map[string]string // metadata of the file
	names   []string          // of all columns
	numbers []config.Quantity // the first columns; their units go into the metadata
	rows    int
	row     func(i int) parquet.Row
}

// write writes the table: numbers as DOUBLE, null where there is no value, the flag
// as BOOLEAN, the rest as UTF-8 text. The unit of a number is in the file's metadata, as
// "unit:performance.Fn" = "N" ("1" without a unit).
func (t *parquetTable) write(w io.Writer) error {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), t.schema()}
	for _, key := range slices.Sorted(maps.Keys(t.about)) {
		options = append(options, parquet.KeyValueMetadata(key, t.about[key]))
	}
	for i, q := range t.numbers {
		unit := q.Dim.Bare()
		if unit == "" {
			unit = "1"
		}
		options = append(options, parquet.KeyValueMetadata("unit:"+t.names[i], unit))
	}
	out := parquet.NewWriter(w, options...)
	// Some rows at a time, since there may be a million.
	const most = 1024
	batch := make([]parquet.Row, 0, most)
	for i := range t.rows {
		batch = append(batch, t.row(i))
		if len(batch) == most || i == t.rows-1 {
			if _, err := out.WriteRows(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return out.Close()
}

// schema keeps the columns in their order. A struct type is the one way to that:
// parquet.Group sorts by name.
func (t *parquetTable) schema() *parquet.Schema {
	fields := make([]reflect.StructField, len(t.names))
	for i, name := range t.names {
		f := reflect.StructField{Name: "C" + strconv.Itoa(i), Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`parquet:"` + name + `"`)}
		switch {
		case i < len(t.numbers):
			f.Type = reflect.TypeFor[float64]()
			f.Tag = reflect.StructTag(`parquet:"` + name + `,optional"`)
		case i == len(t.numbers):
			f.Type = reflect.TypeFor[bool]()
		}
		fields[i] = f
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}

// appendNumber appends a number to a row, null where it is not finite.
func appendNumber(row parquet.Row, v float64) parquet.Row {
	if !numeric.Finite(v) {
		return append(row, parquet.NullValue().Level(0, 0, len(row)))
	}
	return append(row, parquet.DoubleValue(v).Level(0, 1, len(row)))
}
