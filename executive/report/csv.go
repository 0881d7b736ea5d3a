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

func (csvFormat) History(to *Folder, _ *result.Results, c *result.Result, _ unit.System) {
	to.Write(c.Name, historyReport{c.History}.csv)
}

func (csvFormat) Sweep(to *Folder, r *sweep.Result, _ unit.System) {
	to.Write(r.Sweep.Name, sweepReport{r}.csv)
}

// stations writes a row for each port of each case, in SI units, with static quantities where
// an area is known.
func (r resultsReport) stations(w io.Writer) error {
	out := csv.NewWriter(w)
	row := []string{"case", "port", "station"}
	for _, f := range flow.Fields {
		head := f.Name
		if u := f.Dim.Bare(); u != "" {
			head += "_" + u
		}
		row = append(row, head)
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, c := range r.Cases {
		for _, name := range c.Order.Stations {
			s := c.Stations[name]
			row = append(row[:0], c.Name, name, s.Number)
			for _, f := range flow.Fields {
				text := ""
				if v, ok := s.Value(f); ok {
					text = numeric.Text(v)
				}
				row = append(row, text)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// csv writes a row for each time: t, s, and the columns, SI units. An output without a value
// is empty.
func (h historyReport) csv(w io.Writer) error {
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

// csv writes a row for each point: the axes, the collected quantities, the convergence flag, the active limits, the
// components outside their maps, and the reason for a failure. A quantity without a value is empty.
func (r sweepReport) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	record := append(r.headings(), statusColumns...)
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		record = record[:0]
		for _, v := range row.Values {
			cell := ""
			if numeric.Finite(v) {
				cell = numeric.Text(v)
			}
			record = append(record, cell)
		}
		record = append(record, strconv.FormatBool(row.Converged), strings.Join(row.Limited, "; "),
			strings.Join(row.Extrapolated, "; "), row.Message)
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
