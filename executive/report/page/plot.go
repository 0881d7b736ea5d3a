package page

// Curves: residuals over iterations, values, profiles. A curve has no more points than a screen shows.

import (
	"html/template"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// Legend names the curves of a picture.
type Legend struct {
	Class string
	Name  string
	Text  string
}

// detail is the resolution of curves: many runs share one file.
type detail struct {
	points    int     // of a curve
	tolerance float64 // largest deviation, in units of the picture
}

// scale maps values to a picture.
type scale struct{ from, to, low, high float64 }

func (s scale) at(v float64) float64 {
	if s.to == s.from {
		return (s.low + s.high) / 2
	}
	return s.low + (v-s.from)/(s.to-s.from)*(s.high-s.low)
}

// curve draws points as a path, thinned.
func (d *drawing) curve(class string, list []history.XY, x, y scale, fine detail) {
	var pixels []history.XY
	for _, p := range list {
		if q := (history.XY{X: x.at(p.X), Y: y.at(p.Y)}); numeric.Finite(q.X) && numeric.Finite(q.Y) {
			pixels = append(pixels, q)
		}
	}
	pixels = thinned(pixels, fine)
	if len(pixels) == 1 {
		d.dot(class+" dot", pixels[0].X, pixels[0].Y, 2)
		return
	}
	if len(pixels) > 0 {
		d.path(class, pathOf(pixels))
	}
}

// pathOf writes a polyline as differences in tenths, which are short.
func pathOf(list []history.XY) string {
	var b strings.Builder
	tenth := func(v float64) int { return int(math.Round(10 * v)) }
	write := func(n int, first bool) {
		if n < 0 {
			b.WriteByte('-')
			n = -n
		} else if !first {
			b.WriteByte(' ')
		}
		if n >= 10 || n == 0 {
			b.WriteString(strconv.Itoa(n / 10))
		}
		if n%10 != 0 {
			b.WriteByte('.')
			b.WriteByte(byte('0' + n%10))
		}
	}
	px, py := tenth(list[0].X), tenth(list[0].Y)
	b.WriteByte('M')
	write(px, true)
	write(py, false)
	b.WriteByte('l')
	first := true
	for _, p := range list[1:] {
		qx, qy := tenth(p.X), tenth(p.Y)
		write(qx-px, first)
		write(qy-py, false)
		px, py, first = qx, qy, false
	}
	return b.String()
}

// thinned leaves out points close to a line between other points, by Douglas and Peucker's method (Cartographica 10,
// 1973). If too many points remain it keeps the points with the largest deviation.
func thinned(list []history.XY, fine detail) []history.XY {
	if len(list) < 3 {
		return list
	}
	off := make([]float64, len(list))
	measure(list, off, 0, len(list)-1, math.Inf(1))
	off[0], off[len(off)-1] = math.Inf(1), math.Inf(1)
	limit := fine.tolerance
	if len(list) > fine.points {
		ranked := slices.Sorted(slices.Values(off))
		limit = max(limit, ranked[len(ranked)-max(fine.points, 2)-1])
	}
	var out []history.XY
	for i, p := range list {
		if off[i] > limit {
			out = append(out, p)
		}
	}
	return out
}

// measure computes the deviation of each point between two points if it is left out. The deviation is at most that of
// the points on which it depends.
func measure(list []history.XY, off []float64, a, b int, most float64) {
	for b > a+1 {
		far, at := -1.0, 0
		dx, dy := list[b].X-list[a].X, list[b].Y-list[a].Y
		length := math.Hypot(dx, dy)
		for i := a + 1; i < b; i++ {
			ex, ey := list[i].X-list[a].X, list[i].Y-list[a].Y
			d := math.Abs(ex*dy - ey*dx)
			if length > 0 {
				d /= length
			} else {
				d = math.Hypot(ex, ey)
			}
			if d > far {
				far, at = d, i
			}
		}
		most = min(most, far)
		off[at] = most
		measure(list, off, a, at, most)
		a = at
	}
}

// ends returns the range of points along one coordinate.
func ends(low, high float64, list []history.XY, of func(history.XY) float64) (float64, float64) {
	for _, p := range list {
		if v := of(p); numeric.Finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

func abscissa(p history.XY) float64 { return p.X }
func ordinate(p history.XY) float64 { return p.Y }

// classOf returns the style class of the i-th curve; curves beyond the palette are grey.
func classOf(i int) string {
	if i >= palette {
		return "c cx"
	}
	return "c c" + strconv.Itoa(i)
}

const palette = 8

// marks are iterations that a picture of residuals points out.
type mark struct {
	at   float64
	text string
}

// residuals draws residuals over iterations on a log scale.
func residuals(name string, curves []history.Curve, sign *mark, fine detail) template.HTML {
	const width, height, left, bottom, top = 460, 220, 40, 22, 8
	d := newDrawing(width, height, "residuals of "+name)
	low, high, first, last := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	logs := make([][]history.XY, len(curves))
	for i, c := range curves {
		for _, p := range c.Points {
			if p.Y != 0 {
				logs[i] = append(logs[i], history.XY{X: p.X, Y: math.Log10(math.Abs(p.Y))})
			}
		}
		low, high = ends(low, high, logs[i], ordinate)
		first, last = ends(first, last, logs[i], abscissa)
	}
	if high < low {
		return ""
	}
	low, high = math.Floor(low), math.Ceil(high)
	if low == high {
		high++
	}
	low = max(low, high-18)
	x, y := scale{first, last, left, width - 8}, scale{low, high, height - bottom, top}
	step := math.Ceil((high - low) / 7)
	var grid strings.Builder
	for e := low; e <= high; e++ {
		if math.Mod(e-low, step) == 0 {
			grid.WriteString("M" + short(left) + " " + short(y.at(e)) + "H" + short(width-8))
			d.text("t", "end", left-5, y.at(e)+3.5, "10"+raised(int(e)))
		}
	}
	d.path("g", grid.String())
	d.axis(x, height-bottom)
	if sign != nil && sign.at > first && sign.at < last {
		d.line("sign", x.at(sign.at), top, x.at(sign.at), height-bottom)
		anchor, dx := "start", 4.0
		if x.at(sign.at) > width*0.7 {
			anchor, dx = "end", -4
		}
		d.text("t sign-text", anchor, x.at(sign.at)+dx, top+9, sign.text)
	}
	for i, c := range curves {
		d.curve(classOf(i), clampLow(logs[i], low), x, y, fine)
		if c.Odd != nil {
			d.cross(x.at(min(max(*c.Odd, first), last)), top+5)
		}
	}
	return d.picture("chart")
}

// clampLow keeps points within a picture.
func clampLow(list []history.XY, low float64) []history.XY {
	for i := range list {
		list[i].Y = max(list[i].Y, low)
	}
	return list
}

// cross marks where a value was not finite.
func (d *drawing) cross(x, y float64) {
	d.path("odd", "M"+short(x-3)+" "+short(y-3)+"l6 6m0-6l-6 6")
}

// axis draws the horizontal axis with its numbers at a height.
func (d *drawing) axis(x scale, y float64) {
	d.line("a", x.low, y, x.high, y)
	var ticks strings.Builder
	right := math.Inf(-1)
	for _, t := range (paper.Ticks{}).Ticks(x.from, x.to) {
		if t.Label == "" {
			continue
		}
		at := x.at(t.Value)
		label := count(t.Value)
		wide := 3.1 * float64(len([]rune(label)))
		if at-wide < right+4 {
			continue
		}
		right = at + wide
		ticks.WriteString("M" + short(at) + " " + short(y) + "v3.5")
		d.text("t", "middle", at, y+14, label)
	}
	d.path("a", ticks.String())
}

// small draws a value over the iterations, at the height of a line of text.
func small(name string, c history.Curve, class string, width, height float64, log bool, fine detail) template.HTML {
	d := newDrawing(width, height, name)
	list := c.Points
	if log {
		list = nil
		for _, p := range c.Points {
			if p.Y != 0 {
				list = append(list, history.XY{X: p.X, Y: math.Log10(math.Abs(p.Y))})
			}
		}
	}
	low, high := ends(math.Inf(1), math.Inf(-1), list, ordinate)
	first, last := ends(math.Inf(1), math.Inf(-1), list, abscissa)
	if high < low {
		return ""
	}
	x, y := scale{first, last, 2, width - 3}, scale{low, high, height - 3, 3}
	d.curve(class, list, x, y, fine)
	if n := len(list); n > 0 {
		d.dot(class+" dot", x.at(list[n-1].X), y.at(list[n-1].Y), 1.8)
	}
	if c.Odd != nil {
		d.cross(width-5, height/2)
	}
	return d.picture("small")
}

// radial draws a profile with the coordinate upwards, like a blade's span.
func radial(name string, along, values []float64, fine detail) template.HTML {
	const width, height = 130, 150
	var list []history.XY
	for i := range values {
		list = append(list, history.XY{X: values[i], Y: along[i]})
	}
	d := newDrawing(width, height, name)
	left, right := ends(math.Inf(1), math.Inf(-1), list, abscissa)
	low, high := ends(math.Inf(1), math.Inf(-1), list, ordinate)
	if right < left || high < low {
		return ""
	}
	if right-left < 1e-6*math.Abs(right) { // the same everywhere: a straight line in the middle
		left, right = left-math.Abs(left)/2, right+math.Abs(right)/2
	}
	x, y := scale{left, right, 8, width - 8}, scale{low, high, height - 20, 6}
	d.path("g", "M8 6H122M8 "+short(y.at((low+high)/2))+"H122M65 6V130")
	d.line("a", 8, height-20, width-8, height-20)
	d.line("a", 8, 6, 8, height-20)
	d.curve("c c0", list, x, y, fine)
	d.text("t", "start", 8, height-7, number(left, 4))
	d.text("t", "end", width-8, height-7, number(right, 4))
	return d.picture("profile")
}

// ticks are the numbered ticks of a range, with their texts.
func ticks(from, to float64) iter.Seq2[float64, string] {
	return func(yield func(float64, string) bool) {
		for _, t := range (paper.Ticks{}).Ticks(from, to) {
			text := strings.ReplaceAll(t.Label, "-", "−")
			if len(text) > 8 {
				text = number(t.Value, 3)
			}
			if t.Label != "" && !yield(t.Value, text) {
				return
			}
		}
	}
}
