package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/zoom/solver"
)

// Values writes the values of a request or a result below a title.
func Values(title string, units map[string]string, numbers map[string]float64, arrays map[string][]float64,
	texts map[string]string) string {
	t := table.Indented("l")
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		t.Row(name, WithUnit(fmt.Sprintf("%.6g", numbers[name]), units[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		unit := units[name]
		if len(arrays[name]) == 0 {
			unit = ""
		}
		t.Row(name, WithUnit(ArrayText(arrays[name]), unit))
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Row(name, FirstText(texts[name], 100))
	}
	return "\n" + title + "\n" + t.String()
}

// ArrayText writes the extremes of a profile.
func ArrayText(v []float64) string {
	if len(v) == 0 {
		return "no values"
	}
	return fmt.Sprintf("%s from %.6g to %.6g", spell.Count(len(v), "value"), slices.Min(v), slices.Max(v))
}

// FirstText writes the beginning of a text, or the number of its lines.
func FirstText(text string, most int) string {
	if lines := strings.Count(text, "\n"); lines > 0 {
		return spell.Count(lines, "line")
	}
	return printable.Line(text, most)
}

// WithUnit appends a unit if it is not empty.
func WithUnit(text, unit string) string {
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// UnitsOf returns the SI units of a built-in solver's values by name. For other solvers it returns no units, because
// their plugin would have to run.
func UnitsOf(who string) map[string]string {
	name, version, _ := strings.Cut(who, " ")
	s := solver.Builtin(name)
	if s == nil {
		return nil
	}
	d := s.Describe()
	if d.Version != version {
		return nil
	}
	units := map[string]string{}
	for _, q := range slices.Concat(d.Inputs, d.Settings, d.Outputs) {
		units[q.Name] = q.Unit
		if q.Dim != "" { // the displayed unit can differ, such as deg for an angle
			units[q.Name] = q.Dim.Bare()
		}
	}
	return units
}
