package report

// The contents of output files: results, histories and sweeps, with their methods in other files; and their tables of
// values for other programs, which csv.go and parquet.go write.

import (
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// resultsReport writes and draws results.
type resultsReport struct{ *result.Results }

// historyReport writes and draws a history.
type historyReport struct{ *result.History }

// sweepReport writes and draws a sweep.
type sweepReport struct{ *sweep.Result }

// names returns the names of the columns: their paths, with "design." before the axes that
// change the design if the points are not design points.
func (r sweepReport) names() []string {
	var list []string
	for i, q := range r.Sweep.Columns() {
		name := q.Path
		if i < len(r.OfDesign) && r.OfDesign[i] {
			name = "design." + name
		}
		list = append(list, name)
	}
	return list
}

// columns returns the axes and the collected quantities.
func (r sweepReport) columns() (list []SweepColumn) {
	names := r.names()
	for i, q := range r.Sweep.Columns() {
		list = append(list, SweepColumn{names[i], q.Dim, i < len(r.Sweep.Over)})
	}
	return list
}

// records is a table of values in SI units, speeds in rpm.
type records struct {
	about   map[string]string // what they belong to
	columns []recordColumn
	count   int
	// row has a string, a float64 or a bool for each column. Others, and numbers that are not finite, are missing.
	row func(i int) []any
}

// recordColumn is a column of records.
type recordColumn struct {
	index.Field
	whole bool // no value is missing
}

func (t *records) add(name string, kind index.Kind, dim unit.Dimension, whole bool) {
	t.columns = append(t.columns, recordColumn{index.Field{Name: name, Kind: kind, Dim: dim}, whole})
}

// records has a row for each time: t, and the outputs.
func (h historyReport) records(engine, name string) *records {
	row := make([]any, 1+len(h.Columns))
	t := &records{about: map[string]string{"engine": engine, "case": name}, count: len(h.T), row: func(i int) []any {
		row[0] = h.T[i]
		for k, values := range h.Values {
			row[k+1] = values[i]
		}
		return row
	}}
	t.add("t", index.Number, unit.Time, false)
	for _, q := range h.Columns {
		t.add(q.Path, index.Number, q.Dim, false)
	}
	return t
}

// records has a row for each point: the axes, the collected quantities, whether it converged, the active limits, the
// components outside their maps, and the reason for a failure.
func (r sweepReport) records() *records {
	var cells []any
	t := &records{about: map[string]string{"engine": r.Engine, "sweep": r.Sweep.Name}, count: len(r.Rows),
		row: func(i int) []any {
			row := &r.Rows[i]
			cells = cells[:0]
			for _, v := range row.Values {
				cells = append(cells, v)
			}
			return append(cells, row.Converged, strings.Join(row.Limited, "; "), strings.Join(row.Extrapolated, "; "),
				row.Message)
		}}
	for _, c := range r.columns() {
		t.add(c.Path, index.Number, c.Dim, false)
	}
	t.add("converged", index.Truth, unit.None, true)
	for _, name := range []string{"limited_by", "extrapolated", "message"} {
		t.add(name, index.Text, unit.None, true)
	}
	return t
}

func runRecords(fields []index.Field, rows []index.Row) *records {
	t := &records{count: len(rows), row: func(i int) []any { return rows[i] }}
	for _, f := range fields {
		t.columns = append(t.columns, recordColumn{Field: f})
	}
	return t
}

// RunsCSV writes a row for each run, numbers in SI units, speeds in rpm. A missing value is empty.
func RunsCSV(w io.Writer, fields []index.Field, rows []index.Row) error {
	return runRecords(fields, rows).csv(w)
}

// RunsParquet writes the same: numbers as DOUBLE, truths as BOOLEAN, the rest as UTF-8 text, null where a run lacks
// it. The unit of a number is in the file's metadata, as "unit:wall" = "s" ("1" without a unit).
func RunsParquet(w io.Writer, fields []index.Field, rows []index.Row) error {
	return runRecords(fields, rows).parquet(w)
}
