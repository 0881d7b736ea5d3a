package runs

// The earlier run whose request is nearest to another, and the differences: why an answer was not in the cache.

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/plan"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/index"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// mostCompared is the number of runs whose requests are read for one request.
const mostCompared = 20

// Earlier is the runs with an answer, by solver, the latest first.
type Earlier struct {
	work string
	rows map[string][]index.Row
}

// EarlierRuns reads them from the index of runs.
func EarlierRuns(ctx context.Context, x *index.Index) (*Earlier, error) {
	fields, err := x.Fields().Choose([]string{"study", "run", "solver", "version", "class", "ended"})
	if err != nil {
		return nil, err
	}
	rows, err := x.Find(ctx, index.Query{Fields: fields, Sort: []index.Sorting{{Field: fields[5], Descending: true}}})
	if err != nil {
		return nil, err
	}
	e := &Earlier{work: x.Work, rows: map[string][]index.Row{}}
	for _, row := range rows {
		if solver := text(row, 2); text(row, 4) == string(event.Converged) {
			e.rows[solver] = append(e.rows[solver], row)
		}
	}
	return e, nil
}

func text(row index.Row, i int) string { s, _ := row[i].(string); return s }

// Nearest returns the run with an answer whose request differs least from that of a job, and the differences, the run's
// values first; "": there is none. Runs of the same point come first.
func (e *Earlier) Nearest(j plan.Job) (name string, differs []string) {
	rows := slices.Clone(e.rows[j.Solver.Name])
	slices.SortStableFunc(rows, func(a, b index.Row) int {
		return strings.Compare(other(j, text(a, 1)), other(j, text(b, 1)))
	})
	request := j.Job.Request
	request.Numbers = maps.Clone(request.Numbers)
	for _, d := range slices.Concat(j.Solver.Inputs, j.Solver.Settings) { // a recorded request has its defaults
		if _, given := request.Numbers[d.Name]; !given && d.Default != nil && request.Numbers != nil {
			request.Numbers[d.Name] = *d.Default
		}
	}
	for _, row := range rows[:min(len(rows), mostCompared)] {
		r, err := record.Read(filepath.Join(e.work, text(row, 0), text(row, 1)))
		if err != nil {
			continue // its folder was removed meanwhile, or is damaged
		}
		var list []string
		if v := text(row, 3); v != j.Solver.Version {
			list = append(list, fmt.Sprintf("version %s -> %s", v, j.Solver.Version))
		}
		list = append(list, changes(&r.Request, &request)...)
		if name == "" || len(list) < len(differs) {
			name, differs = text(row, 0)+"/"+text(row, 1), list
		}
	}
	return name, differs
}

// other sorts runs of another point behind those of the same.
func other(j plan.Job, run string) string {
	if record.JobOf(run) == j.Job.Name {
		return ""
	}
	return "other"
}

// changes lists the differences of two requests, such as cfl 50 -> 40, and of texts the first line.
func changes(a, b *plugin.Request) (list []string) {
	both := [2]map[string]any{requested(a), requested(b)}
	for _, name := range eitherHas(both) {
		x, y := both[0][name], both[1][name]
		if same(x, y) {
			continue
		}
		s, isText := x.(string)
		t, areTexts := y.(string)
		switch _, numbers := x.([]float64); {
		case numbers:
			list = append(list, fmt.Sprintf("%s: %s", name, deviation(x, y)))
		case isText && areTexts && strings.Contains(s+t, "\n"):
			list = append(list, name+firstLine(s, t))
		default:
			list = append(list, fmt.Sprintf("%s %s -> %s", name, brief(x), brief(y)))
		}
	}
	return list
}

// firstLine is the first line in which two texts differ.
func firstLine(a, b string) string {
	for i := 1; ; i++ {
		x, restA, moreA := strings.Cut(a, "\n")
		y, restB, moreB := strings.Cut(b, "\n")
		if x != y || moreA != moreB {
			return fmt.Sprintf(" line %d: %s -> %s", i, brief(strings.TrimSpace(x)), brief(strings.TrimSpace(y)))
		}
		a, b = restA, restB
	}
}
