// Package picture draws traces: the views of ParaGraph (M. T. Heath and J. A. Etheridge, Visualizing the performance of
// parallel programs, IEEE Software 8, 1991) of a whole trace.
package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// view is a kind of picture.
type view struct {
	name, doc string

	draw   func(s *trace.Stats, o *Options) *plot.Plot // nil: an animation
	row    vg.Length                                   // height of a process, points; 0: the picture has one height
	square bool
}

var views = []view{
	{"spacetime", "a line for each process, and a line for each message", spacetime, 22, false},
	{"gantt", "a bar for each process, in the colours of its states and regions", gantt, 16, false},
	{"utilisation", "how many processes are in each state", utilisation, 0, false},
	{"queues", "messages that were sent to each process and not yet received", queues, 28, false},
	{"traffic", "bytes and messages that are under way", traffic, 0, false},
	{"matrix", "bytes from each process to each", matrix, 16, true},
	{"kiviat", "share of its time for which each process is busy", kiviat, 0, true},
	{"lifetimes", "processes from their fork to their join; a row is used again", lifetimes, 26, false},
	{"links", "bytes under way on each link of a network", links, 12, false},
	{"animation", "processes and messages, moving", nil, 0, false},
}

// Options are the options of Draw.
type Options struct {
	View   string
	Format string // "svg" or "png"; an animation is svg

	Rows    []string              // the processes to draw, in this order; nil: all by their names
	Places  map[string][2]float64 // of processes in an animation; others have those of the network
	Network *Network              // nil: a link from each process to each; [Processors] says which is where
	Length  float64               // of an animation, s; 0: 20
	Moment  float64               // time of the trace to mark by a line, s; 0: none
	Chosen  []string              // processes to mark

	at []int // node of each row
}

// Processors returns the processor of each process, and how many there must be: the number that is the name of the
// process, if all are numbers and their order is free; else its place.
func Processors(rows []string, free bool) (at []int, count int) {
	at = make([]int, len(rows))
	for i, name := range rows {
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || n >= network.MostNodes || !free {
			for i := range at {
				at[i] = i
			}
			return at, len(at)
		}
		at[i], count = n, max(count, n+1)
	}
	return at, count
}

// Views lists the names of the views.
func Views() (names []string) {
	for _, v := range views {
		names = append(names, v.name)
	}
	return names
}

// Draw draws a view of a trace. Times on axes begin with the trace.
func Draw(w io.Writer, s *trace.Stats, o Options) error {
	i := slices.IndexFunc(views, func(v view) bool { return v.name == o.View })
	if i < 0 {
		return fmt.Errorf("unknown view %q; the views are %s", o.View, strings.Join(Views(), ", "))
	}
	free := o.Rows == nil
	if free {
		o.Rows = slices.SortedFunc(maps.Keys(s.Processes), trace.ProcessNumber)
	}
	for _, name := range o.Rows {
		if s.Processes[name] == nil {
			return fmt.Errorf("the trace has no process %q", name)
		}
	}
	if len(o.Rows) == 0 {
		return fmt.Errorf("the trace has no process to draw")
	}
	if len(o.Rows) > mostRows {
		return fmt.Errorf("the trace has %d processes; a picture has room for %d", len(o.Rows), mostRows)
	}
	o.at, _ = Processors(o.Rows, free && o.Network != nil)
	if most := slices.Max(o.at) + 1; o.Network != nil && o.Network.Graph.Processors < most {
		return fmt.Errorf("a network of %d processors for %d processes", o.Network.Graph.Processors, most)
	}
	if views[i].draw == nil {
		return animate(w, s, &o)
	}
	p := views[i].draw(s, &o)
	if !views[i].square {
		p.Add(marks(s, &o, p))
	}
	width, height, left := 17*vg.Centimeter, 9*vg.Centimeter, vg.Points(10)
	if views[i].row > 0 {
		rows := len(o.Rows)
		if ticks, named := p.Y.Tick.Marker.(rowTicks); named {
			rows, left = len(ticks.names), vg.Points(20) // room for names in a wider font
		}
		height = max(vg.Length(rows)*views[i].row, 80) + 2.6*vg.Centimeter
	}
	if views[i].square {
		height = max(height, 9*vg.Centimeter)
		if views[i].row == 0 { // with room for names around the drawing
			height *= vg.Length(p.Y.Max / 1.2)
		}
		width = height
	}
	return paper.Write(w, width, height, o.Format, func(c draw.Canvas) {
		p.Draw(draw.Crop(c, left, -vg.Points(10), vg.Points(2), -vg.Points(6)))
	})
}

// marks are a line at the moment and lines along the rows of the chosen, above the drawing.
func marks(s *trace.Stats, o *Options, p *plot.Plot) *shapes {
	list := &shapes{zero: s.Begin, frame: [4]float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max}}
	if o.Moment != 0 && o.Moment >= s.Begin && o.Moment <= s.Begin+s.Span {
		list.line(o.Moment, p.Y.Min, o.Moment, p.Y.Max, color.Black, 1)
	}
	rows, _ := p.Y.Tick.Marker.(rowTicks)
	for i, name := range rows.names {
		if name != "" && slices.Contains(o.Chosen, name) {
			for _, y := range [...]float64{-float64(i) - 0.48, -float64(i) + 0.48} {
				list.line(s.Begin, y, s.Begin+s.Span, y, color.Black, 1)
			}
		}
	}
	return list
}

// mostRows is the number of processes that a picture has room for.
const mostRows = 512

// inks of the states, which people of any colour vision tell apart (M. Okabe and K. Ito, Color universal design, 2008).
var inks = map[trace.Activity]color.NRGBA{
	trace.Busy:      {0x00, 0x9e, 0x73, 0xff},
	trace.Overhead:  {0x56, 0xb4, 0xe9, 0xff},
	trace.Blocked:   {0xd5, 0x5e, 0x00, 0xff},
	trace.Waiting:   {0xd5, 0xd9, 0xde, 0xff},
	trace.Perturbed: {0xcc, 0x79, 0xa7, 0xff},
}

// states lists the states that processes are in, in the order of [trace.Activities].
func states(s *trace.Stats, processes []string) []trace.Activity {
	seen := map[trace.Activity]bool{}
	for _, name := range processes {
		for _, in := range s.Intervals[name] {
			seen[in.Activity] = true
		}
	}
	return slices.DeleteFunc(trace.Activities(), func(a trace.Activity) bool { return !seen[a] })
}

// legend names the states that occur, above the plot.
func legend(p *plot.Plot, s *trace.Stats) {
	placeLegend(p)
	for _, a := range states(s, slices.Collect(maps.Keys(s.Intervals))) {
		p.Legend.Add(string(a), swatch{ink: inks[a]})
	}
}

func placeLegend(p *plot.Plot) {
	p.Legend.Top, p.Legend.YOffs = true, vg.Points(2)
	p.Legend.ThumbnailWidth, p.Legend.Padding = vg.Points(14), vg.Points(2)
}

// panel is a plot of so much more than the time of a trace, with a row for each name: row i is at -i.
func panel(s *trace.Stats, rows []string, title string, shown float64) (*plot.Plot, *shapes) {
	p := paper.Panel(title, "time [s]", "")
	p.Y.Tick.Marker = rowTicks{rows, -1}
	p.Y.Tick.Length, p.Y.Tick.Width = vg.Points(3), 0
	paper.AnchorEnd(&p.Y.Tick.Label)
	return p, &shapes{zero: s.Begin, frame: [4]float64{0, s.Span * shown, -float64(len(rows)) + 0.5, 0.5}}
}

// besideEnd makes room for a legend beside the end of a trace.
const besideEnd = 1.18

// inStates is a panel whose rows are filled up to a half of their heights by the colours of the processes' states. The
// busy time in a region with an ink of its own has that.
func inStates(s *trace.Stats, rows []string, title string, half float64, regions map[string]color.Color) (*plot.Plot,
	*shapes) {
	p, list := panel(s, rows, title, besideEnd)
	for i, name := range rows {
		for _, in := range s.Intervals[name] {
			ink := color.Color(inks[in.Activity])
			if of, own := regions[in.Region]; own && in.Activity == trace.Busy {
				ink = of
			}
			list.box(in.Begin, in.End, -float64(i)-half, -float64(i)+half, ink)
		}
	}
	legend(p, s)
	return p, list
}

// regionInks are the colours of regions, the dearest first (P. Tol, Colour schemes, SRON, 2021, "muted").
var regionInks = []color.NRGBA{
	{0x33, 0x22, 0x88, 0xff}, {0xdd, 0xcc, 0x77, 0xff}, {0xcc, 0x66, 0x77, 0xff}, {0x88, 0xcc, 0xee, 0xff},
	{0x88, 0x22, 0x55, 0xff}, {0x99, 0x99, 0x33, 0xff}, {0xaa, 0x44, 0x99, 0xff}, {0x44, 0xaa, 0x99, 0xff},
}

// gantt has colours for the regions in which processes are busy longest; the others have that of the state.
func gantt(s *trace.Stats, o *Options) *plot.Plot {
	times := map[string]float64{}
	for _, name := range o.Rows {
		for _, in := range s.Intervals[name] {
			if in.Activity == trace.Busy && in.Region != "" {
				times[in.Region] += in.End - in.Begin
			}
		}
	}
	dearest := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	dearest = dearest[:min(len(dearest), len(regionInks))]
	regions := map[string]color.Color{}
	for i, name := range dearest {
		regions[name] = regionInks[i]
	}
	p, list := inStates(s, o.Rows, "States and regions of processes", 0.35, regions)
	for _, name := range dearest {
		p.Legend.Add(name, swatch{ink: regions[name]})
	}
	return list.on(p)
}

// spacetime draws messages from the begin of the send to the end of the receive, darker for more bytes.
func spacetime(s *trace.Stats, o *Options) *plot.Plot {
	p, list := inStates(s, o.Rows, "Processes and messages", 0.1, nil)
	row := map[string]float64{}
	for i, name := range o.Rows {
		row[name] = -float64(i)
	}
	most := int64(1)
	for _, m := range s.Messages {
		most = max(most, m.Bytes)
	}
	for _, m := range s.Messages {
		from, there := row[m.From]
		to, also := row[m.To]
		if there && also {
			ink := paper.Ramp(1 - math.Log1p(float64(m.Bytes))/math.Log1p(float64(most)))
			list.message(s, &m, from, to, ink)
		}
	}
	return list.on(p)
}

// message adds the line of a message from a row to a row, but for its parts before and after the trace's time.
func (s *shapes) message(of *trace.Stats, m *trace.Message, from, to float64, ink color.Color) {
	end := of.Begin + of.Span
	left, right := max(of.Begin, min(m.Sent, end)), max(of.Begin, min(m.Received, end))
	slope := 0.0
	if m.Sent != m.Received {
		slope = (to - from) / (m.Received - m.Sent)
	}
	s.line(left, from+slope*(left-m.Sent), right, to+slope*(right-m.Received), ink, 0.7)
}

// utilisation stacks the numbers of processes in each state, over 600 parts of the time.
func utilisation(s *trace.Stats, o *Options) *plot.Plot {
	const parts = 600
	var sums [parts]map[trace.Activity]float64
	for i := range sums {
		sums[i] = map[trace.Activity]float64{}
	}
	length := s.Span / parts
	for _, name := range o.Rows {
		for _, in := range s.Intervals[name] {
			begin, end := in.Begin-s.Begin, in.End-s.Begin
			for i := int(begin / length); i < parts && float64(i)*length < end; i++ {
				left := max(begin, float64(i)*length)
				sums[i][in.Activity] += (min(end, float64(i+1)*length) - left) / length
			}
		}
	}
	list := &shapes{frame: [4]float64{0, s.Span * besideEnd, 0, 1}}
	last := map[trace.Activity]int{} // box by state
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	for i := range sums {
		base := 0.0
		for _, a := range trace.Activities() {
			x := sums[i][a]
			begin, end := float64(i)*length, float64(i+1)*length
			n, drawn := last[a]
			// a box as high as that beside it is part of it: a renderer leaves a light seam between two
			if drawn && list.boxes[n].x2 == begin && near(list.boxes[n].y1, base) && near(list.boxes[n].y2, base+x) {
				list.boxes[n].x2 = end
			} else if x > 0 {
				last[a] = len(list.boxes)
				list.box(begin, end, base, base+x, inks[a])
			}
			base += x
		}
		list.frame[3] = max(list.frame[3], math.Ceil(base-1e-6)) // most processes at a time
	}
	p := paper.Panel("Processes by state", "time [s]", "processes")
	legend(p, s)
	return list.on(p)
}

func queues(s *trace.Stats, o *Options) *plot.Plot {
	longest := 1
	for _, q := range s.Processes {
		longest = max(longest, q.Queue.Most)
	}
	p, list := panel(s, o.Rows,
		fmt.Sprintf("Messages in the queue of each process; the longest queue has %d", longest), 1)
	for i, name := range o.Rows {
		var waiting load
		for k := range s.Messages {
			if s.Messages[k].To == name {
				waiting.add(s, &s.Messages[k], 1)
			}
		}
		base := -float64(i) - 0.4
		above, _ := waiting.steps()
		for _, x := range above {
			list.box(x.Begin, x.End, base, base+0.8/float64(longest)*x.Value, inks[trace.Overhead])
		}
		list.line(s.Begin, base, s.Begin+s.Span, base, paper.Grid, 0.5)
	}
	return list.on(p)
}

// traffic draws the bytes that are under way above the number of messages.
func traffic(s *trace.Stats, _ *Options) *plot.Plot {
	var bytes, messages load
	for i := range s.Messages {
		bytes.add(s, &s.Messages[i], float64(s.Messages[i].Bytes))
		messages.add(s, &s.Messages[i], 1)
	}
	above, most := bytes.steps()
	counts, highest := messages.steps()
	p, list := panel(s, make([]string, 2),
		fmt.Sprintf("Most under way: %s; messages: %.0f", size(int64(most)), highest), 1)
	draw := func(steps []trace.Step, base, most float64) {
		for _, x := range steps {
			list.box(x.Begin, x.End, base, base+0.8*x.Value/max(1, most), inks[trace.Overhead])
		}
		list.line(s.Begin, base, s.Begin+s.Span, base, paper.Grid, 0.5)
	}
	draw(above, -0.4, most)
	draw(counts, -1.4, highest)
	p.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 0.4, Label: size(int64(most))}, {Value: 0, Label: "bytes"}, {Value: -0.4, Label: "0"},
		{Value: -0.6, Label: fmt.Sprintf("%.0f", highest)}, {Value: -1, Label: "messages"}, {Value: -1.4, Label: "0"},
	}
	return list.on(p)
}

// matrix fills a square for each pair of processes.
func matrix(s *trace.Stats, o *Options) *plot.Plot {
	most := int64(1)
	for _, pair := range s.Pairs {
		most = max(most, pair.Bytes)
	}
	n := float64(len(o.Rows))
	list := &shapes{frame: [4]float64{-0.5, n - 0.5, -n + 0.5, 0.5}}
	for i, from := range o.Rows {
		for j, to := range o.Rows {
			if pair, there := s.Pairs[from+">"+to]; there {
				x, y := float64(j), -float64(i)
				list.box(x-0.48, x+0.48, y-0.48, y+0.48, paper.Fill(1-float64(pair.Bytes)/float64(most)))
			}
		}
	}
	p := paper.Panel("Messages; the darkest square is "+size(most), "to process", "from process")
	p.Y.Tick.Marker, p.X.Tick.Marker = rowTicks{o.Rows, -1}, rowTicks{o.Rows, 1}
	if label := &p.X.Tick.Label; longest(o.Rows) > 3 { // names would overlap
		label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	return list.on(p)
}

// longest is the length of the longest name.
func longest(names []string) (most int) {
	for _, name := range names {
		most = max(most, utf8.RuneCountInString(name))
	}
	return most
}

func size(n int64) string {
	switch x := float64(n); {
	case x >= 1e9:
		return fmt.Sprintf("%.3g GB", x/1e9)
	case x >= 1e6:
		return fmt.Sprintf("%.3g MB", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3g kB", x/1e3)
	}
	return fmt.Sprintf("%d B", n)
}

// mostSpokes is the number of names around a circle that do not overlap.
const mostSpokes = 72

// kiviat draws a spoke for each process, and on it the share of its time for which it is busy.
func kiviat(s *trace.Stats, o *Options) *plot.Plot {
	half := 1.15 + 0.05*float64(longest(o.Rows)) // of the width, with names
	list := &shapes{frame: [4]float64{-half, half, -half, half}}
	at := func(i, of int, r float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(of))
		return r * sin, r * cos
	}
	join := func(i, of int, from, to float64, ink color.Color, width float64) {
		x, y := at(i, of, from)
		x2, y2 := at(i+1, of, to)
		list.line(x, y, x2, y2, ink, width)
	}
	for _, r := range []float64{0.25, 0.5, 0.75, 1} {
		for k := range 120 {
			join(k, 120, r, r, paper.Grid, 0.5)
		}
	}
	n := len(o.Rows)
	share := func(i int) float64 {
		q := s.Processes[o.Rows[i%n]]
		return q.Busy / max(q.Length(), math.SmallestNonzeroFloat64)
	}
	for i, name := range o.Rows {
		x, y := at(i, n, 1)
		list.line(0, 0, x, y, paper.Grid, 0.5)
		join(i, n, share(i), share(i+1), inks[trace.Busy], 1.2)
		if i%(1+(n-1)/mostSpokes) == 0 {
			list.notes = append(list.notes, note{x: 1.07 * x, y: 1.07 * y, text: name, outward: true})
		}
	}
	p := paper.Panel("Share of time busy; outer circle 100 %", "", "")
	p.HideAxes()
	return list.on(p)
}
