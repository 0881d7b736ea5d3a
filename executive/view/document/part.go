package document

// The parts that sections are made of.

import (
	"html/template"
	"slices"

	"github.com/peregrine-sim/peregrine/config/unit"
)

// Fact is a name with a text.
type Fact struct {
	Name, Text string
	Tone       string
}

// Badge is a word with a colour for its quality.
type Badge struct{ Text, Tone string }

// The tones of badges, bars and states.
const (
	good     = "good"
	fair     = "fair"
	poor     = "poor"
	bad      = "bad"
	neutral  = "neutral"
	underway = "underway"
)

// Figure is the picture of a map.
type Figure struct {
	Name    string // of the chart in the snapshot
	Title   string
	Note    string
	Picture template.HTML
}

// Column is the head of a table's column.
type Column struct{ Name, Unit string }

// Table is rows of texts.
type Table struct {
	Head []Column
	Rows [][]string
}

// withoutEmpty drops columns that are empty or contain only zeros.
func (t *Table) withoutEmpty() *Table {
	for i := len(t.Head) - 1; i > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(r []string) bool { return r[i] != "" && r[i] != "0" }) {
			continue
		}
		t.Head = slices.Delete(t.Head, i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
	}
	return t
}

// withoutEmptyEnd drops the last column if it is empty.
func (t *Table) withoutEmptyEnd() *Table {
	last := len(t.Head) - 1
	if slices.ContainsFunc(t.Rows, func(r []string) bool { return r[last] != "" }) {
		return t
	}
	t.Head = t.Head[:last]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:last]
	}
	return t
}

// in returns the unit of a dimension. It returns no unit for an unknown dimension, because kept results may be damaged.
func in(sys unit.System, dim unit.Dimension) unit.Unit {
	if !dim.Known() {
		dim = unit.None
	}
	return sys.Of(dim)
}
