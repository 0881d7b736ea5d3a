package report

import (
	"cmp"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
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
	to.Write(c.Name, historyReport{c.History}.records(r.Engine, c.Name).parquet)
}

func (parquetFormat) Sweep(to *Folder, r *sweep.Result, _ unit.System) {
	to.Write(r.Sweep.Name, sweepReport{r}.records().parquet)
}

// parquet writes the rows: numbers as DOUBLE, truths as BOOLEAN, the rest as UTF-8 text, null for a missing value. The
// metadata of the file have the unit of a number, as "unit:performance.Fn" = "N" ("1" without a unit), beside what the
// records belong to.
func (t *records) parquet(w io.Writer) error {
	options := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), t.schema()}
	for _, key := range slices.Sorted(maps.Keys(t.about)) {
		options = append(options, parquet.KeyValueMetadata(key, t.about[key]))
	}
	for _, c := range t.columns {
		if c.Kind == index.Number {
			options = append(options, parquet.KeyValueMetadata("unit:"+c.Name, cmp.Or(c.Dim.Bare(), "1")))
		}
	}
	out := parquet.NewWriter(w, options...)
	// Write in batches: a sweep may have a million rows.
	const most = 1024
	batch := make([]parquet.Row, 0, most)
	for i := range t.count {
		batch = append(batch, t.parquetRow(i))
		if len(batch) == most || i == t.count-1 {
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
func (t *records) schema() *parquet.Schema {
	s := columnGroup{}
	for _, c := range t.columns {
		var node parquet.Node
		switch c.Kind {
		case index.Number:
			node = parquet.Leaf(parquet.DoubleType)
		case index.Truth:
			node = parquet.Leaf(parquet.BooleanType)
		default:
			node = parquet.String()
		}
		if !c.whole {
			node = parquet.Optional(node)
		}
		s.fields = append(s.fields, parquet.Group{c.Name: node}.Fields()...)
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

func (t *records) parquetRow(i int) parquet.Row {
	out := make(parquet.Row, 0, len(t.columns))
	for k, x := range t.row(i) {
		value := parquet.NullValue()
		switch x := x.(type) {
		case string:
			value = parquet.ByteArrayValue([]byte(x))
		case float64:
			if numeric.Finite(x) {
				value = parquet.DoubleValue(x)
			}
		case bool:
			value = parquet.BooleanValue(x)
		}
		level := 0
		if !t.columns[k].whole && !value.IsNull() {
			level = 1
		}
		out = append(out, value.Level(0, level, k))
	}
	return out
}
