package picture

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// Limits of an animation: what browsers move without a halt.
const (
	mostMoving        = 128  // processes
	mostMovingMessage = 4000 // messages: the last ones
	changesShown      = 2000 // shorter times than this part of the trace are left out
)

// animation is an SVG that moves by SMIL. Its unit is a pixel.
type animation struct {
	*bufio.Writer
	s      *trace.Stats
	o      *Options
	length float64 // s
	nodes  [][2]float64
	width  float64
	height float64
}

const (
	shapeWidth, shapeHeight = 30.0, 38.0
	margin                  = 60.0
)

// animate draws a shape for each process: its colour is the state, its height the rate of records, and an arrow moves
// along the links of a message from the begin of its send to the end of its receive.
func animate(w io.Writer, s *trace.Stats, o *Options) error {
	var moving []int // messages
	route := o.router()
	for i := range s.Messages {
		if _, drawn := route(&s.Messages[i]); drawn {
			moving = append(moving, i)
		}
	}
	switch {
	case o.Format != "svg":
		return fmt.Errorf("an animation is written as .svg")
	case len(o.Rows) > mostMoving:
		return fmt.Errorf("%d processes; an animation has at most %d: choose some by a layout", len(o.Rows), mostMoving)
	case s.Span <= 0:
		return fmt.Errorf("the trace has no length to play")
	}
	a := &animation{Writer: bufio.NewWriter(w), s: s, o: o, length: o.Length}
	a.length = cmp.Or(a.length, 20)
	a.place()
	a.head(len(moving))
	a.network()
	for _, i := range moving[max(0, len(moving)-mostMovingMessage):] {
		links, _ := route(&s.Messages[i])
		a.message(&s.Messages[i], links)
	}
	for i, name := range o.Rows {
		a.process(name, a.nodes[o.at[i]])
	}
	a.time()
	_, _ = a.WriteString("</svg>\n") // Flush has the error
	return a.Flush()
}

func (a *animation) put(format string, values ...any) { _, _ = fmt.Fprintf(a, format, values...) }

// place finds the places of all nodes, and the size of the picture.
func (a *animation) place() {
	a.nodes = layout(a.o.Network, len(a.o.Rows))
	if len(a.o.Places) > 0 {
		for i, name := range a.o.Rows {
			if at, given := a.o.Places[name]; given {
				a.nodes[a.o.at[i]] = at
			}
		}
	}
	low, high := a.nodes[0], a.nodes[0]
	nearest, processors := math.Inf(1), len(a.o.Rows)
	if a.o.Network != nil {
		processors = a.o.Network.Graph.Processors
	}
	for i, p := range a.nodes {
		for k := range 2 {
			low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
		}
		for _, q := range a.nodes[:min(i, processors)] {
			if d := math.Hypot(p[0]-q[0], p[1]-q[1]); d > 0 {
				nearest = min(nearest, d)
			}
		}
	}
	scale := 1.0
	if !math.IsInf(nearest, 1) { // the nearest two stand apart
		scale = 74 / nearest
	}
	stretch, longest := 1.0, 0
	for _, name := range a.o.Rows {
		longest = max(longest, len(name))
	}
	if a.o.Network == nil && len(a.o.Places) == 0 && len(a.o.Rows) <= 32 { // a circle may be wider, for names
		stretch = max(1, min(2, float64(longest)/12))
	}
	wide := (high[0] - low[0]) * scale * stretch
	a.width, a.height = max(480, wide+2*margin*stretch), (high[1]-low[1])*scale+2*margin+90
	for i, p := range a.nodes {
		a.nodes[i] = [2]float64{(p[0]-low[0])*scale*stretch + (a.width-wide)/2, (p[1]-low[1])*scale + margin + 26}
	}
}

func (a *animation) head(messages int) {
	a.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`font-family="Liberation Sans, Arial, sans-serif" font-size="11">`+"\n", a.width, a.height, a.width, a.height)
	a.put(`<title>Processes and messages</title><rect width="100%%" height="100%%" fill="#fff"/>` + "\n")
	x := 20.0
	for _, activity := range states(a.s, a.o.Rows) {
		a.put(`<rect x="%.0f" y="12" width="10" height="10" fill="%s"/><text x="%.0f" y="21">%s</text>`+"\n", x,
			hex(inks[activity]), x+14, activity)
		x += 30 + 6*float64(len(activity))
	}
	cut := ""
	if messages > mostMovingMessage {
		cut = fmt.Sprintf("; the last %d of %d messages", mostMovingMessage, messages)
	}
	a.put(`<text x="20" y="38" fill="#555">height: records per time; dashed: message without data%s</text>`+"\n", cut)
}

// escaped is a text as XML can hold it.
func escaped(text string) string { return html.EscapeString(printable.Text(text)) }

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// network draws the links, and the switches as points.
func (a *animation) network() {
	if a.o.Network == nil {
		return
	}
	g := a.o.Network.Graph
	for _, l := range g.Links {
		if int(l.From) >= len(a.nodes) || int(l.To) >= len(a.nodes) {
			continue
		}
		a.put(`<path d="%s" fill="none" stroke="#c9ced4"/>`+"\n", a.path(int(l.From), int(l.To)))
	}
	for _, p := range a.nodes[g.Processors:] {
		a.put(`<circle cx="%.1f" cy="%.1f" r="4" fill="#8a929b"/>`+"\n", p[0], p[1])
	}
}

// at is a time of the trace as a part of the whole.
func (a *animation) at(time float64) float64 {
	return math.Round(1e6*max(0, min(1, (time-a.s.Begin)/a.s.Span))) / 1e6
}

// keys are the values of an attribute from their times on, as parts of the whole.
type keys struct {
	times  []float64
	values []string
}

func (k *keys) add(at float64, value string) {
	n := len(k.times)
	switch {
	case n > 0 && k.values[n-1] == value:
	case n > 0 && at-k.times[n-1] < 1.0/changesShown:
		k.values[n-1] = value
	default:
		k.times, k.values = append(k.times, at), append(k.values, value)
	}
}

func (a *animation) animate(attribute string, k *keys) {
	times := make([]string, len(k.times))
	for i, t := range k.times {
		times[i] = fmt.Sprintf("%.6g", t)
	}
	a.put(`<animate attributeName="%s" dur="%gs" repeatCount="indefinite" calcMode="discrete" keyTimes="%s" `+
		`values="%s"/>`, attribute, a.length, strings.Join(times, ";"), strings.Join(k.values, ";"))
}

func (a *animation) process(name string, at [2]float64) {
	absent := "#ffffff"
	fill := &keys{[]float64{0}, []string{absent}}
	end := a.s.Begin
	for _, in := range a.s.Intervals[name] {
		fill.add(a.at(in.Begin), hex(inks[in.Activity]))
		end = in.End
	}
	fill.add(a.at(end), absent)
	life := a.s.Lives[name]
	most := int32(1)
	for _, n := range a.o.Rows {
		most = max(most, slices.Max(a.s.Lives[n].Rate[:]))
	}
	height, top := &keys{}, &keys{}
	bottom := at[1] + shapeHeight/2
	for i, n := range life.Rate {
		h := 6 + (shapeHeight-6)*float64(n)/float64(most)
		height.add(float64(i)/float64(len(life.Rate)), fmt.Sprintf("%.1f", h))
		top.add(float64(i)/float64(len(life.Rate)), fmt.Sprintf("%.1f", bottom-h))
	}
	ink, wide := "#aab1b9", 1.0
	if slices.Contains(a.o.Chosen, name) {
		ink, wide = "#000", 3
	}
	a.put(`<g data-process="%s" data-x="%.1f" data-y="%.1f"><path d="%s" fill="#fff" stroke="%s" stroke-width="%g"/>`,
		escaped(name), at[0], bottom, outline(name, at), ink, wide)
	a.put(`<rect x="%.1f" y="%s" width="%g" height="%s" fill="%s" stroke="#333">`, at[0]-shapeWidth/2, top.values[0],
		shapeWidth, height.values[0], fill.values[0])
	a.animate("fill", fill)
	a.animate("height", height)
	a.animate("y", top)
	a.put(`</rect><text x="%.1f" y="%.1f" text-anchor="middle" stroke="#fff" stroke-width="3" paint-order="stroke">`+
		`%s<title>%s</title></text></g>`+"\n", at[0], bottom+13, escaped(shorten(name, a.letters(at))), escaped(name))
}

// letters returns how many letters the name of a process has room for, between its neighbours and the edges.
func (a *animation) letters(at [2]float64) int {
	const letter, high = 6.8, 14.0 // of the type, in pixels
	room := 2 * min(at[0], a.width-at[0])
	below := at[1] + shapeHeight/2 + high
	for _, p := range a.nodes {
		apart := math.Abs(p[0] - at[0])
		switch {
		case p == at:
		case math.Abs(p[1]-at[1]) < high: // its name is beside this one
			room = min(room, apart-letter)
		case math.Abs(p[1]-below) < shapeHeight/2+high:
			room = min(room, 2*apart-shapeWidth)
		}
	}
	return max(10, int(room/letter))
}

// outline is the shape of a kind of process: a house for the executive, an octagon for a worker of a run, a box for
// others.
func outline(name string, at [2]float64) string {
	l, r, t, b := at[0]-shapeWidth/2-2, at[0]+shapeWidth/2+2, at[1]-shapeHeight/2-2, at[1]+shapeHeight/2+2
	switch {
	case name == trace.Executive:
		return fmt.Sprintf("M%.1f %.1fV%.1fL%.1f %.1fL%.1f %.1fV%.1fZ", l, b, t, at[0], t-12, r, t, b)
	case strings.Contains(name, "/"):
		return fmt.Sprintf("M%.1f %.1fl6 6H%.1fl6 -6V%.1fl-6 -6H%.1fl-6 6Z", l, b, r-6, t, l+6)
	}
	return fmt.Sprintf("M%.1f %.1fV%.1fH%.1fV%.1fZ", l, b, t, r, b)
}

// shorten keeps the end of a name, in which the names of runs differ.
func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return text
}

// message draws a line along the links of a message, and an arrow that moves along it, while the message is under way.
func (a *animation) message(m *trace.Message, links []int32) {
	path := []int{a.o.at[slices.Index(a.o.Rows, m.From)]}
	for _, k := range links {
		path = append(path, int(a.o.Network.Graph.Links[k].To))
	}
	if a.o.Network == nil {
		path = append(path, a.o.at[slices.Index(a.o.Rows, m.To)])
	}
	if len(path) < 2 || path[0] == path[len(path)-1] {
		return
	}
	begin := a.at(m.Sent)
	end := min(1, max(a.at(m.Received), begin+0.004)) // long enough to be seen
	if begin >= end {
		begin = end - 0.004
	}
	shown := &keys{}
	shown.add(0, "0")
	shown.add(begin, "1")
	if end < 1 {
		shown.add(end, "0")
	}
	d, ink := a.path(path...), hex(paper.Ramp(0))
	dash := "none"
	if m.Bytes == 0 {
		dash = "4 3"
	}
	a.put(`<g opacity="0" data-begin="%g" data-end="%g"><path d="%s" fill="none" stroke="%s" stroke-width="1.5" `+
		`stroke-dasharray="%s"/>`, begin, end, d, ink, dash)
	a.put(`<path d="M8 0L-4 5L-4 -5Z" fill="%s"><animateMotion dur="%gs" repeatCount="indefinite" rotate="auto" `+
		`calcMode="linear" keyPoints="0;0;1;1" keyTimes="0;%.6g;%.6g;1" path="%s"/></path>`, ink, a.length, begin, end,
		d)
	a.animate("opacity", shown)
	a.put("<title>%s to %s, type %d, %s</title></g>\n", escaped(m.From), escaped(m.To), m.Type, size(m.Bytes))
}

// path joins nodes by lines. From and to a bus it is vertical.
func (a *animation) path(nodes ...int) string {
	var d strings.Builder
	put := func(x, y float64) { _, _ = fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(d.Len(), 1)], x, y) }
	bus := a.o.Network != nil && a.o.Network.shape.Name == "bus"
	for _, node := range nodes {
		at := a.nodes[node]
		switch {
		case !bus || node < a.o.Network.Graph.Processors && node == nodes[0]:
			put(at[0], at[1])
		case node < a.o.Network.Graph.Processors:
			put(at[0], a.nodes[a.o.Network.Graph.Processors][1])
			put(at[0], at[1])
		case len(nodes) > 2 || nodes[0] < a.o.Network.Graph.Processors: // of a message, or a tap
			put(a.nodes[nodes[0]][0], at[1])
		default:
			put(at[0], at[1])
		}
	}
	return d.String()
}

// time draws a line with the times of the trace, and a point that moves along it.
func (a *animation) time() {
	y, wide := a.height-34, a.width-2*margin
	a.put(`<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="#8a929b"/>`, margin, y, margin+wide, y)
	for _, t := range (paper.Ticks{}).Ticks(0, a.s.Span) {
		x := margin + wide*t.Value/a.s.Span
		if t.Label != "" {
			a.put(`<line x1="%.1f" y1="%g" x2="%.1f" y2="%g" stroke="#8a929b"/><text x="%.1f" y="%g" `+
				`text-anchor="middle">%s</text>`, x, y, x, y+4, x, y+16, html.EscapeString(t.Label))
		}
	}
	a.put(`<text x="%g" y="%g" text-anchor="end">time [s]</text>`, margin+wide, y+30)
	a.put(`<circle cx="%g" cy="%g" r="4" fill="%s"><animate attributeName="cx" dur="%gs" repeatCount="indefinite" `+
		`from="%g" to="%g"/></circle>`+"\n", margin, y, hex(paper.Ramp(0)), a.length, margin, margin+wide)
}
