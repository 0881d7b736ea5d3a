package page

// Pictures: SVG in the colours of the style of the page.

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// drawing collects the elements of a picture. All texts are escaped here.
type drawing struct {
	b             strings.Builder
	width, height float64
	title         string // text alternative for screen readers
}

func newDrawing(width, height float64, title string) *drawing {
	return &drawing{width: width, height: height, title: title}
}

// picture returns the SVG. Its class determines its width.
func (d *drawing) picture(class string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`, //nolint:gosec // texts are escaped
		class, short(d.width), short(d.height), escape(d.title), d.b.String()))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.path(class, fmt.Sprintf("M%s %sL%s %s", short(x1), short(y1), short(x2), short(y2)))
}

// path draws a path. Its data are numbers and commands of this package.
func (d *drawing) path(class, data string) {
	fmt.Fprintf(&d.b, `<path class="%s" d="%s"/>`, class, data)
}

func (d *drawing) rect(class string, x, y, width, height, round float64, title string) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, short(x), short(y), short(width),
		short(height))
	if round > 0 {
		fmt.Fprintf(&d.b, ` rx="%s"`, short(round))
	}
	if title == "" {
		d.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&d.b, `><title>%s</title></rect>`, escape(title))
}

// text writes a text at a place; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	if anchor == "start" {
		anchor = ""
	} else {
		anchor = ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(&d.b, `<text class="%s" x="%s" y="%s"%s>%s</text>`, class, short(x), short(y), anchor, escape(text))
}

// upright writes a text that reads from bottom to top.
func (d *drawing) upright(class string, x, y float64, text string) {
	fmt.Fprintf(&d.b, `<text class="%s" transform="translate(%s %s)rotate(-90)" text-anchor="middle">%s</text>`, class,
		short(x), short(y), escape(text))
}

// dot draws a filled circle.
func (d *drawing) dot(class string, x, y, r float64) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, short(x), short(y), short(r))
}

// escape makes a text safe for SVG.
func escape(text string) string { return html.EscapeString(text) }

// short writes a coordinate with at most one decimal.
func short(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	s := strconv.FormatFloat(x, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// clipped shortens a text to so many characters.
func clipped(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
