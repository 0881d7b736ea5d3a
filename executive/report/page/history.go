package page

// The transients of a study.

import (
	"html/template"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// historiesOf draws the transients, a picture for each unit.
func historiesOf(k *report.Kept, sys unit.System) (list []Section) {
	for i := range k.History {
		h := &k.History[i]
		s := Section{Title: h.Case}
		for _, c := range h.Columns {
			u := in(sys, c.Dim)
			curve := history.Curve{Name: c.Path}
			for n, v := range c.Values {
				if v != nil && n < len(h.T) {
					curve.Points = append(curve.Points, history.XY{X: h.T[n], Y: u.FromSI(*v)})
				}
			}
			if picture := overTime(c.Path, curve); picture != "" {
				s.Figures = append(s.Figures, Figure{Title: c.Path, Note: u.Name(), Picture: picture})
			}
		}
		list = append(list, s)
	}
	return list
}

// overTime draws a curve with both axes.
func overTime(name string, c history.Curve) template.HTML {
	const width, height, left, bottom = 460, 170, 48, 22
	d := newDrawing(width, height, name)
	low, high := ends(math.Inf(1), math.Inf(-1), c.Points, ordinate)
	first, last := ends(math.Inf(1), math.Inf(-1), c.Points, abscissa)
	if high < low {
		return ""
	}
	if high-low < 1e-9*math.Abs(high) || high == low {
		low, high = low-0.05*math.Abs(low)-1e-12, high+0.05*math.Abs(high)+1e-12
	}
	room := 0.06 * (high - low)
	x, y := scale{first, last, left, width - 8}, scale{low - room, high + room, height - bottom, 8}
	d.levels(y, left, width-8)
	d.axis(x, height-bottom)
	d.curve("c c0", c.Points, x, y, detail{240, 0.3})
	return d.picture("chart")
}

// levels draws the vertical axis with its numbers, and lines across.
func (d *drawing) levels(y scale, left, right float64) {
	var grid strings.Builder
	above := math.Inf(1)
	for v, text := range ticks(y.from, y.to) {
		at := y.at(v)
		if above-at < 14 {
			continue
		}
		above = at
		grid.WriteString("M" + short(left) + " " + short(at) + "H" + short(right))
		d.text("t", "end", left-5, at+3.5, text)
	}
	d.path("g", grid.String())
}
