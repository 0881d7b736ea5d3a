package web

// Measured values that the page lays over its maps, profiles and strips.

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// Measured are the values of a file.
type Measured struct {
	Name string   `json:"name"` // of the file
	Rows []Sample `json:"rows"`
}

// Sample is a row of measured values, in SI units. An empty component or run is any.
type Sample struct {
	Component string             `json:"component,omitempty"`
	Run       string             `json:"run,omitempty"`
	Values    map[string]float64 `json:"values"`
}

// mostSamples is the largest number of rows of a file.
const mostSamples = 10_000

// measuredDims are the dimensions of known columns. Others have any unit.
var measuredDims = map[string]unit.Dimension{"Wc": unit.MassFlow, "W": unit.MassFlow, "W_in": unit.MassFlow,
	"W_out": unit.MassFlow, "PR": unit.None, "eff": unit.None, "residual": unit.None, "iteration": unit.None,
	"index": unit.None}

var columnName = regex.Lazy(`^([^()\[\]]*?)\s*(?:[(\[]\s*([^()\[\]]*?)\s*[)\]])?$`)

// measuredColumn is a column of the file: a text without a unit, or a number.
type measuredColumn struct {
	name string
	of   *unit.Unit
}

// ReadMeasured reads measured values as CSV: a row of columns' names, NAME or NAME (UNIT), then a row for each point.
// The columns component and run say what a row belongs to. A map has Wc (or W) and PR, a strip has iteration and the
// values of runs, a profile has index and an array. Errors name the file, the line and the column.
func ReadMeasured(name, text string) (*Measured, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	c := csv.NewReader(strings.NewReader(text))
	if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, ",") {
		c.Comma = ';'
	}
	fault := func(i int, format string, args ...any) error {
		line, column := c.FieldPos(i)
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, fmt.Sprintf(format, args...))
	}
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is empty; want a line of columns, such as component,Wc (kg/s),PR", name)
	}
	var columns []measuredColumn
	for i := 0; err == nil && i < len(head); i++ {
		column, problem := newColumn(head[i])
		switch {
		case problem != "":
			return nil, fault(i, "%s", problem)
		case slices.ContainsFunc(columns, func(x measuredColumn) bool { return x.name == column.name }):
			return nil, fault(i, "column %s is there twice", column.name)
		}
		columns = append(columns, column)
	}
	if err == nil {
		err = shownBy(name, columns)
	}
	m := &Measured{Name: name, Rows: []Sample{}}
	for err == nil {
		var cells []string
		if cells, err = c.Read(); err != nil {
			break
		}
		if len(m.Rows) == mostSamples {
			return nil, fault(0, "it has more than %d rows", mostSamples)
		}
		s := Sample{Values: map[string]float64{}}
		for i, cell := range cells {
			if problem := s.take(columns[i], strings.TrimSpace(cell)); problem != "" {
				return nil, fault(i, "%s", problem)
			}
		}
		m.Rows = append(m.Rows, s)
	}
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return nil, fmt.Errorf("%s:%d:%d: %w", name, parse.Line, parse.Column, parse.Err)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return m, nil
}

// newColumn reads the name of a column with its unit.
func newColumn(text string) (c measuredColumn, problem string) {
	parts := columnName().FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil || parts[1] == "" {
		return c, fmt.Sprintf("column %q: want NAME or NAME (UNIT)", text)
	}
	c.name = parts[1]
	if c.name == "component" || c.name == "run" {
		if parts[2] != "" {
			return c, fmt.Sprintf("column %s has names, and no unit", c.name)
		}
		return c, ""
	}
	dim, known := measuredDims[c.name]
	var u unit.Unit
	var err error
	switch {
	case parts[2] == "" && (!known || dim == unit.None):
		u, err = unit.New("", unit.None)
	case parts[2] == "":
		return c, fmt.Sprintf("column %s needs a unit, as %[1]s (%s)", c.name, unit.SI.Of(dim).Name())
	case known:
		u, err = unit.New(parts[2], dim)
	default:
		u, err = unit.Derived(parts[2])
	}
	if err != nil {
		return c, fmt.Sprintf("column %s: %v", c.name, err)
	}
	c.of = &u
	return c, ""
}

// shownBy returns an error if no picture shows these columns.
func shownBy(name string, columns []measuredColumn) error {
	var names []string
	values := 0
	for _, c := range columns {
		names = append(names, c.name)
		if c.of != nil {
			values++
		}
	}
	has := func(name string) bool { return slices.Contains(names, name) }
	if has("PR") && (has("Wc") || has("W")) || (has("iteration") || has("index")) && values > 1 {
		return nil
	}
	return fmt.Errorf("%s:1: no picture shows the columns %s: want Wc and PR for a map, iteration and a value for a "+
		"strip, index and an array for a profile", name, spell.List(names, "and"))
}

// take takes the text of a cell; an empty cell is a value that was not measured.
func (s *Sample) take(c measuredColumn, text string) (problem string) {
	switch {
	case text == "":
	case c.name == "component":
		s.Component = text
	case c.name == "run":
		s.Run = text
	default:
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil && strings.Contains(text, ","):
			return fmt.Sprintf("column %s: %q has %s", c.name, text, unit.Comma(text))
		case err != nil || !numeric.Finite(c.of.ToSI(x)):
			return fmt.Sprintf("column %s: %q is no finite number in SI units", c.name, text)
		}
		s.Values[c.name] = c.of.ToSI(x)
	}
	return ""
}
