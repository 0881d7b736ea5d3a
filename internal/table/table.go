// Package table writes rows of cells as columns of text.
package table

import (
	"strings"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/printable"
)

// Gap separates columns.
const Gap = "  "

// Table is rows of cells, whose control characters become visible.
type Table struct {
	Indent string // in front of each row
	align  string
	rows   [][]string
	heads  int // how many of the rows are heads: names, and units below them
}

// New returns a table whose first row is head, if it has cells. Align has one letter a column, l or r, for the
// alignment of its cells. Its last letter holds for all further columns.
func New(align string, head ...string) *Table {
	t := &Table{align: align}
	if len(head) > 0 {
		t.Head(head...)
	}
	return t
}

// Indented is New with an indent of one gap.
func Indented(align string, head ...string) *Table {
	t := New(align, head...)
	t.Indent = Gap
	return t
}

// Row adds a row. It may have fewer or more cells than others.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = printable.Cell(c)
	}
	t.rows = append(t.rows, row)
}

// Head adds a row of names, or of units below them. Head rows come first.
func (t *Table) Head(cells ...string) {
	t.Row(cells...)
	t.heads++
}

// Heads returns the head rows.
func (t *Table) Heads() [][]string { return t.rows[:t.heads] }

// Body returns the other rows.
func (t *Table) Body() [][]string { return t.rows[t.heads:] }

// Field adds a row of a name and its value. An empty value, "" or "-", adds no row.
func (t *Table) Field(name, value string) {
	if value != "" && value != "-" {
		t.Row(name, value)
	}
}

// Right reports whether the cells of a column are aligned at the right.
func (t *Table) Right(column int) bool { return t.align[min(column, len(t.align)-1)] == 'r' }

// String writes the rows, a line each, without blanks at their ends. A left-aligned
// cell at the end of its row may be wider than its column.
func (t *Table) String() string {
	var width []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			if t.Right(i) || i < len(row)-1 {
				width[i] = max(width[i], utf8.RuneCountInString(cell))
			}
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := t.Indent
		for i, cell := range row {
			if i > 0 {
				line += Gap
			}
			pad := strings.Repeat(" ", max(0, width[i]-utf8.RuneCountInString(cell)))
			if t.Right(i) {
				line += pad + cell
			} else {
				line += cell + pad
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
