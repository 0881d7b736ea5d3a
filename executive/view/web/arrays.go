package web

// The arrays that a run has reported over its iterations, such as the pressure along a blade.

import (
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// mostRows is how many iterations of an array are kept. Of more, every second is left out.
const mostRows = 256

// Array is an array of a run over its iterations.
type Array struct {
	Name    string       `json:"name"`
	X       []float64    `json:"x"`    // iterations
	Rows    [][]*float64 `json:"rows"` // null: not finite
	Thinned bool         `json:"thinned,omitempty"`

	seen, every int
}

// add adds the array at an iteration.
func (a *Array) add(x float64, values []float64) {
	a.seen++
	if a.every = max(1, a.every); (a.seen-1)%a.every != 0 {
		return
	}
	row := make([]*float64, len(values))
	for i, v := range values {
		if numeric.Finite(v) {
			row[i] = &values[i]
		}
	}
	a.X, a.Rows = append(a.X, x), append(a.Rows, row)
	if len(a.X) < mostRows {
		return
	}
	for i := range mostRows / 2 {
		a.X[i], a.Rows[i] = a.X[2*i], a.Rows[2*i]
	}
	a.X, a.Rows = a.X[:mostRows/2], a.Rows[:mostRows/2]
	a.Thinned, a.every = true, 2*a.every
}

// readArrays reads the arrays of a run from its events.
func readArrays(folder, run string) ([]*Array, error) {
	byName := map[string]*Array{}
	next := 0.0
	err := event.Each(filepath.Join(folder, filepath.Base(run), event.LogName), func(e event.Event) {
		if x, ok := e.Values["iteration"]; ok {
			next = x
		}
		if e.Kind != event.Profile && e.Kind != event.Iteration {
			return
		}
		for name, values := range e.Arrays {
			if byName[name] == nil {
				byName[name] = &Array{Name: name}
			}
			byName[name].add(next, values)
		}
	})
	return slices.SortedFunc(maps.Values(byName), func(a, b *Array) int { return strings.Compare(a.Name, b.Name) }), err
}

// arrays answers with the arrays of a run: ?run=NAME.
func (s *Server) arrays(w http.ResponseWriter, r *http.Request) {
	run := r.URL.Query().Get("run")
	if !s.Feed.state.has(runs, run) {
		refuse(w, http.StatusNotFound, "the study has no run of that name")
		return
	}
	list, _ := readArrays(s.Feed.folder, run) // a cached answer has no folder, and damaged lines are left out
	if list == nil {
		list = []*Array{}
	}
	answer(w, http.StatusOK, list)
}
