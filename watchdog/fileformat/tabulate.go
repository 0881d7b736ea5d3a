package fileformat

// Tables that are no histories, though a column is named as an iteration or a time is: results of several runs, lists
// of species and materials, properties over temperature, profiles over a coordinate.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/peregrine-sim/peregrine/watchdog/history"
)

var (
	// place is what results are tabulated over: a coordinate, an operating point, a thing.
	place = regexp.MustCompile(`(?i)^([xyz]|points?:?\d*|(arc[ _]?)?length|distance|dist|theta|radius|span|` +
		`chord|coord\w*|height|depth|alpha|aoa|beta|mach|reynolds|` +
		`(case|run|node|cell|elem(ent)?|probe|species|material|design)([ _]?(no|id|index|number|name))?)[.:]?(\W.*)?$`)
	// property is one of a substance; a heat capacity, an enthalpy or a transport coefficient shows that it is one.
	property  = regexp.MustCompile(`(?i)^(c_?[pv]|h|s|g|u|rho|gamma|pr|a|z|r|k|mu|nu|lambda|kappa)0?(\W.*)?$`)
	substance = regexp.MustCompile(`(?i)^(c_?[pv]|h|mu|lambda|kappa)0?(\W.*)?$`)
)

// The rows of a table that are looked at; fewer show nothing.
const mostRows, leastRows = 40, 3

// tabulates reports whether a table is no history, by its header with the given keys and its rows: it begins with a
// place that differs from row to row, or names a thing in each row, or has properties over a temperature t, or its key
// wavers and no other column counts.
func (p *Preset) tabulates(header, text []byte, keys []string) bool {
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		cells := strings.FieldsFunc(line,
			func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;|"`, r) })
		if startsNumber([]byte(line)) && (len(rows) == 0 || len(cells) == len(rows[0])) && len(rows) < mostRows {
			rows = append(rows, cells)
		}
	}
	if len(rows) < leastRows {
		return false
	}
	for i, cell := range rows[0] {
		if strings.IndexFunc(cell, unicode.IsLetter) == 0 && len(cell) > 1 && distinct(rows, i) {
			return true
		}
	}
	for _, names := range history.Readings(string(header)) {
		key := slices.IndexFunc(names, func(name string) bool { return slices.Contains(keys, name) })
		if key < 0 || len(names) != len(rows[0]) {
			continue
		}
		rest := slices.Delete(slices.Clone(names), key, key+1)
		counts := slices.ContainsFunc(rest,
			func(name string) bool { return len(history.KeyIn([]byte(name), p.Header)) > 0 })
		strange := func(name string) bool { return !property.MatchString(name) }
		return key > 0 && place.MatchString(names[0]) && distinct(rows, 0) || !counts && wavers(rows, key) ||
			names[key] == "t" && !slices.ContainsFunc(rest, strange) && slices.ContainsFunc(rest, substance.MatchString)
	}
	return false
}

// distinct reports whether no two rows have the same text in a column.
func distinct(rows [][]string, column int) bool {
	seen := map[string]bool{}
	for _, cells := range rows {
		seen[cells[column]] = true
	}
	return len(seen) == len(rows)
}

// wavers reports whether a column falls from row to row at least half as often as it grows.
func wavers(rows [][]string, column int) bool {
	falls, before := 0, 0.0
	for i, cells := range rows {
		x, _ := strconv.ParseFloat(cells[column], 64) // 0 in place of a cell that is no number
		if i > 0 && x < before {
			falls++
		}
		before = x
	}
	return 3*falls >= len(rows)-1
}
