package report

import (
	"encoding/csv"
	"io"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// csv writes one row a time: t, s, and the columns, SI units; an output
// without a value is empty.
func (h timeline) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	row := []string{"t"}
	for _, q := range h.Columns {
		row = append(row, q.Path)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i, t := range h.T {
		row[0] = numeric.Text(t)
		for j, c := range h.Values {
			if row[j+1] = ""; numeric.Finite(c[i]) {
				row[j+1] = numeric.Text(c[i])
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
