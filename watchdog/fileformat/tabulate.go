package fileformat

// Tables that are no histories, though a column is named as an iteration or a time is: results of several runs, lists
// of species and materials, properties over temperature, profiles over a coordinate.

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

var (
	// coordinate, and other places that results are tabulated over: operating points, things
	coordinate = regex.Lazy(`(?i)^([xyz]|points?:?\d*|(arc[ _]?)?length|distance|dist|radius|span|` +
		`chord|coord\w*|height|depth)[.:]?(\W.*)?$`)
	other = regex.Lazy(`(?i)^(theta|alpha|aoa|beta|mach|reynolds|` +
		`(case|run|node|cell|elem(ent)?|probe|species|material|design)([ _]?(no|id|index|number|name))?)[.:]?(\W.*)?$`)
	// thing is one that has a name; a node, a cell or a time of day in a row of a history may be text, too
	thing = regex.Lazy(`(?i)^(case|species|material|design)([ _]?name)?(\W.*)?$`)
	// property is one of a substance; a heat capacity, an enthalpy or a transport coefficient shows that it is one.
	property  = regex.Lazy(`(?i)^(c_?[pv]|h|s|g|u|rho|gamma|pr|a|z|r|k|mu|nu|lambda|kappa)0?(\W.*)?$`)
	substance = regex.Lazy(`(?i)^(c_?[pv]|h|mu|lambda|kappa)0?(\W.*)?$`)
	// clock is the name of a time, not of a step.
	clock = regex.Lazy(`(?i)(^|[ _-])t(ime)?\W*([[(/].*)?$`)
)

// The rows of a table that are looked at, of which fewer show nothing, and the least t that is a temperature, K.
const mostRows, leastRows, leastT = 40, 3, 100

// tabulates reports whether a table is no history, by its header with the given keys and its rows: it begins with a
// place that differs from row to row and its key does not count steadily, or names a thing in each row, or has
// properties over a temperature t, or its key wavers and no other column counts. A user's description rules out all.
func (p *Preset) tabulates(header, text []byte, keys []string) bool {
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		cells := strings.FieldsFunc(line,
			func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`,;|"`, r) })
		if startsNumber([]byte(line)) && (len(rows) == 0 || len(cells) == len(rows[0])) && len(rows) < mostRows {
			rows = append(rows, cells)
		}
	}
	if len(rows) < leastRows || p.Name != "table" {
		return false
	}
	for _, names := range history.Readings(string(header)) {
		key := slices.IndexFunc(names, func(name string) bool { return slices.Contains(keys, name) })
		if key < 0 || len(names) != len(rows[0]) {
			continue
		}
		rest := slices.Delete(slices.Clone(names), key, key+1)
		counts, named := false, false // outer iterations, or things
		for i, name := range names {
			step, rests, falls := strides(rows, i)
			counts = counts || i != key && (step > 0 && rests > 0 && falls == 0 ||
				len(history.KeyIn([]byte(name), p.Header)) > 0)
			named = named || thing().MatchString(name) && strings.IndexFunc(rows[0][i], unicode.IsLetter) == 0 &&
				distinct(rows, i)
		}
		strange := func(name string) bool { return !property().MatchString(name) }
		step, rests, falls := strides(rows, key)
		steady, wavers := step > 0 && rests == 0, step == 0 && 3*falls >= len(rows)-1
		if clock().MatchString(names[key]) { // it grows along a line, too, and restarts
			steady = rests+falls == 0 && (!coordinate().MatchString(names[0]) || coordinate().MatchString(names[1]))
			wavers = wavers && falls > 2
		}
		over := coordinate().MatchString(names[0]) || other().MatchString(names[0])
		t, _ := strconv.ParseFloat(rows[0][key], 64)
		profile := key > 0 && over && distinct(rows, 0) && !steady
		properties := names[key] == "t" && t >= leastT && !slices.ContainsFunc(rest, strange) &&
			slices.ContainsFunc(rest, substance().MatchString)
		return named || wavers && !counts || profile || properties
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

// strides returns the whole number by which a column grows from row to row where it does, 0 if there is none or a
// change is no multiple of it, and how often the column rests and falls.
func strides(rows [][]string, column int) (step float64, rests, falls int) {
	change := func(i int) float64 {
		before, _ := strconv.ParseFloat(rows[i][column], 64) // 0 in place of a cell that is no number
		after, _ := strconv.ParseFloat(rows[i+1][column], 64)
		return after - before
	}
	for i := range len(rows) - 1 {
		step = max(step, change(i))
	}
	even := step == math.Trunc(step)
	for i := range len(rows) - 1 {
		switch by := change(i); {
		case by == 0:
			rests++
		case by < 0:
			falls++
		}
		even = even && math.Mod(change(i), step) == 0
	}
	if !even {
		step = 0
	}
	return step, rests, falls
}
