package report

// Lists of solver runs as tables for other programs.

import (
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// RunsCSV writes a row for each run, numbers in SI units, speeds in rpm. A missing value is empty.
func RunsCSV(w io.Writer, fields []index.Field, rows []index.Row) error {
	out := newCSV(w)
	head := make([]any, len(fields))
	for i, f := range fields {
		head[i] = f.Name
	}
	out.row(head...)
	for _, row := range rows {
		out.row(row...)
	}
	return out.end()
}

// RunsParquet writes the same: numbers as DOUBLE, truths as BOOLEAN, the rest as UTF-8 text, null where a run lacks
// it. The unit of a number is in the file's metadata, as "unit:wall" = "s" ("1" without a unit).
func RunsParquet(w io.Writer, fields []index.Field, rows []index.Row) error {
	types := map[index.Kind]reflect.Type{
		index.Text: reflect.TypeFor[string](), index.Number: reflect.TypeFor[float64](),
		index.Truth: reflect.TypeFor[bool](),
	}
	t := parquetTable{rows: len(rows), row: func(i int) parquet.Row { return runRow(rows[i]) }}
	for _, f := range fields {
		c := parquetColumn{name: f.Name, of: types[f.Kind], optional: true}
		if f.Kind == index.Number {
			c = numberColumn(f.Name, f.Dim)
		}
		t.columns = append(t.columns, c)
	}
	return t.write(w)
}

func runRow(row index.Row) parquet.Row {
	out := make(parquet.Row, 0, len(row))
	for i, x := range row {
		value, level := parquet.NullValue(), 1
		switch x := x.(type) {
		case string:
			value = parquet.ByteArrayValue([]byte(x))
		case float64:
			value = parquet.DoubleValue(x)
		case bool:
			value = parquet.BooleanValue(x)
		default:
			level = 0
		}
		out = append(out, value.Level(0, level, i))
	}
	return out
}
