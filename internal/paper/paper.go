// Package paper holds the parts that all of Peregrine's drawings share: type, ticks, inks, and output files.
package paper

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/printable"
)

// Grid is the ink of grid lines.
var Grid = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}

// Write draws onto paper of a given size and writes it as "svg" (also "") or "png".
func Write(w io.Writer, width, height vg.Length, format string, draws func(c draw.Canvas)) error {
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "", "svg":
		canvas = &svg{Canvas: vgsvg.New(width, height)}
	case "png":
		canvas = vgimg.PngCanvas{
			Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200), vgimg.UseBackgroundColor(color.White)),
		}
	default:
		return fmt.Errorf("plot format %q is neither svg nor png", format)
	}
	draws(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

// svg is a drawing whose texts are as wide as they were laid out, whichever font the reader has: each states its
// length, and fonts of the same widths stand in for a missing Liberation Sans.
type svg struct {
	*vgsvg.Canvas
	texts []string // their attributes
	end   bool     // the text ends where it is, whatever its width
}

// FillString implements vg.Canvas.
func (s *svg) FillString(f font.Face, at vg.Point, text string) {
	text = printable.Text(text) // XML has no other characters
	width, anchor := f.Width(text), ""
	if s.end {
		at.X, anchor = at.X+width, ` text-anchor="end"`
	}
	s.texts = append(s.texts,
		fmt.Sprintf(`textLength="%.4g" lengthAdjust="spacingAndGlyphs"%s`, width.Points(), anchor))
	s.Canvas.FillString(f, at, text)
}

// AnchorEnd keeps the ends of texts of a style in place, also in programs that know neither the font nor the lengths
// that an SVG states.
func AnchorEnd(style *text.Style) { style.Handler = endAnchored{style.Handler} }

type endAnchored struct{ text.Handler }

// Draw implements text.Handler.
func (h endAnchored) Draw(c vg.Canvas, line string, style text.Style, at vg.Point) {
	if s := drawingOf(c); s != nil {
		s.end = true
		defer func() { s.end = false }()
	}
	h.Handler.Draw(c, line, style, at)
}

// drawingOf is the SVG that a canvas is a part of; nil: of none.
func drawingOf(c vg.Canvas) *svg {
	switch part := c.(type) {
	case *draw.Canvas:
		return drawingOf(part.Canvas)
	case draw.Canvas:
		return drawingOf(part.Canvas)
	case *svg:
		return part
	}
	return nil
}

// WriteTo implements io.WriterTo.
func (s *svg) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := s.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	parts := strings.Split(b.String(), "<text ") // texts are escaped
	for i, attributes := range s.texts {
		parts[i+1] = "<text " + attributes + " " +
			strings.Replace(parts[i+1], "Liberation Sans", "Liberation Sans,Arial,Helvetica,sans-serif", 1)
	}
	n, err := io.WriteString(w, strings.Join(parts, ""))
	return int64(n), err
}

// Panel returns an empty plot with a grid.
func Panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(4)
	p.Title.TextStyle.Font = Font(11)
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font} {
		*f = Font(9)
	}
	for _, f := range []*font.Font{&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		*f = Font(8)
	}
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = Ticks{}, Ticks{}
	p.X.Tick.Length, p.Y.Tick.Length = vg.Points(4), vg.Points(4)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = Grid, Grid
	grid.Horizontal.Width, grid.Vertical.Width = vg.Points(0.4), vg.Points(0.4)
	p.Add(grid)
	return p
}

// Font is the type of all texts, of a size in points.
func Font(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// Ticks are at multiples of 1, 2 or 5 times a power of ten, about six of them with
// numbers.
type Ticks struct{}

// Ticks implements plot.Ticker. A range too short for steps, or without end, has a single tick.
func (Ticks) Ticks(lo, hi float64) []plot.Tick {
	if span := hi - lo; !(span > 1e-300) || math.IsInf(span, 1) {
		return []plot.Tick{{Value: lo, Label: numeric.Text(lo)}}
	}
	step, parts := Step(hi - lo)
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

// Step returns the distance of about six ticks in a range, and the number of parts into
// which small ticks divide it.
func Step(length float64) (step float64, parts int) {
	raw := length / 6
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, s := range []struct {
		size  float64
		parts int
	}{{1, 5}, {2, 4}, {5, 5}} {
		if s.size*power >= raw {
			return s.size * power, s.parts
		}
	}
	return 10 * power, 5
}

// Ramp runs from violet (0) over blue and green to ochre (1), of about even steps to the eye and in grey: for lines.
func Ramp(t float64) color.Color {
	return between(t, []color.NRGBA{{0x44, 0x01, 0x54, 0xff}, {0x3b, 0x52, 0x8b, 0xff}, {0x21, 0x91, 0x8c, 0xff},
		{0x46, 0xa8, 0x4a, 0xff}, {0xc0, 0xa0, 0x20, 0xff}})
}

// Fill runs from violet (0) over blue and green to yellow (1), likewise: for areas (van der Walt and Smith's viridis).
func Fill(t float64) color.Color {
	return between(t, []color.NRGBA{{0x44, 0x01, 0x54, 0xff}, {0x47, 0x2d, 0x7b, 0xff}, {0x3b, 0x52, 0x8b, 0xff},
		{0x2c, 0x72, 0x8e, 0xff}, {0x21, 0x91, 0x8c, 0xff},
		{0x28, 0xae, 0x80, 0xff}, {0x5e, 0xc9, 0x62, 0xff}, {0xad, 0xdc, 0x30, 0xff}, {0xfd, 0xe7, 0x25, 0xff}})
}

func between(t float64, anchors []color.NRGBA) color.Color {
	t = min(max(t, 0), 1) * float64(len(anchors)-1)
	i := min(int(t), len(anchors)-2)
	f := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := anchors[i], anchors[i+1]
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xff}
}
