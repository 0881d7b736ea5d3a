package report

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
)

// parquet writes the columns of WriteCSV as DOUBLE, null where an output has no
// value. Units are in the file's metadata, as "unit:performance.Fn" = "N" ("1" without
// a unit), with "engine" and "case".
func (h timeline) parquet(w io.Writer, engine, name string) error {
	t := parquetTable{about: map[string]string{"engine": engine, "case": name}, rows: len(h.T), row: h.row}
	t.numbers = append([]config.Quantity{{Path: "t", Dim: unit.Time}}, h.Columns...)
	for _, q := range t.numbers {
		t.names = append(t.names, q.Path)
	}
	return t.write(w)
}

func (h timeline) row(i int) parquet.Row {
	row := appendNumber(make(parquet.Row, 0, 1+len(h.Columns)), h.T[i])
	for _, c := range h.Values {
		row = appendNumber(row, c[i])
	}
	return row
}
