package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Sweeps are written as CSV and JSON, both in SI units, speeds in rpm.

// names are those of the columns: their paths, with "design." before the axes of
// the design where points are not design points themselves.
func (r swept) names() []string {
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

// heads are the names with units, as in "performance.Fn [N]".
func (r swept) heads() []string {
	list := r.names()
	for i, q := range r.Sweep.Columns() {
		if u := q.Dim.Bare(); u != "" {
			list[i] += " [" + u + "]"
		}
	}
	return list
}

// states are the columns that say of each row what to think of it.
var states = []string{"converged", "limited_by", "extrapolated", "message"}

// csv writes a row for each point: the axes, what was collected, whether it
// converged, the limits that bind, the components beyond their maps, and why it
// did not converge. What could not be computed is empty. Numbers have all their
// digits: they read back as they were.
func (r swept) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	record := append(r.heads(), states...)
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
		record = append(record, strconv.FormatBool(row.Converged), strings.Join(row.Limited, "; "), strings.Join(row.Extrapolated, "; "), row.Message)
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// sweepJSON is a sweep as a case of the results of `peregrine run --json`, with
// columns and rows in the place of stations and components.
type sweepJSON struct {
	Name      string           `json:"name"`
	Kind      string           `json:"kind"` // sweep
	Converged bool             `json:"converged"`
	Message   string           `json:"message,omitempty"`
	Solver    result.SolveInfo `json:"solver"`
	Columns   []columnJSON     `json:"columns"`
	Rows      []rowJSON        `json:"rows"`
}

type columnJSON struct {
	Path string `json:"path"`
	Unit string `json:"unit"`
	Axis bool   `json:"axis,omitempty"` // one of `over`
}

type rowJSON struct {
	Values       []*float64       `json:"values"` // null: could not be computed
	Converged    bool             `json:"converged"`
	Limited      []string         `json:"limited_by,omitempty"`
	Extrapolated []string         `json:"extrapolated,omitempty"`
	Message      string           `json:"message,omitempty"`
	Solver       result.SolveInfo `json:"solver"`
}

// json writes the sweep as the only case of results like those of
// `peregrine run --json`. The case has converged if every row has; its solver
// figures are the sums over the rows, and the largest residual.
func (r swept) json(w io.Writer) error {
	one := sweepJSON{Name: r.Sweep.Name, Kind: "sweep", Converged: r.Failed() == 0, Solver: r.total(), Rows: make([]rowJSON, len(r.Rows))}
	if !one.Converged {
		one.Message = r.verdict()
	}
	names := r.names()
	for i, q := range r.Sweep.Columns() {
		one.Columns = append(one.Columns, columnJSON{names[i], q.Dim.Bare(), i < len(r.Sweep.Over)})
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		values := make([]*float64, len(row.Values))
		for j := range values {
			if numeric.Finite(row.Values[j]) {
				values[j] = &row.Values[j]
			}
		}
		one.Rows[i] = rowJSON{values, row.Converged, row.Limited, row.Extrapolated, row.Message, row.Solver}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Engine   string           `json:"engine"`
		Cases    []sweepJSON      `json:"cases"`
		Warnings []result.Warning `json:"warnings"`
	}{r.Engine, []sweepJSON{one}, []result.Warning{}})
}

// total adds up what the solver did.
func (r swept) total() result.SolveInfo {
	var sum result.SolveInfo
	for i := range r.Rows {
		s := r.Rows[i].Solver
		worst, residual := sum.Worst, sum.Residual
		sum.Add(s)
		if s.Residual <= residual {
			sum.Worst, sum.Residual = worst, residual
		}
	}
	return sum
}

// swept is a sweep that is written or drawn.
type swept struct{ *sweep.Result }

// SweepJSON writes a sweep as the only case of results.
func SweepJSON(w io.Writer, r *sweep.Result) error { return swept{r}.json(w) }

// SweepTable writes the rows for people.
func SweepTable(w io.Writer, r *sweep.Result, sys unit.System) error {
	return swept{r}.table(w, sys)
}

// WriteSweepFolder writes a sweep into a folder, which it makes if need be; see folder.
func WriteSweepFolder(dir string, r *sweep.Result, sys unit.System) error {
	return swept{r}.folder(dir, sys)
}
