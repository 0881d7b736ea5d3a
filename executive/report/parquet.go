package report

import (
	"cmp"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// parquetFormat writes tables as Parquet: numbers as DOUBLE, with their units in the file's metadata.
type parquetFormat struct{}

func (parquetFormat) Extension() string { return "parquet" }

func (parquetFormat) Files() []File {
	return []File{
		{"CASE", "a transient's history, with its units in the metadata; SI units, speeds in rpm"},
		{"SWEEP", "every point of a sweep, with units in the metadata; SI units, speeds in rpm"},
	}
}

func (parquetFormat) History(to *Folder, r *result.Results, c *result.Result, _ unit.System) {
	to.Write(c.Name, func(w io.Writer) error { return historyReport{c.History}.parquet(w, r.Engine, c.Name) })
}

func (parquetFormat) Sweep(to *Folder, r *sweep.Result, _ unit.System) {
	to.Write(r.Sweep.Name, sweepReport{r}.parquet)
}

// parquetTable is a table to be written.
type parquetTable struct {
	about   map[string]string // metadata of the file
	columns []parquetColumn
	rows    int
	row     func(i int) parquet.Row
}

// parquetColumn is a column: of float64 as DOUBLE, of bool as BOOLEAN, of string as UTF-8 text.
type parquetColumn struct {
	name     string
	of       reflect.Type
	optional bool   // null for a missing value
	unit     string // of a number; "1" without a unit
}

// numberColumn is a column of numbers that measure something of a dimension.
func numberColumn(name string, dim unit.Dimension) parquetColumn {
	return parquetColumn{name, reflect.TypeFor[float64](), true, cmp.Or(dim.Bare(), "1")}
}

// write writes the table. The unit of a number is in the file's metadata, as "unit:performance.Fn" = "N".
func (t *parquetTable) write(w io.Writer) error {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), t.schema()}
	for _, key := range slices.Sorted(maps.Keys(t.about)) {
		options = append(options, parquet.KeyValueMetadata(key, t.about[key]))
	}
	for _, c := range t.columns {
		if c.unit != "" {
			options = append(options, parquet.KeyValueMetadata("unit:"+c.name, c.unit))
		}
	}
	out := parquet.NewWriter(w, options...)
	// Write in batches: a sweep may have a million rows.
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

// schema keeps the columns in their order and takes any name: a solver that is described by its user names its values
// as it likes. Tags of a struct would break at a comma or a quotation mark, and parquet.Group sorts by name.
func (t *parquetTable) schema() *parquet.Schema {
	s := columnGroup{}
	for _, c := range t.columns {
		var node parquet.Node
		switch c.of.Kind() {
		case reflect.Float64:
			node = parquet.Leaf(parquet.DoubleType)
		case reflect.Bool:
			node = parquet.Leaf(parquet.BooleanType)
		default:
			node = parquet.String()
		}
		if c.optional {
			node = parquet.Optional(node)
		}
		s.fields = append(s.fields, parquet.Group{c.name: node}.Fields()...)
	}
	return parquet.NewSchema("", s)
}

// columnGroup is a group of columns in an order of its own.
type columnGroup struct {
	parquet.Group
	fields []parquet.Field
}

func (g columnGroup) Fields() []parquet.Field { return g.fields }

// GoType is the type of no Go value: rows are written as they are.
func (columnGroup) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

// appendNumber appends a number to a row, null where it is not finite.
func appendNumber(row parquet.Row, v float64) parquet.Row {
	if !numeric.Finite(v) {
		return append(row, parquet.NullValue().Level(0, 0, len(row)))
	}
	return append(row, parquet.DoubleValue(v).Level(0, 1, len(row)))
}

// parquet writes the columns of csv as DOUBLE, null where an output has no
// value. Units are in the file's metadata, as "unit:performance.Fn" = "N" ("1" without
// a unit), with "engine" and "case".
func (h historyReport) parquet(w io.Writer, engine, name string) error {
	t := parquetTable{about: map[string]string{"engine": engine, "case": name}, rows: len(h.T), row: h.row}
	t.columns = []parquetColumn{numberColumn("t", unit.Time)}
	for _, q := range h.Columns {
		t.columns = append(t.columns, numberColumn(q.Path, q.Dim))
	}
	return t.write(w)
}

func (h historyReport) row(i int) parquet.Row {
	row := appendNumber(make(parquet.Row, 0, 1+len(h.Columns)), h.T[i])
	for _, c := range h.Values {
		row = appendNumber(row, c[i])
	}
	return row
}

// parquet writes the columns of csv with their types: numbers as DOUBLE with null for a missing value; converged as
// BOOLEAN; the rest as UTF-8 text. The names of number columns are their paths. The metadata of the file has the units,
// as "unit:performance.Fn" = "N" ("1" without a unit), with "engine" and "sweep".
func (r sweepReport) parquet(w io.Writer) error {
	t := parquetTable{
		about: map[string]string{"engine": r.Engine, "sweep": r.Sweep.Name},
		rows:  len(r.Rows), row: func(i int) parquet.Row { return parquetRow(&r.Rows[i]) },
	}
	names := r.names()
	for i, q := range r.Sweep.Columns() {
		t.columns = append(t.columns, numberColumn(names[i], q.Dim))
	}
	t.columns = append(t.columns, parquetColumn{name: statusColumns[0], of: reflect.TypeFor[bool]()})
	for _, name := range statusColumns[1:] {
		t.columns = append(t.columns, parquetColumn{name: name, of: reflect.TypeFor[string]()})
	}
	return t.write(w)
}

func parquetRow(row *sweep.Row) parquet.Row {
	out := make(parquet.Row, 0, len(row.Values)+len(statusColumns))
	for _, v := range row.Values {
		out = appendNumber(out, v)
	}
	out = append(out, parquet.BooleanValue(row.Converged).Level(0, 0, len(out)))
	for _, text := range []string{strings.Join(row.Limited, "; "), strings.Join(row.Extrapolated, "; "), row.Message} {
		out = append(out, parquet.ByteArrayValue([]byte(text)).Level(0, 0, len(out)))
	}
	return out
}
