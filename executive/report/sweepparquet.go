package report

import (
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// parquet writes the columns of WriteCSV with their types: DOUBLE, null where
// nothing could be computed, BOOLEAN for converged, the rest UTF-8 text. The columns of
// numbers are called by their paths; their units are in the file's metadata, as
// "unit:performance.Fn" = "N" ("1" without a unit), with "engine" and "sweep".
func (r swept) parquet(w io.Writer) error {
	t := parquetTable{
		about: map[string]string{"engine": r.Engine, "sweep": r.Sweep.Name},
		names: append(r.names(), states...), numbers: r.Sweep.Columns(),
		rows: len(r.Rows), row: func(i int) parquet.Row { return parquetRow(&r.Rows[i]) },
	}
	return t.write(w)
}

func parquetRow(row *sweep.Row) parquet.Row {
	out := make(parquet.Row, 0, len(row.Values)+len(states))
	for _, v := range row.Values {
		out = appendNumber(out, v)
	}
	out = append(out, parquet.BooleanValue(row.Converged).Level(0, 0, len(out)))
	for _, text := range []string{strings.Join(row.Limited, "; "), strings.Join(row.Extrapolated, "; "), row.Message} {
		out = append(out, parquet.ByteArrayValue([]byte(text)).Level(0, 0, len(out)))
	}
	return out
}
