package document

// Maps as the house draws them, made a part of the page.

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// mapsOf draws the maps that a study has kept, and returns the problems of maps that it cannot draw.
func mapsOf(k *report.Kept) (list []Figure, problems []string) {
	const most = 24
	for i := range k.Charts {
		c := &k.Charts[i]
		if i == most {
			problems = append(problems, fmt.Sprintf("%d of %d maps are drawn", most, len(k.Charts)))
			break
		}
		m, opt, err := c.Draw()
		line := "" // of several operating lines
		var text bytes.Buffer
		if err == nil {
			opt.Format = "svg"
			line = strings.TrimPrefix(strings.TrimPrefix(opt.Title, k.Flow.Engine+": "+c.Component), ", ")
			opt.Title = " " // the title is above the picture
			err = plot.Draw(&text, m, opt)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("the map of %s cannot be drawn: %v", c.Component, err))
			continue
		}
		f := Figure{Title: c.Component, Picture: compact(text.String(), "map of "+c.Component)}
		switch {
		case c.Zoomed:
			f.Note = "as zooming made it, with the runs behind it and the operating points of the cases"
		case c.Of == line:
			f.Note = c.Of
		case c.Of != "":
			f.Note = joined(c.Of, line)
		default:
			f.Note = "with the operating points of the cases"
		}
		list = append(list, f)
	}
	return list, problems
}

var (
	header   = regexp.MustCompile(`(?s)^.*?<svg\s+width="[^"]*" height="[^"]*" (viewBox="[^"]*")[^>]*>`)
	decimals = regexp.MustCompile(`-?\d+\.\d+`)
	fontText = regexp.MustCompile(`style="font-family:[^"]*?font-size:(\d+(?:\.\d+)?)px(;[^"]*)?"`)
)

// compact makes a drawing of the house a part of the page: coordinates with a tenth of a point, and texts in the
// page's type.
func compact(svg, title string) template.HTML {
	svg = header.ReplaceAllString(svg, `<svg class="map" $1 role="img" aria-label="`+strings.ReplaceAll(html.EscapeString(title),
		"$", "$$")+`">`)
	svg = strings.ReplaceAll(svg, `style="fill:#FFFFFF"`, `style="fill:none"`) // the page is the paper
	svg = fontText.ReplaceAllString(svg, `style="font-size:${1}px$2"`)
	head, body, _ := strings.Cut(svg, ">")
	// Change only the paths: a text may contain numbers as well.
	var b strings.Builder
	b.WriteString(head + ">")
	for part := range strings.SplitAfterSeq(body, ">") {
		text, tag, found := strings.Cut(part, "<")
		b.WriteString(text)
		if found {
			b.WriteString(decimals.ReplaceAllStringFunc("<"+tag, func(s string) string {
				x, _ := strconv.ParseFloat(s, 64) // the pattern is that of a number
				return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
			}))
		}
	}
	return template.HTML(strings.TrimSpace(b.String())) //nolint:gosec // perfmap/plot escapes texts
}
