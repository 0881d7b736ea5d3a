package page

// Sweeps: collected quantities over the axes, and all points.

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// sweepTable is the largest number of rows of a sweep on the page.
const sweepTable = 2000

// Sweep is a sweep's table and curves.
type Sweep struct {
	Name    string
	Message string
	Note    string
	Figures []Figure
	Table   *Table
}

// sweepsOf shows the sweeps.
func sweepsOf(k *report.Kept, sys unit.System) (list []Sweep) {
	for i := range k.Sweeps {
		list = append(list, newSweep(&k.Sweeps[i], sys))
	}
	return list
}

func newSweep(s *report.KeptSweep, sys unit.System) Sweep {
	out := Sweep{Name: s.Name, Message: s.Message, Table: &Table{}}
	for _, c := range s.Columns {
		out.Table.Head = append(out.Table.Head, Column{c.Path, in(sys, c.Dim).Name()})
	}
	out.Table.Head = append(out.Table.Head, Column{"", ""})
	for n, r := range s.Rows {
		if n == sweepTable {
			out.Note = fmt.Sprintf("The first %d of %d points are in the table.", sweepTable, len(s.Rows))
			break
		}
		var row []string
		for i, c := range s.Columns {
			text := "–"
			if i < len(r.Values) && r.Values[i] != nil {
				text = number(in(sys, c.Dim).FromSI(*r.Values[i]), 5)
			}
			row = append(row, text)
		}
		state := ""
		if !r.Converged {
			state = "not converged: " + r.Message
		}
		out.Table.Rows = append(out.Table.Rows, append(row, clipped(state, 200)))
	}
	out.Table = out.Table.withoutEmptyEnd()
	out.Figures = sweepFigures(s, sys)
	return out
}

// sweepFigures draws the collected quantities over the last axis, with a curve for each combination of the other axes.
func sweepFigures(s *report.KeptSweep, sys unit.System) (list []Figure) {
	axes := 0
	for axes < len(s.Columns) && s.Columns[axes].Axis {
		axes++
	}
	if axes == 0 || axes == len(s.Columns) {
		return nil
	}
	along := axes - 1
	const mostFigures = 8
	for q := axes; q < len(s.Columns) && len(list) < mostFigures; q++ {
		var curves []history.Curve
		at := map[string]int{}
		for _, r := range s.Rows {
			if len(r.Values) < len(s.Columns) || r.Values[along] == nil || r.Values[q] == nil || !r.Converged {
				continue
			}
			var key []string
			for i := range along {
				v := math.NaN()
				if r.Values[i] != nil {
					v = in(sys, s.Columns[i].Dim).FromSI(*r.Values[i])
				}
				key = append(key, strings.TrimSpace(number(v, 3)+" "+in(sys, s.Columns[i].Dim).Name()))
			}
			name := strings.Join(key, ", ")
			i, known := at[name]
			if !known {
				i = len(curves)
				at[name] = i
				curves = append(curves, history.Curve{Name: name})
			}
			curves[i].Points = append(curves[i].Points, history.XY{
				X: in(sys, s.Columns[along].Dim).FromSI(*r.Values[along]),
				Y: in(sys, s.Columns[q].Dim).FromSI(*r.Values[q])})
		}
		if picture := family(s.Columns[q].Path, curves); picture != "" {
			note := strings.TrimSpace(in(sys, s.Columns[q].Dim).Name()) + " over " + s.Columns[along].Path
			if u := in(sys, s.Columns[along].Dim).Name(); u != "" {
				note += ", " + u
			}
			list = append(list, Figure{Title: s.Columns[q].Path, Note: note, Picture: picture})
		}
	}
	return list
}

// family draws curves over one axis, each with its name at its end.
func family(name string, curves []history.Curve) template.HTML {
	const width, height, left, bottom, right = 460, 240, 52, 22, 72
	d := newDrawing(width, height, name)
	low, high, first, last := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		low, high = ends(low, high, c.Points, ordinate)
		first, last = ends(first, last, c.Points, abscissa)
	}
	if high < low {
		return ""
	}
	if high == low {
		high, low = high+0.05*math.Abs(high)+1e-12, low-0.05*math.Abs(low)-1e-12
	}
	room := 0.05 * (high - low)
	x, y := scale{first, last, left, width - right}, scale{low - room, high + room, height - bottom, 8}
	d.levels(y, left, width-right)
	d.axis(x, height-bottom)
	var taken []float64
	for i, c := range curves {
		slices.SortStableFunc(c.Points, func(a, b history.XY) int { return cmp.Compare(a.X, b.X) })
		class := classOf(i)
		if len(curves) > palette { // in order of the axis, not by hue
			class = "c cx"
		}
		d.curve(class, c.Points, x, y, detail{120, 0.3})
		end := c.Points[len(c.Points)-1]
		at := y.at(end.Y) + 3.5
		if c.Name != "" && numeric.Finite(at) && !slices.ContainsFunc(taken,
			func(v float64) bool { return math.Abs(v-at) < 10 }) {
			taken = append(taken, at)
			d.text("t", "start", x.at(end.X)+5, at, clipped(c.Name, 12))
		}
	}
	return d.picture("chart")
}
