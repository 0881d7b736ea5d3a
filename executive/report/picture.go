package report

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

var (
	svgHead    = regex.Lazy(`(?s)^.*?<svg\s+width="[^"]*" height="[^"]*" (viewBox="[^"]*")[^>]*>`)
	decimals   = regex.Lazy(`-?\d+\.\d+`)
	styles     = regex.Lazy(`\s*style="([^"]*)"`)
	properties = regex.Lazy(`([a-z-]+):([^;]*);?`)
)

// Picture draws the chart as SVG for a page, whose texts, paper and policy it takes: without a title, a font, white
// paper and styles. Coordinates have a tenth of a point. The attribute data-frame is where the axes are: the least and
// the greatest value of the horizontal axis with their places, then those of the vertical one. data-over names the
// horizontal axis.
func (c *KeptChart) Picture() (string, error) {
	m, opt, err := c.Draw()
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	var f plot.Frame
	opt.Format, opt.Title, opt.Frame = "svg", " ", &f
	if err := plot.Draw(&text, m, opt); err != nil {
		return "", err
	}
	over := "Wc"
	if m.Kind == perfmap.Turbine {
		over = "PR"
	}
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="map" $1 role="img" aria-label="%s" `+
		`data-over="%s" data-frame="%.7g %.7g %.1f %.1f %.7g %.7g %.1f %.1f">`,
		strings.ReplaceAll(html.EscapeString("map of "+c.Component), "$", "$$"), over,
		f.X[0], f.X[1], f.Low[0], f.High[0], f.Y[0], f.Y[1], f.Low[1], f.High[1])
	head, body, _ := strings.Cut(svgHead().ReplaceAllString(text.String(), head), "\n")
	// Change only the tags: a text may contain numbers as well.
	var b strings.Builder
	b.WriteString(head)
	for part := range strings.SplitAfterSeq(body, ">") {
		text, tag, found := strings.Cut(part, "<")
		b.WriteString(text)
		if found {
			b.WriteString(attributes("<" + tag))
		}
	}
	return strings.TrimSpace(b.String()), nil
}

// attributes makes the style of a tag attributes, and rounds its numbers.
func attributes(tag string) string {
	tag = strings.Replace(tag, "fill:#FFFFFF", "fill:none", 1) // the page is the paper
	tag = styles().ReplaceAllStringFunc(tag, func(style string) string {
		var b strings.Builder
		for _, p := range properties().FindAllStringSubmatch(styles().FindStringSubmatch(style)[1], -1) {
			if p[1] == "font-size" || !strings.HasPrefix(p[1], "font-") {
				b.WriteString(" " + p[1] + `="` + p[2] + `"`)
			}
		}
		return b.String()
	})
	return decimals().ReplaceAllStringFunc(tag, func(s string) string {
		x, _ := strconv.ParseFloat(s, 64) // the pattern is that of a number
		return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	})
}
