package format

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// sheet is a map in the form in which a reader found it: named tables of rows, each with its place in the file. Every
// format uses it, so that all report faults in the same form. If a file repeats the axes, its rows have their own
// coordinates, and [sheet.build] makes the axes and tables from them.
type sheet struct {
	perfmap.Map // values from the file; without axes and tables if [sheet.build] makes them
	tables      []sheetTable
	axisAt      map[string][]place     // of an axis' values, or of the axis as a whole
	partAt      map[perfmap.Part]place // of parts that the format can place
}

type sheetTable struct {
	name string
	at   place
	rows []sheetRow // in the file's order: alpha outermost, then Nc
}

// sheetRow is a speed line of a table.
type sheetRow struct {
	at        place
	alpha, nc float64
	x, v      []float64
}

// note records an assumption of the reader, or an omitted part.
func (s *sheet) note(format string, args ...any) {
	s.Origin.Notes = append(s.Origin.Notes, fmt.Sprintf(format, args...))
}

// build makes the map. The axes are those of the first table's rows; all other rows must have exactly the same axes.
func (s *sheet) build() (*perfmap.Map, error) {
	if err := s.axes(); err != nil {
		return nil, err
	}
	for _, t := range s.tables {
		v, err := s.values(t)
		if err != nil {
			return nil, err
		}
		s.Tables = append(s.Tables, perfmap.Table{Name: t.name, V: v})
	}
	return s.check()
}

// check makes a map from known axes and tables.
func (s *sheet) check() (*perfmap.Map, error) {
	m, err := perfmap.New(s.Map)
	var e *perfmap.Error
	if errors.As(err, &e) {
		at := s.place(e)
		return nil, &FileError{Line: at.line, Column: at.col, Err: err}
	}
	return m, err
}

func (s *sheet) axes() error {
	if len(s.tables) == 0 || len(s.tables[0].rows) == 0 {
		return fmt.Errorf("map %q: the file holds no table of a map (Wc, PR and eff of a compressor; Wp and eff of a "+
			"turbine)", s.Name)
	}
	rows := s.tables[0].rows
	for i, r := range rows {
		if math.IsNaN(r.alpha) || math.IsNaN(r.nc) {
			return r.at.fault("table %s: row %d has the speed %g and alpha %g; both must be numbers", s.tables[0].name,
				i+1, r.nc, r.alpha)
		}
	}
	lines := slices.IndexFunc(rows, func(r sheetRow) bool { return r.alpha != rows[0].alpha })
	if lines < 0 {
		lines = len(rows)
	}
	s.Alpha, s.Nc, s.axisAt = nil, nil, map[string][]place{s.XName: {rows[0].at}}
	for i := 0; i < len(rows); i += lines {
		s.Alpha, s.axisAt["alpha"] = append(s.Alpha, rows[i].alpha), append(s.axisAt["alpha"], rows[i].at)
	}
	for _, r := range rows[:lines] {
		s.Nc, s.axisAt["Nc"] = append(s.Nc, r.nc), append(s.axisAt["Nc"], r.at)
	}
	delete(s.axisAt, "") // an axis without a name: its fault is the map's
	s.X = slices.Clone(rows[0].x)
	return nil
}

// values joins a table's rows after comparing their coordinates with the map's axes.
func (s *sheet) values(t sheetTable) ([]float64, error) {
	first := s.tables[0].name
	var v []float64
	for i, r := range t.rows {
		fault := func(format string, args ...any) error {
			return r.at.fault("table %s, row %d (Nc %g): "+format, append([]any{t.name, i + 1, r.nc}, args...)...)
		}
		a, n := i/len(s.Nc), i%len(s.Nc)
		switch {
		case a >= len(s.Alpha):
			return nil, fault("the table has more rows than %s, which has %d (%d alpha x %d Nc)", first,
				len(s.Alpha)*len(s.Nc), len(s.Alpha), len(s.Nc))
		case r.nc != s.Nc[n] || r.alpha != s.Alpha[a]:
			return nil, fault("alpha %g, Nc %g; expected alpha %g, Nc %g, the order of the first rows of table %s",
				r.alpha, r.nc, s.Alpha[a], s.Nc[n], first)
		case len(r.v) != len(r.x):
			return nil, fault("%d values over %d %s", len(r.v), len(r.x), s.XName)
		}
		for k := range max(len(r.x), len(s.X)) {
			switch {
			case k >= len(r.x) || k >= len(s.X):
				return nil, fault(
					"%d values of %s; the first row of table %s has %d, and a map has one axis for all rows", len(r.x),
					s.XName, first, len(s.X))
			case r.x[k] != s.X[k] && !math.IsNaN(s.X[k]):
				return nil, fault(
					"value %d of %s is %g, and %g in the first row of table %s; a map has one axis for all rows", k+1,
					s.XName, r.x[k], s.X[k], first)
			}
		}
		v = append(v, r.v...)
	}
	if want := len(s.Alpha) * len(s.Nc); len(t.rows) != want {
		return nil, t.at.fault("table %s has %d rows; table %s has %d (%d alpha x %d Nc)", t.name, len(t.rows), first,
			want, len(s.Alpha), len(s.Nc))
	}
	return v, nil
}

// short lists at most four values.
func short(v []float64) string {
	if len(v) <= 4 {
		return numeric.List(v)
	}
	return fmt.Sprintf("[%s, %s, ... %s]", numeric.Text(v[0]), numeric.Text(v[1]), numeric.Text(numeric.Last(v)))
}

// place returns the place in the file of a map's error.
func (s *sheet) place(e *perfmap.Error) place {
	if at := s.axisAt[e.Table]; at != nil && e.Row < 0 {
		return at[min(max(e.Col, 0), len(at)-1)]
	}
	table := e.Table
	if table == "Wc and PR" {
		table = "Wc"
	}
	for _, t := range s.tables {
		if t.name == table && e.Row >= 0 {
			return t.rows[max(e.Alpha, 0)*len(s.Nc)+e.Row].at
		}
	}
	return s.partAt[e.Part]
}
