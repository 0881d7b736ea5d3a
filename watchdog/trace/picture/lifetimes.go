package picture

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// lifetimes draws a bar for each process from its begin to its end, with the times for which the recorder held it up.
// A process begins in the first row that is free.
func lifetimes(s *trace.Stats, o *Options) *plot.Plot {
	names := slices.Clone(o.Rows)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(s.Lives[a].Begin, s.Lives[b].Begin) })
	row := map[string]int{}
	var last []string // process of each row
	for _, name := range names {
		i := slices.IndexFunc(last, func(before string) bool { return s.Lives[before].End < s.Lives[name].Begin })
		if i < 0 {
			i = len(last)
			last = append(last, "")
		}
		row[name], last[i] = i, name
	}
	p := panel(s, make([]string, len(last)), "Lifetimes of processes")
	list, texts := &shapes{frame: frame(s, len(last), besideEnd)}, &notes{}
	rights := make([]float64, len(last)) // where the next process of the row begins
	for i := range rights {
		rights[i] = s.Span
	}
	for _, name := range slices.Backward(names) {
		l, y := s.Lives[name], -float64(row[name])
		begin := l.Begin - s.Begin
		list.boxes = append(list.boxes, box{begin, l.End - s.Begin, y - 0.35, y, inks[trace.Busy]})
		for _, in := range s.Intervals[name] {
			if in.Activity == trace.Perturbed {
				list.boxes = append(list.boxes, box{in.Begin - s.Begin, in.End - s.Begin, y - 0.35, y,
					inks[trace.Perturbed]})
			}
		}
		if slices.Contains(o.Chosen, name) {
			list.line(begin, y-0.4, l.End-s.Begin, y-0.4, color.Black, 1.5)
		}
		*texts = append(*texts, note{begin, rights[row[name]], y + 0.08, name})
		rights[row[name]] = begin
		if parent, drawn := row[l.ForkedBy]; drawn {
			list.line(begin, -float64(parent)-0.17, begin, y-0.17, forkInk, 0.9)
		}
		if by, drawn := row[l.JoinedBy]; drawn {
			list.line(l.End-s.Begin, y-0.17, l.Joined-s.Begin, -float64(by)-0.17, joinInk, 0.9)
		}
	}
	p.Add(list, texts)
	p.Legend.Top, p.Legend.ThumbnailWidth, p.Legend.Padding = true, vg.Points(14), vg.Points(2)
	p.Legend.Add("alive", swatch{inks[trace.Busy]})
	p.Legend.Add("perturbed", swatch{inks[trace.Perturbed]})
	p.Legend.Add("fork", stroke{forkInk})
	p.Legend.Add("join", stroke{joinInk})
	return p
}

// note is a text in the coordinates of a plot, which is left out where it would pass its right end.
type note struct {
	left, right, y float64
	text           string
}

type notes []note

// Plot implements plot.Plotter.
func (n notes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := p.X.Tick.Label
	style.XAlign, style.YAlign = draw.XLeft, draw.YBottom
	for _, t := range n {
		r := style.Rectangle(t.text).Add(vg.Point{X: x(t.left) + vg.Points(2), Y: y(t.y)})
		if r.Max.X > x(t.right) {
			continue
		}
		c.SetColor(color.White) // a text covers lines
		c.Fill(r.Path())
		c.FillText(style, r.Min, t.text)
	}
}

// stroke is a line in a legend.
type stroke struct{ ink color.Color }

// Thumbnail implements plot.Thumbnailer.
func (s stroke) Thumbnail(c *draw.Canvas) {
	r, y := inset(c), c.Center().Y
	c.StrokeLine2(draw.LineStyle{Color: s.ink, Width: vg.Points(1.2)}, r.Min.X, y, r.Max.X, y)
}

var forkInk, joinInk = paper.Ramp(0), paper.Ramp(1)
