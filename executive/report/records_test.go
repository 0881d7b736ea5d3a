package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
)

// A solver that its user described names its values as it likes: each name is that of a column, in the order of the
// fields.
func TestRunsParquetTakesAnyName(t *testing.T) {
	names := []string{"run", "z, last", `say "x"`, "a`b", "x.y", "-", "", "délta μ", "tab\tin", "optional"}
	var fields []index.Field
	row := index.Row{}
	for i, name := range names {
		kind, value := index.Number, any(float64(i))
		switch i % 3 {
		case 1:
			kind, value = index.Text, "text"
		case 2:
			kind, value = index.Truth, true
		}
		fields, row = append(fields, index.Field{Name: name, Kind: kind, Dim: unit.None}), append(row, value)
	}
	var file bytes.Buffer
	must.OK(t, RunsParquet(&file, fields, []index.Row{row, make(index.Row, len(names))}))
	read := must.Value(parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len())))(t)
	for i, field := range read.Schema().Fields() {
		if field.Name() != names[i] {
			t.Errorf("column %d is %q, want %q", i, field.Name(), names[i])
		}
	}
	rows := make([]parquet.Row, 2)
	if n, err := read.RowGroups()[0].Rows().ReadRows(rows); n != 2 {
		t.Fatalf("%d rows: %v", n, err)
	}
	for i := range names {
		if rows[0][i].IsNull() || !rows[1][i].IsNull() {
			t.Errorf("column %q has %v and %v", names[i], rows[0][i], rows[1][i])
		}
		if i%3 == 0 && rows[0][i].Double() != float64(i) {
			t.Errorf("column %q has %v, want %d", names[i], rows[0][i], i)
		}
	}
}

// A text of a solver fills one cell, and no spreadsheet computes it as a formula; numbers stay numbers.
func TestCSVOfHostileTexts(t *testing.T) {
	fields := []index.Field{{Name: "=1+1"}, {Name: "message"}, {Name: "x"}, {Name: "ok"}}
	rows := []index.Row{
		{`=HYPERLINK("http://x";"y")`, "a\nb\u202ec\td", -1.5, true},
		{"+1", "@SUM(A1)", math.Inf(1), nil}, {"-2", "\t=1", nil, false}, {"a=1", "", 0.0, true},
	}
	var file bytes.Buffer
	must.OK(t, RunsCSV(&file, fields, rows))
	got := must.Value(csv.NewReader(&file).ReadAll())(t)
	must.Equal(t, [][]string{
		{"'=1+1", "message", "x", "ok"}, {`'=HYPERLINK("http://x";"y")`, `a\x0ab\u202ec\x09d`, "-1.5", "true"},
		{"'+1", "'@SUM(A1)", "", ""}, {"'-2", `'\x09=1`, "", "false"}, {"a=1", "", "0", "true"},
	}, got)
}
