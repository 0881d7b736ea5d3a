package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/executive/sweep"
)

// jsonFormat writes the output of `--json`: SI units, speeds in rpm.
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
	to.Write(r.Sweep.Name, sweepReport{r}.json)
}

// JSON writes the results as the JSON of `peregrine run --json`.
func JSON(w io.Writer, r *result.Results) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// sweepJSON is a sweep in the form of a case of `peregrine run --json`, with columns and rows
// instead of stations and components.
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
	Axis bool   `json:"axis,omitempty"` // an axis of `over`
}

type rowJSON struct {
	Values       []*float64       `json:"values"` // null: no value
	Converged    bool             `json:"converged"`
	Limited      []string         `json:"limited_by,omitempty"`
	Extrapolated []string         `json:"extrapolated,omitempty"`
	Message      string           `json:"message,omitempty"`
	Solver       result.SolveInfo `json:"solver"`
}

// json writes the sweep as the only case of results in the form of `peregrine run --json`. The case has converged if
// every row has converged. Its solver data are sums over the rows, and the largest residual.
func (r sweepReport) json(w io.Writer) error {
	sweepCase := sweepJSON{Name: r.Sweep.Name, Kind: "sweep", Converged: r.Failed() == 0, Solver: r.total(),
		Rows: []rowJSON{}}
	if !sweepCase.Converged {
		sweepCase.Message = r.verdict()
	}
	for _, c := range r.columns() {
		sweepCase.Columns = append(sweepCase.Columns, columnJSON{c.Path, c.Dim.Bare(), c.Axis})
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "  ")
	err := enc.Encode(struct {
		Engine   string           `json:"engine"`
		Cases    []sweepJSON      `json:"cases"`
		Warnings []result.Warning `json:"warnings"`
	}{r.Engine, []sweepJSON{sweepCase}, []result.Warning{}})
	if err != nil {
		return err
	}
	// A sweep may have a million rows. They are written individually, so that the writer can be interrupted between two
	// rows.
	const empty = `"rows": []`
	before, after, _ := strings.Cut(text.String(), "\n      "+empty)
	if _, err := io.WriteString(w, before+"\n      "+strings.TrimSuffix(empty, "]")); err != nil {
		return err
	}
	if err := r.jsonRows(w, "        "); err != nil {
		return err
	}
	_, err = io.WriteString(w, "]"+after)
	return err
}

// jsonRows writes the rows as items of a JSON array with some indentation.
func (r sweepReport) jsonRows(w io.Writer, indent string) error {
	separator := "\n"
	for i := range r.Rows {
		text, err := json.MarshalIndent(jsonRow(&r.Rows[i]), indent, "  ")
		if err != nil {
			return err
		}
		if _, err := w.Write(slices.Concat([]byte(separator+indent), text)); err != nil {
			return err
		}
		separator = ",\n"
	}
	if len(r.Rows) == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+strings.TrimSuffix(indent, "  "))
	return err
}

func jsonRow(row *sweep.Row) rowJSON {
	return rowJSON{optional(row.Values), row.Converged, row.Limited, row.Extrapolated, row.Message, row.Solver}
}

// SweepJSON writes a sweep as the only case of results.
func SweepJSON(w io.Writer, r *sweep.Result) error { return sweepReport{r}.json(w) }

// total adds up the solver's work over all rows; the residual is the largest.
func (r sweepReport) total() result.SolveInfo {
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
