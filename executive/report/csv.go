package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/printable"
)

// csvFormat writes tables as comma-separated values, in SI units, speeds in rpm. Numbers have
// all digits: reading them gives the same values.
type csvFormat struct{}

func (csvFormat) Extension() string { return "csv" }

func (csvFormat) Files() []File {
	return []File{
		{"stations", "a row for each port of each case: its state; SI units"},
		{"CASE", "a transient's history, a row for each time; SI units, speeds in rpm"},
		{"SWEEP", "a row for each point of a sweep: axes, results, whether it converged; SI units, speeds in rpm"},
	}
}

func (csvFormat) Results(to *Folder, r *result.Results, _ unit.System) {
	to.Write("stations", resultsReport{r}.stations)
}

func (csvFormat) History(to *Folder, r *result.Results, c *result.Result, _ unit.System) {
	to.Write(c.Name, historyReport{c.History}.records(r.Engine, c.Name).csv)
}

func (csvFormat) Sweep(to *Folder, r *sweep.Result, _ unit.System) {
	to.Write(r.Sweep.Name, sweepReport{r}.csv)
}

// csvTable writes rows as comma-separated values.
type csvTable struct{ *csv.Writer }

func newCSV(w io.Writer) csvTable { return csvTable{csv.NewWriter(w)} }

// row writes a row of texts, numbers (float64) and truths. Other values, and numbers that are not finite, are empty. A
// text is one line, and one that a spreadsheet would compute as a formula begins with an apostrophe.
func (t csvTable) row(cells ...any) {
	row := make([]string, len(cells))
	for i, x := range cells {
		switch x := x.(type) {
		case string:
			row[i] = printable.Cell(x)
			if x != "" && strings.ContainsRune("=+-@\t\r", rune(x[0])) {
				row[i] = "'" + row[i]
			}
		case float64:
			if numeric.Finite(x) {
				row[i] = numeric.Text(x)
			}
		case bool:
			row[i] = strconv.FormatBool(x)
		}
	}
	_ = t.Write(row) // end returns its error
}

// end writes what is left, and returns the first error of the table.
func (t csvTable) end() error {
	t.Flush()
	return t.Error()
}

// stations writes a row for each port of each case, in SI units, with static quantities where
// an area is known.
func (r resultsReport) stations(w io.Writer) error {
	out := newCSV(w)
	row := []any{"case", "port", "station"}
	for _, f := range flow.Fields {
		head := f.Name
		if u := f.Dim.Bare(); u != "" {
			head += "_" + u
		}
		row = append(row, head)
	}
	out.row(row...)
	for _, c := range r.Cases {
		for _, name := range c.Order.Stations {
			s := c.Stations[name]
			row = append(row[:0], c.Name, name, s.Number)
			for _, f := range flow.Fields {
				if v, ok := s.Value(f); ok {
					row = append(row, v)
				} else {
					row = append(row, nil)
				}
			}
			out.row(row...)
		}
	}
	return out.end()
}

// csv writes the rows below the names of the columns. A missing value is empty.
func (t *records) csv(w io.Writer) error {
	return t.csvBelow(w, func(c recordColumn) string { return c.Name })
}

// csvBelow writes the rows below the headings of the columns.
func (t *records) csvBelow(w io.Writer, heading func(recordColumn) string) error {
	out := newCSV(w)
	var head []any
	for _, c := range t.columns {
		head = append(head, heading(c))
	}
	out.row(head...)
	for i := range t.count {
		out.row(t.row(i)...)
	}
	return out.end()
}

// csv writes a row for each point below headings with units.
func (r sweepReport) csv(w io.Writer) error { return r.records().csvBelow(w, withUnit) }

// withUnit is a heading as in "performance.Fn [N]".
func withUnit(c recordColumn) string {
	if u := c.Dim.Bare(); u != "" {
		return c.Name + " [" + u + "]"
	}
	return c.Name
}
