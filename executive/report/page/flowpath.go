package page

// The drawing of an engine: its components in the order of the flow, the stations between them, and its shafts.

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// The measures of the drawing.
const (
	boxWide = 132.0
	boxHigh = 34.0
	rowHigh = 62.0
	colWide = 322.0
	topEdge = 6.0
)

// flowPath draws an engine with the values of a case, nil for an engine without values.
type flowPath struct {
	*drawing
	g    *graph
	flow report.Flow
	c    *result.Result
	sys  unit.System
	left float64
}

// drawFlow draws the flow path.
func drawFlow(f report.Flow, c *result.Result, sys unit.System) template.HTML {
	g := newGraph(f)
	if len(g.parts) == 0 {
		return ""
	}
	left := 12 + 26*float64(len(f.Shafts)) + 14
	p := &flowPath{g: g, flow: f, c: c, sys: sys, left: left}
	p.flow.Shafts = outerFirst(f.Shafts, g)
	p.drawing = newDrawing(left+boxWide+colWide*float64(g.wide-1)+190,
		topEdge+rowHigh*float64(g.rows)-rowHigh+boxHigh+8, "flow path of "+f.Engine)
	p.shafts()
	for i := range g.edges {
		p.stream(i)
	}
	for i := range g.parts {
		p.component(&g.parts[i])
	}
	return template.HTML(strings.Replace(string(p.picture("flow")), "<svg ", fmt.Sprintf(`<svg width="%.0f" `, 1.05*p.width), 1)) //nolint:gosec // its texts are escaped
}

// outerFirst sorts the shafts from left to right: a shaft that spans others is outside them.
func outerFirst(list []report.FlowShaft, g *graph) []report.FlowShaft {
	length := func(s report.FlowShaft) int {
		low, high := g.rows, 0
		for _, name := range s.Parts {
			if i, known := g.index[name]; known {
				low, high = min(low, g.parts[i].row), max(high, g.parts[i].row)
			}
		}
		return high - low
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b report.FlowShaft) int { return length(b) - length(a) })
	return list
}

// center is the middle of a component's box.
func (p *flowPath) center(i int) (x, y float64) {
	q := p.g.parts[i]
	return p.left + boxWide/2 + colWide*float64(q.col), topEdge + boxHigh/2 + rowHigh*float64(q.row)
}

func (p *flowPath) component(q *part) {
	x, y := p.center(p.g.index[q.name])
	class, second := "box", strings.ReplaceAll(q.typ, "_", " ")
	if p.c != nil {
		if _, zoomed := p.c.Zoom[q.name]; zoomed {
			class = "box zoomed"
			second += ", zoomed"
		}
		if key := p.keyValue(q.name); key != "" {
			second += " · " + key
		}
	}
	p.rect(class, x-boxWide/2, y-boxHigh/2, boxWide, boxHigh, 4, q.name+": "+second)
	p.text("name", "middle", x, y-2.5, clipped(q.name, 19))
	p.text("t", "middle", x, y+10.5, clipped(second, 26))
}

// keyValue returns the characteristic number of a component: the pressure ratio of a machine.
func (p *flowPath) keyValue(name string) string {
	c := p.c.Components[name]
	if c.Outputs != nil && c.Has("PR") && numeric.Finite(c.Outputs["PR"]) {
		return "PR " + number(c.Outputs["PR"], 3)
	}
	return ""
}

// stream draws an edge with its station.
func (p *flowPath) stream(i int) {
	e := p.g.edges[i]
	from, to := p.g.parts[e.from], p.g.parts[e.to]
	x1, y1 := p.center(e.from)
	x2, y2 := p.center(e.to)
	x2 += p.shift(e.to, i)
	class := "stream"
	if e.back {
		class += " turned"
	}
	switch {
	case e.back || from.col == to.col && p.g.between(from.col, from.row, to.row):
		x := max(x1, x2) + boxWide/2 + 142 // beside the stations' values
		above := 13.0
		if to.row > from.row {
			above = -5
		}
		p.path(class, fmt.Sprintf("M%s %sH%sV%sH%s", short(x1+boxWide/2), short(y1), short(x), short(y2),
			short(x2+boxWide/2+4)))
		p.arrow(x2+boxWide/2, y2, "left")
		p.station(e.port, x1+boxWide/2+8, y1+above)
	case from.col == to.col:
		p.path(class, fmt.Sprintf("M%s %sV%s", short(x2), short(y1+boxHigh/2), short(y2-boxHigh/2-4)))
		p.arrow(x2, y2-boxHigh/2, "down")
		p.station(e.port, x2-p.shift(e.to, i)+p.reach(e.to)+10, y1+boxHigh/2+17)
	case to.col > from.col:
		p.path(class, fmt.Sprintf("M%s %sH%sV%s", short(x1+boxWide/2), short(y1), short(x2), short(y2-boxHigh/2-4)))
		p.arrow(x2, y2-boxHigh/2, "down")
		p.station(e.port, x2-p.shift(e.to, i)+p.reach(e.to)+10, y1+boxHigh/2+17)
	default:
		p.path(class, fmt.Sprintf("M%s %sV%sH%s", short(x1), short(y1+boxHigh/2), short(y2),
			short(x2-p.shift(e.to, i)+boxWide/2+4)))
		p.arrow(x2-p.shift(e.to, i)+boxWide/2, y2, "left")
		p.station(e.port, x1+10, y1+boxHigh/2+17)
	}
}

// reach is how far to the right of a box's middle a stream comes into it from above.
func (p *flowPath) reach(to int) (most float64) {
	for _, e := range p.g.parts[to].in {
		most = max(most, p.shift(to, e))
	}
	return most
}

// shift keeps streams apart that come from above into the same box.
func (p *flowPath) shift(to, i int) float64 {
	var above []int
	for _, e := range p.g.parts[to].in {
		if q := p.g.edges[e]; !q.back && p.g.parts[q.from].col <= p.g.parts[to].col {
			above = append(above, e)
		}
	}
	at := slices.Index(above, i)
	if at < 0 || len(above) < 2 {
		return 0
	}
	return 28 * (float64(len(above)-1)/2 - float64(at))
}

func (p *flowPath) arrow(x, y float64, way string) {
	if way == "down" {
		p.path("head", "M"+short(x)+" "+short(y)+"l-3.5-6h7z")
		return
	}
	p.path("head", "M"+short(x)+" "+short(y)+"l6-3.5v7z")
}

// station writes a station's number and values beside its stream.
func (p *flowPath) station(port string, x, y float64) {
	if p.c == nil {
		return
	}
	s, known := p.c.Stations[port]
	if !known {
		return
	}
	if s.Number != "" {
		wide := 9 + 6*float64(len([]rune(clipped(s.Number, 5))))
		p.rect("pill", x, y-10, wide, 14, 7, port)
		p.text("number", "middle", x+wide/2, y+0.8, clipped(s.Number, 5))
		x += wide + 5
	}
	var parts []string
	for _, v := range []struct {
		q quantity.Quantity
		v float64
	}{{quantity.Pt, s.Pt}, {quantity.Tt, s.Tt}, {quantity.W, s.W}} {
		u := p.sys.Of(v.q.Dim)
		parts = append(parts, number(u.FromSI(v.v), 4)+" "+u.Name())
	}
	p.text("t station", "start", x, y, strings.Join(parts, "  "))
}

// shafts draws each shaft beside the components that it joins.
func (p *flowPath) shafts() {
	for k, s := range p.flow.Shafts {
		x := 18 + 26*float64(k)
		low, high := 1e9, -1e9
		for _, name := range s.Parts {
			i, known := p.g.index[name]
			if !known {
				continue
			}
			cx, cy := p.center(i)
			low, high = min(low, cy), max(high, cy)
			p.line("shaft", x, cy, cx-boxWide/2, cy)
			p.dot("shaft-dot", x, cy, 2.5)
		}
		if high < low {
			continue
		}
		p.line("shaft", x, low, x, high)
		text := s.Name
		if p.c != nil {
			if v, ok := p.c.Shafts[s.Name]; ok && v.Has("N") {
				text += "  " + number(v.Value("N"), 5) + " rpm"
			}
		}
		if high-low > 60 {
			p.upright("t shaft-name", x-4, (low+high)/2, text)
		} else {
			p.upright("t shaft-name", x-4, low+30, text)
		}
	}
}
