package report

import (
	"encoding/json"
	"io"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// jsonFormat writes what `--json` prints: SI units, speeds in rpm.
type jsonFormat struct{}

func (jsonFormat) Extension() string { return "json" }

func (jsonFormat) Files() []File {
	return []File{
		{"results", "everything, as `--json` prints it; SI units, speeds in rpm"},
		{"SWEEP", "every point of a sweep, as `--json` prints it"},
	}
}

func (jsonFormat) Results(to *Folder, r *result.Results, _ unit.System) {
	to.Write("results", func(w io.Writer) error { return JSON(w, r) })
}

func (jsonFormat) Sweep(to *Folder, r *sweep.Result, _ unit.System) {
	to.Write(r.Sweep.Name, swept{r}.json)
}

// JSON writes the results as the JSON of `peregrine run --json`.
func JSON(w io.Writer, r *result.Results) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
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

// SweepJSON writes a sweep as the only case of results.
func SweepJSON(w io.Writer, r *sweep.Result) error { return swept{r}.json(w) }

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
