package perfmap

import (
	"image/color"
	"math"
	"strconv"

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
	must   bool // drawn at its first place if all are taken; else left out
}

// labelPlace is a point of the plot, an offset on paper from it, and which
// point of the text comes there (0: left or bottom, -0.5: middle, -1: right or top).
type labelPlace struct {
	x, y   float64
	dx, dy float64 // points
	ax, ay float64
}

// labels draws texts on patches of paper, so that lines do not run through
// them, and keeps them off one another. It implements [plot.Plotter]. Those
// that were added first choose first.
type labels struct {
	all  []label
	keep plotter.XYs // points that no label may cover
}

func (l *labels) add(one label) { l.all = append(l.all, one) }

func (l *labels) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, q := range l.keep {
		const r = 3.5
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: tx(q.X) - r, Y: ty(q.Y) - r}, Max: vg.Point{X: tx(q.X) + r, Y: ty(q.Y) + r}})
	}
	for _, one := range l.all {
		chosen := -1
		for i, q := range one.places {
			_, _, box := one.at(q, tx, ty)
			if inside(box, c.Rectangle) && !overlaps(box, taken) {
				chosen = i
				break
			}
		}
		if chosen < 0 {
			if !one.must || len(one.places) == 0 {
				continue
			}
			chosen = 0
		}
		style, at, box := one.at(one.places[chosen], tx, ty)
		taken = append(taken, box)
		c.FillPolygon(color.NRGBA{R: 255, G: 255, B: 255, A: 215}, []vg.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}})
		c.FillText(style, at, one.text)
	}
}

// at returns how and where the label is drawn at a place, and the paper it takes.
func (l label) at(q labelPlace, tx, ty func(float64) vg.Length) (draw.TextStyle, vg.Point, vg.Rectangle) {
	style := draw.TextStyle{Color: l.color, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(l.size)},
		XAlign: draw.XAlignment(q.ax), YAlign: draw.YAlignment(q.ay), Handler: plot.DefaultTextHandler}
	at := vg.Point{X: tx(q.x) + vg.Points(q.dx), Y: ty(q.y) + vg.Points(q.dy)}
	return style, at, style.Rectangle(l.text).Add(at)
}

func inside(box, paper vg.Rectangle) bool {
	return box.Min.X >= paper.Min.X && box.Max.X <= paper.Max.X && box.Min.Y >= paper.Min.Y && box.Max.Y <= paper.Max.Y
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
		{x, y, r + 4, 0, 0, -0.5}, {x, y, r + 3, -4, 0, -0.5}, {x, y, r + 3, 5, 0, -0.5}, {x, y, r + 3, -10, 0, -0.5}, {x, y, 0, -r - 4, -0.5, -1}, {x, y, 0, r + 4, -0.5, 0},
		{x, y, -r - 3, 4, -1, -0.5}, {x, y, -r - 3, -5, -1, -0.5}, {x, y, 0, -r - 16, -0.5, -1}, {x, y, 0, r + 16, -0.5, 0},
	}
}

// ticks are at multiples of 1, 2 or 5 times a power of ten, about six of them
// with labels, and four or five without between.
type ticks struct{}

func (ticks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) {
		return []plot.Tick{{Value: lo, Label: number(lo)}}
	}
	raw := (hi - lo) / 6
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step, parts := 10*power, 5
	for _, s := range []struct {
		size  float64
		parts int
	}{{1, 5}, {2, 4}, {5, 5}} {
		if s.size*power >= raw {
			step, parts = s.size*power, s.parts
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step*1.0000001))))
	var out []plot.Tick
	small := step / float64(parts)
	for k := int(math.Ceil(lo/small - 1e-9)); float64(k)*small <= hi+1e-9*small; k++ {
		t := plot.Tick{Value: float64(k) * small}
		if k%parts == 0 {
			t.Label = strconv.FormatFloat(t.Value, 'f', decimals, 64)
		}
		out = append(out, t)
	}
	return out
}

// shade goes from violet (0) over blue and green to ochre (1), of about even
// steps to the eye and in grey.
func shade(t float64) color.Color {
	anchors := []color.NRGBA{{0x44, 0x01, 0x54, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x21, 0x91, 0x8c, 0xff}, {0x46, 0xa8, 0x4a, 0xff}, {0xc0, 0xa0, 0x20, 0xff}}
	t = min(max(t, 0), 1) * float64(len(anchors)-1)
	i := min(int(t), len(anchors)-2)
	f := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}
