package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// label is a text with the places where it may stand, the best first.
type label struct {
	text   string
	color  color.Color
	size   float64
	places []labelPlace
	must   bool // drawn also if all places are taken; else left out
}

// labelPlace is a point of the plot, an offset on paper from it, and the anchor of the text there (0: left or bottom,
// -0.5: middle, -1: right or top).
type labelPlace struct {
	x, y   float64
	dx, dy float64 // points
	ax, ay float64
}

// labels draws texts on patches of paper, so that lines do not cross them, and keeps them apart. It implements
// [plot.Plotter]. Texts choose their places in the order in which they were added.
type labels struct {
	all []label
	// points that no label may cover, and points that a label may cover only if it must be drawn
	keep, avoid plotter.XYs
	corners     []corner    // for the legend, the best first; none: it stays
	edges       plotter.XYs // that the legend covers only if it must
}

// corner is a corner of the plot for the legend.
type corner struct{ top, left bool }

func (l *labels) add(one label) { l.all = append(l.all, one) }

func (l *labels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	boxes := func(points plotter.XYs, r vg.Length) (list []vg.Rectangle) {
		for _, q := range points {
			x, y := tx(q.X), ty(q.Y)
			list = append(list, vg.Rectangle{Min: vg.Point{X: x - r, Y: y - r}, Max: vg.Point{X: x + r, Y: y + r}})
		}
		return list
	}
	taken, avoid := boxes(l.keep, 3.5), boxes(l.avoid, 1)
	if len(l.corners) > 0 {
		covered := slices.Concat(taken, avoid, boxes(l.edges, 1))
		for _, one := range l.all {
			_, _, box := one.at(one.places[0], tx, ty)
			covered = append(covered, box)
		}
		taken = append(taken, l.moveLegend(c, &p.Legend, covered))
	}
	for _, one := range l.all {
		free := func(others []vg.Rectangle) func(q labelPlace) bool {
			return func(q labelPlace) bool {
				_, _, box := one.at(q, tx, ty)
				return inside(box, c.Rectangle) && !overlaps(box, taken) && !overlaps(box, others)
			}
		}
		chosen := slices.IndexFunc(one.places, free(avoid))
		if chosen < 0 {
			if !one.must || len(one.places) == 0 {
				continue
			}
			chosen = max(0, slices.IndexFunc(one.places, free(nil)))
		}
		style, at, box := one.at(one.places[chosen], tx, ty)
		taken = append(taken, box)
		c.FillPolygon(color.NRGBA{R: 255, G: 255, B: 255, A: 215},
			[]vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
		c.FillText(style, at, one.text)
	}
}

// moveLegend puts the legend into the corner in which it covers least, and returns the paper that it takes.
func (l *labels) moveLegend(c draw.Canvas, legend *plot.Legend, covered []vg.Rectangle) (taken vg.Rectangle) {
	gap, size, least := vg.Points(6), legend.Rectangle(c).Size(), math.MaxInt
	for _, k := range l.corners {
		box := vg.Rectangle{Min: c.Min.Add(vg.Point{X: gap, Y: gap})}
		offset := vg.Point{X: gap, Y: gap}
		if !k.left {
			box.Min.X, offset.X = c.Max.X-gap-size.X, -gap
		}
		if k.top {
			box.Min.Y, offset.Y = c.Max.Y-gap-size.Y, -gap
		}
		box.Max = box.Min.Add(size)
		n := 0
		for _, other := range covered {
			if overlaps(box, []vg.Rectangle{other}) {
				n++
			}
		}
		if n < least {
			least, taken = n, box
			legend.Top, legend.Left, legend.XOffs, legend.YOffs = k.top, k.left, offset.X, offset.Y
		}
	}
	return taken
}

// at returns how and where the label is drawn at a place, and the paper it takes.
func (l label) at(q labelPlace, tx, ty func(float64) vg.Length) (draw.TextStyle, vg.Point, vg.Rectangle) {
	style := draw.TextStyle{
		Color: l.color, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(l.size)},
		XAlign: draw.XAlignment(q.ax), YAlign: draw.YAlignment(q.ay), Handler: plot.DefaultTextHandler}
	at := vg.Point{X: tx(q.x) + vg.Points(q.dx), Y: ty(q.y) + vg.Points(q.dy)}
	return style, at, style.Rectangle(l.text).Add(at)
}

func inside(box, paper vg.Rectangle) bool {
	return box.Min.X >= paper.Min.X && box.Max.X <= paper.Max.X-2 &&
		box.Min.Y >= paper.Min.Y && box.Max.Y <= paper.Max.Y
}

func overlaps(box vg.Rectangle, taken []vg.Rectangle) bool {
	const gap = 1
	for _, t := range taken {
		if box.Min.X < t.Max.X+gap && t.Min.X < box.Max.X+gap && box.Min.Y < t.Max.Y+gap && t.Min.Y < box.Max.Y+gap {
			return true
		}
	}
	return false
}

// around are the places beside a point of radius r.
func around(x, y, r float64) []labelPlace {
	return []labelPlace{
		{x, y, r + 4, 0, 0, -0.5}, {x, y, r + 3, -4, 0, -0.5}, {x, y, r + 3, 5, 0, -0.5}, {x, y, r + 3, 9, 0, -0.5},
		{x, y, r + 3, -10, 0, -0.5},
		{x, y, 0, -r - 4, -0.5, -1}, {x, y, 0, r + 4, -0.5, 0},
		{x, y, -r - 3, 4, -1, -0.5}, {x, y, -r - 3, -5, -1, -0.5}, {x, y, 0, -r - 16, -0.5, -1},
		{x, y, 0, r + 16, -0.5, 0},
	}
}
