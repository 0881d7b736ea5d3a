package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/contour"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

const mm = 1000 // of a metre

// span names a fraction of the span.
func span(s float64) string { return fmt.Sprintf("%.3g %% span", 100*s) }

// title names the row and the quantity shown.
func title(f *field.Field, what string) string { return f.Row + ": " + what }

// BladeToBlade draws the Mach number seen from the row on surfaces at fractions of the span, unrolled so that angles
// are true, over several pitches; black where it is 1.
func BladeToBlade(f *field.Field, spans []float64) *Figure {
	mach := f.Values(field.Quantity{Of: func(s *field.State) float64 { return s.MNRel }})
	fig := &Figure{
		title: title(f, "Mach number seen from the row"),
		note:  operating(f) + "on unrolled surfaces of revolution; black line: Mach 1; " + turns(f),
		width: across(len(spans)),
	}
	var cuts [][]float64
	var all []float64
	for _, h := range spans {
		v := f.Sheet(h).Cut(mach)
		cuts, all = append(cuts, v), append(all, v...)
	}
	colours := newScale(all, 0.001, 28, math.NaN())
	colours.unit = "Mach"
	var row []*panel
	aspect := aspectOf(f, spans)
	for n, h := range spans {
		row = append(row, sheetPanel(f.Sheet(h), cuts[n], colours, span(h), n == 0, aspect))
	}
	row[len(row)-1].bar = &colours
	fig.rows = [][]*panel{row}
	return fig
}

// operating describes a run's operating point, if it is known.
func operating(f *field.Field) string {
	if f.Run == nil || f.Run.W == 0 {
		return ""
	}
	text := fmt.Sprintf("%.2f kg/s, PR %.4f, efficiency %.4f\n", f.Run.W, f.Run.PR, f.Run.Eff)
	if f.Run.Status != march.Converged {
		text = string(f.Run.Status) + ": " + text
	}
	return text
}

func turns(f *field.Field) string {
	if f.N == 0 {
		return "the row stands"
	}
	return fmt.Sprintf("the row turns upwards at %.6g rpm", f.N)
}

// sheetPanel draws an unrolled surface around the blades, with values at its nodes if any.
func sheetPanel(s *field.Sheet, v []float64, colours scale, name string, first bool, aspect float64) *panel {
	row := s.NI + 1
	x0, x1 := window(s)
	wide := x1 - x0
	high := aspect * wide
	mid := (s.T[s.LE] + s.T[s.TE]) / 2
	y0, y1 := mid-high/2, mid+high/2
	lo, hi := slices.Min(s.T), slices.Max(s.T)
	var moves []float64
	for n := math.Floor((y0 - hi) / s.Pitch); n <= math.Ceil((y1-lo)/s.Pitch); n++ {
		moves = append(moves, mm*n*s.Pitch)
	}
	grid := &contour.Grid{NI: s.NI, NJ: s.NJ, V: v}
	for k := range s.M {
		grid.X, grid.Y = append(grid.X, mm*s.M[k]), append(grid.Y, mm*s.T[k])
	}
	var outline []contour.Point
	for i := s.LE; i <= s.Closed; i++ {
		outline = append(outline, contour.Point{X: mm * s.M[i], Y: mm * s.T[i]})
	}
	for i := s.Closed; i >= s.LE; i-- {
		outline = append(outline, contour.Point{X: mm * s.M[i], Y: mm * (s.T[s.NJ*row+i] + s.Pitch)})
	}
	p := paper.Panel(name, "meridional, mm", "")
	if first {
		p.Y.Label.Text = "circumferential, mm"
	}
	p.Title.TextStyle.Font = paper.Font(10)
	if v != nil {
		p.Add(&bands{Grid: grid, scale: colours, moves: moves, mark: 1})
	}
	p.Add(&shape{at: outline, moves: moves, ink: metal})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = mm*x0, mm*x1, mm*y0, mm*y1
	return &panel{Plot: p, extent: [2]float64{1, aspect}}
}

// window is the part of a sheet that is drawn, along the flow.
func window(s *field.Sheet) (x0, x1 float64) {
	chord := s.M[s.TE] - s.M[s.LE]
	return max(s.M[0], s.M[s.LE]-0.5*chord), min(s.M[s.NI], s.M[s.TE]+0.8*chord)
}

// aspectOf is the height of sheets over their width, the same for all, so that their panels are equal: enough for two
// blades, unless that is very high.
func aspectOf(f *field.Field, spans []float64) float64 {
	least, most := 0.55, 1.2
	aspect := least
	for _, h := range spans {
		s := f.Sheet(h)
		x0, x1 := window(s)
		aspect = max(aspect, 2.3*s.Pitch/(x1-x0))
	}
	return min(aspect, most)
}

// across is the width of a figure with a number of equal panels side by side.
func across(panels int) vg.Length { return vg.Length(2+5*max(panels, 3)) * vg.Centimeter }

// Meridional draws averages over the pitch in the meridional plane; black the blade's
// edges.
func Meridional(f *field.Field) *Figure {
	states := f.Meridional()
	fig := &Figure{
		title: title(f, "averages over the pitch"),
		note: operating(f) + "mass averages, the static pressure by area; totals and pressure over the inlet's mean " +
			"total state", width: 22 * vg.Centimeter,
	}
	grid := &contour.Grid{NI: f.NI, NJ: f.NK}
	for n := range states {
		grid.X, grid.Y = append(grid.X, mm*states[n].Z), append(grid.Y, mm*states[n].Radius)
	}
	edge := func(i int) (l []contour.Point) {
		for k := range f.NK + 1 {
			n := k*(f.NI+1) + i
			l = append(l, contour.Point{X: grid.X[n], Y: grid.Y[n]})
		}
		return l
	}
	edges := [][]contour.Point{edge(f.LE), edge(f.TE)}
	for n, q := range []struct {
		name string
		calm float64
		of   func(s *field.State) float64
	}{
		{"Mach number seen from the row", math.NaN(), func(s *field.State) float64 { return s.MNRel }},
		{"Static pressure over inlet Pt", math.NaN(), func(s *field.State) float64 { return s.Ps / f.Pt }},
		{"Total pressure over inlet Pt", 1, func(s *field.State) float64 { return s.Pt / f.Pt }},
		{"Total temperature over inlet Tt", 1, func(s *field.State) float64 { return s.Tt / f.Tt }},
	} {
		v := make([]float64, len(states))
		for k := range states {
			v[k] = q.of(&states[k])
		}
		row := f.NI + 1 // gas is at rest on the walls: the line beside them is drawn
		copy(v[:row], v[row:2*row])
		copy(v[len(v)-row:], v[len(v)-2*row:len(v)-row])
		one := *grid
		one.V = v
		p := paper.Panel(q.name, "axial distance, mm", "radius, mm")
		p.Title.TextStyle.Font = paper.Font(10)
		colours := newScale(v, 0.005, 14, q.calm)
		p.Add(&bands{Grid: &one, scale: colours, moves: []float64{0}, mark: math.NaN()},
			&strokes{edges, draw.LineStyle{Color: black, Width: vg.Points(0.9)}})
		x, y := bounds(grid.X), bounds(grid.Y)
		pad := 0.03 * (x[1] - x[0])
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0]-pad, y[1]+pad
		if n%2 == 0 {
			fig.rows = append(fig.rows, nil)
		}
		fig.rows[n/2] = append(fig.rows[n/2],
			&panel{Plot: p, bar: &colours, extent: [2]float64{x[1] - x[0], y[1] - y[0] + 2*pad}})
	}
	return fig
}

func bounds(v []float64) [2]float64 {
	return [2]float64{slices.Min(v), slices.Max(v)}
}

// inks returns the colours of lines at several spans.
func inks(n int) (out []color.Color) {
	for k := range n {
		out = append(out, paper.Ramp(float64(k)/float64(max(n-1, 1))))
	}
	return out
}

// Surface draws pressure and isentropic Mach number along the blade at fractions of the
// span.
func Surface(f *field.Field, spans []float64) *Figure {
	fig := &Figure{
		title: title(f, "blade surface"),
		note: operating(f) + "pressure side dashed; isentropic Mach number seen from the row, from the inlet's " +
			"entropy and rothalpy", width: 20 * vg.Centimeter,
	}
	mach := paper.Panel("", "x / axial chord", "isentropic Mach number")
	pressure := paper.Panel("", "x / axial chord", "Ps / inlet Pt")
	for n, h := range spans {
		s := f.Surface(h)
		ink := inks(len(spans))[n]
		lower, upper := mean(s.Lower.Ps), mean(s.Upper.Ps)
		for _, side := range []struct {
			of     *field.Side
			dashed bool
		}{{&s.Lower, lower > upper}, {&s.Upper, upper >= lower}} {
			scaled := make([]float64, len(side.of.Ps))
			for k, p := range side.of.Ps {
				scaled[k] = p / f.Pt
			}
			l := curve(mach, s.X, side.of.Mis, ink, side.dashed)
			curve(pressure, s.X, scaled, ink, side.dashed)
			if !side.dashed {
				mach.Legend.Add(span(h), l)
			}
		}
	}
	for _, p := range []*plot.Plot{mach, pressure} {
		p.X.Min, p.X.Max = 0, 1
		roomy(&p.Y)
	}
	mach.Y.Min = 0
	mach.Legend.Padding = vg.Points(2)
	mach.Legend.Left, mach.Legend.XOffs, mach.Legend.YOffs = true, vg.Points(4), vg.Points(4)
	fig.rows = [][]*panel{{{Plot: mach, height: 8 * vg.Centimeter}, {Plot: pressure, height: 8 * vg.Centimeter}}}
	return fig
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// curve adds a line through points.
func curve(p *plot.Plot, x, y []float64, ink color.Color, dashed bool) *plotter.Line {
	xy := make(plotter.XYs, len(x))
	for k := range x {
		xy[k] = plotter.XY{X: x[k], Y: y[k]}
	}
	l, err := plotter.NewLine(xy)
	if err != nil { // a number that is not finite, which no Field holds
		panic(err)
	}
	l.Color, l.Width = ink, vg.Points(1.3)
	if dashed {
		l.Dashes = []vg.Length{vg.Points(4), vg.Points(2.5)}
	}
	p.Add(l)
	return l
}

// roomy leaves room above and below the data.
func roomy(a *plot.Axis) {
	d := 0.05 * max(a.Max-a.Min, 1e-6*math.Abs(a.Max), 1e-12)
	a.Min, a.Max = a.Min-d, a.Max+d
}

// Spanwise draws the flow over the span at the exit, averaged over the pitch, and as points the profiles of a
// measurement or of another run.
func Spanwise(f *field.Field, over ...*bladerow.Profile) *Figure {
	states := f.Meridional()
	row := f.NI + 1
	fig := &Figure{
		title: title(f, "flow over the span at the exit"),
		note:  operating(f) + "averaged over the pitch; efficiency against the inlet at the same span",
		width: 24 * vg.Centimeter,
	}
	hub, casing := states[f.NI].Radius, states[f.NK*row+f.NI].Radius
	var panels []*panel
	for n, q := range []struct {
		name     string
		of       func(in, out *field.State) float64
		measured func(p *bladerow.Profile) []float64
		unit     float64
	}{
		{"Pt / inlet Pt", func(in, out *field.State) float64 { return out.Pt / in.Pt },
			func(p *bladerow.Profile) []float64 { return ratio(p.PR, p.Pt, f.Pt) }, 1},
		{"Tt / inlet Tt", func(in, out *field.State) float64 { return out.Tt / in.Tt },
			func(p *bladerow.Profile) []float64 { return ratio(p.TR, p.Tt, f.Tt) }, 1},
		{"flow angle, deg", func(_, out *field.State) float64 { return out.Alpha },
			func(p *bladerow.Profile) []float64 { return p.Alpha }, math.Pi / 180},
		{"adiabatic efficiency", func(in, out *field.State) float64 { return efficiency(f, in, out) },
			func(p *bladerow.Profile) []float64 { return p.Eff }, 1},
	} {
		var x, y []float64
		for k := 1; k < f.NK; k++ { // on the walls the gas is at rest
			out := &states[k*row+f.NI]
			if v := q.of(&states[k*row], out); !math.IsNaN(v) {
				x, y = append(x, v/q.unit), append(y, 100*(out.Radius-hub)/(casing-hub))
			}
		}
		p := paper.Panel("", q.name, "")
		if n == 0 {
			p.Y.Label.Text = "span, %"
		}
		if len(x) > 1 {
			curve(p, x, y, paper.Ramp(0.25), false)
		}
		for k, o := range over {
			points(p, q.measured(o), q.unit, o.Span, k)
		}
		if p.X.Max > p.X.Min {
			roomy(&p.X)
		}
		p.Y.Min, p.Y.Max = 0, 100
		panels = append(panels, &panel{Plot: p, height: 8 * vg.Centimeter})
	}
	fig.rows = [][]*panel{panels}
	return fig
}

// ratio returns a column of ratios, or a column of values over a reference.
func ratio(ratios, values []float64, reference float64) []float64 {
	if ratios != nil || values == nil {
		return ratios
	}
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = v / reference
	}
	return out
}

// points adds measured values, if any.
func points(p *plot.Plot, x []float64, unit float64, span []float64, number int) {
	if len(x) == 0 {
		return
	}
	xy := make(plotter.XYs, len(x))
	for k := range x {
		xy[k] = plotter.XY{X: x[k] / unit, Y: 100 * span[k]}
	}
	s, err := plotter.NewScatter(xy)
	if err != nil { // ReadProfile takes no such numbers
		panic(err)
	}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}}
	s.GlyphStyle = draw.GlyphStyle{Color: color.NRGBA{R: 0xb2, G: 0x4a, B: 0x18, A: 0xff}, Radius: vg.Points(2.4),
		Shape: shapes[number%len(shapes)]}
	p.Add(s)
}

// efficiency returns the adiabatic efficiency; NaN without work.
func efficiency(f *field.Field, in, out *field.State) float64 {
	if tr := out.Tt / in.Tt; math.Abs(tr-1) > 1e-4 {
		return (math.Pow(out.Pt/in.Pt, (f.Gamma-1)/f.Gamma) - 1) / (tr - 1)
	}
	return math.NaN()
}
