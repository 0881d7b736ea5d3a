package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// sample is two processes, a message, and each state.
func sample() *trace.Stats {
	return trace.Analyse([]trace.Record{
		{Time: 10, Process: "left", Kind: trace.Enter, Name: "main"},
		{Time: 10, Process: "right", Kind: trace.Enter, Name: trace.Receiving, From: "left", To: "right"},
		{Time: 12, Process: "left", Kind: trace.Send, From: "left", To: "right", Bytes: 4096},
		{Time: 13, Process: "left", Kind: trace.Leave, Name: trace.Sending},
		{Time: 14, Process: "right", Kind: trace.Receive, From: "left", To: "right", Bytes: 4096},
		{Time: 14, Process: "right", Kind: trace.Enter, Name: trace.Idle},
		{Time: 15, Process: "right", Kind: trace.Leave, Name: trace.Idle},
		{Time: 15, Process: "right", Kind: trace.Enter, Name: trace.Recording},
		{Time: 16, Process: "right", Kind: trace.Leave, Name: trace.Recording},
	}, nil)
}

// Names of rows end at the axis, whichever font they are drawn in.
func TestNamesEndAtTheAxis(t *testing.T) {
	var svg bytes.Buffer
	must.OK(t, Draw(&svg, sample(), Options{View: "gantt", Format: "svg"}))
	ends := map[string]bool{}
	for text := range strings.SplitSeq(svg.String(), "<text ") {
		for _, name := range []string{"left", "right"} {
			if strings.Contains(text, ">"+name+"<") && strings.Contains(text, `text-anchor="end"`) {
				_, x, _ := strings.Cut(text, ` x="`)
				x, _, _ = strings.Cut(x, `"`)
				ends[x] = true
			}
		}
	}
	if len(ends) != 1 {
		t.Errorf("names end at %v", ends)
	}
}

// Each view names the processes or its axes, and has what it draws.
func TestViews(t *testing.T) {
	for name, texts := range map[string][]string{
		"spacetime":   {"left", "right", "busy", "blocked", "overhead", "idle", "perturbed"},
		"gantt":       {"left", "right", "busy", "blocked", "overhead", "idle", "perturbed", "main"},
		"utilisation": {"processes", "busy", "perturbed"},
		"queues":      {"left", "right", "longest queue has 1"},
		"traffic":     {"bytes", "time [s]", "Most under way: 4096 B; messages: 1"},
		"matrix":      {"from process", "4096 B"},
		"kiviat":      {"left", "right"},
		"lifetimes":   {"left", "right", "alive"},
		"links":       {"left&gt;right", "the darkest is 4096 B"},
		"animation":   {"left", "right", "busy", "perturbed", "left to right, type 0, 4096 B"},
	} {
		t.Run(name, func(t *testing.T) {
			var svg bytes.Buffer
			must.OK(t, Draw(&svg, sample(), Options{View: name, Format: "svg"}))
			for _, text := range texts {
				if !strings.Contains(svg.String(), ">"+text) && !strings.Contains(svg.String(), text+"<") {
					t.Errorf("the picture has no text %q", text)
				}
			}
		})
	}
	must.Equal(t, 10, len(Views()))
}

// States that do not change are drawn as a whole, without seams, and a legend has no more than the picture.
func TestPicturesAreWhole(t *testing.T) {
	s := trace.Analyse([]trace.Record{
		{Process: "a", Kind: trace.Enter, Name: "main"}, {Process: "b", Kind: trace.Enter, Name: trace.Idle},
		{Time: 1, Process: "b", Kind: trace.Leave, Name: trace.Idle},
		{Time: 3, Process: "a", Kind: trace.Leave, Name: "main"}, {Time: 3, Process: "b", Kind: trace.Marker},
	}, nil)
	drawn := func(view string) string {
		var svg bytes.Buffer
		must.OK(t, Draw(&svg, s, Options{View: view, Format: "svg"}))
		return svg.String()
	}
	if n := strings.Count(drawn("utilisation"), "<path"); n > 100 {
		t.Errorf("%d areas and lines of processes that change their state once", n)
	}
	for _, text := range []string{"fork", "join", "perturbed"} {
		if strings.Contains(drawn("lifetimes"), text+"<") {
			t.Errorf("the legend has %s, of which the picture has none", text)
		}
	}
	s = trace.Analyse([]trace.Record{{Process: "a", Kind: trace.Fork, From: "a", To: "b"},
		{Time: 1, Process: "b", Kind: trace.Marker},
		{Time: 2, Process: "a", Kind: trace.Join, From: "a", To: "b"}}, nil)
	for _, text := range []string{"fork", "join"} {
		if !strings.Contains(drawn("lifetimes"), text+"<") {
			t.Errorf("the legend lacks %s", text)
		}
	}
}

// Messages that take no time are seen, and no name of many processes is left out or covers another.
func TestManyProcesses(t *testing.T) {
	var list []trace.Record
	for i := range 60 {
		name, at := fmt.Sprintf("process %02d", i), float64(i)
		to := "process 00"
		list = append(list, trace.Record{Time: at, Process: name, Kind: trace.Send, From: name, To: to, Bytes: 16},
			trace.Record{Time: at, Process: to, Kind: trace.Receive, From: name, To: to, Bytes: 16})
	}
	s := trace.Analyse(list, nil)
	for view, texts := range map[string][]string{
		"traffic": {"Most under way: 16 B; messages: 1"}, "links": {"the darkest is 16 B", "process 59&gt;process 00"},
		"gantt": {"process 59"}, "matrix": {"process 59"}, "kiviat": {"rotate(-84)", "process 59"},
	} {
		var svg bytes.Buffer
		must.OK(t, Draw(&svg, s, Options{View: view, Format: "svg"}))
		for _, text := range texts {
			if !strings.Contains(svg.String(), text) {
				t.Errorf("%s has no %q", view, text)
			}
		}
		if n := strings.Count(svg.String(), "rotate(90)"); view == "matrix" && n != 61 {
			t.Errorf("%d names of the matrix are upright, want those of 60 columns and the axis", n)
		}
	}
}

// The height of the picture of states is the most processes at a time, not the number of all.
func TestUtilisationHasItsHeight(t *testing.T) {
	var list []trace.Record
	for i := range 20 { // one after the other
		name := fmt.Sprint(i)
		list = append(list, trace.Record{Time: float64(i), Process: name, Kind: trace.Enter, Name: "main"},
			trace.Record{Time: float64(i) + 1, Process: name, Kind: trace.Leave, Name: "main"})
	}
	s := trace.Analyse(list, nil)
	p := utilisation(s, &Options{Rows: slices.Sorted(maps.Keys(s.Processes))})
	if p.Y.Max != 1 {
		t.Errorf("the axis ends at %v, want 1: a process at a time", p.Y.Max)
	}
}

func TestRefused(t *testing.T) {
	refused := func(s *trace.Stats, view, says string) {
		t.Helper()
		must.Fail(t, Draw(nil, s, Options{View: view, Format: "svg"}), says)
	}
	refused(sample(), "pie", "spacetime, gantt")
	refused(trace.Analyse(nil, nil), "gantt", "no process")
	var list []trace.Record
	for i := range mostRows + 1 {
		list = append(list, trace.Record{Process: fmt.Sprint(i), Kind: trace.Marker})
	}
	refused(trace.Analyse(list, nil), "gantt", "513")
}

// A trace without length is drawn.
func TestMoment(t *testing.T) {
	s := trace.Analyse([]trace.Record{{Process: "0", Kind: trace.Marker}}, nil)
	for _, name := range slices.DeleteFunc(Views(), func(name string) bool { return name == "animation" }) {
		must.OK(t, Draw(&bytes.Buffer{}, s, Options{View: name, Format: "png"}))
	}
	s.Span = 5e-324 // too short for ticks
	must.OK(t, Draw(&bytes.Buffer{}, s, Options{View: "gantt", Format: "png"}))
}

// Pictures are XML whatever processes are called, and of too many messages an animation has the last.
func TestNamesAndNumbers(t *testing.T) {
	list := []trace.Record{{Process: "a\x1b\x00", Kind: trace.Enter, Name: "main"}}
	for i := range mostMovingMessage + 2 {
		list = append(list, trace.Record{Time: float64(i), Process: "a\x1b\x00", Kind: trace.Send, From: "a\x1b\x00",
			To: "b", Type: int64(i)}, trace.Record{Time: float64(i) + 0.5, Process: "b", Kind: trace.Receive,
			From: "a\x1b\x00", To: "b", Type: int64(i)})
	}
	for _, view := range []string{"animation", "gantt"} {
		var svg bytes.Buffer
		must.OK(t, Draw(&svg, trace.Analyse(list, nil), Options{View: view, Format: "svg"}))
		text := svg.String()
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				must.OK(t, err)
			}
		}
		must.Contain(t, text, `>a\x1b\x00<`)
		if view == "animation" {
			must.Contain(t, text, "the last 4000 of 4002 messages", "type 4001,", "type 2,")
			must.Equal(t, false, strings.Contains(text, "type 1,"))
		}
	}
}

// An animation has whole names where there is room for them, else their ends.
func TestNamesOfAnAnimation(t *testing.T) {
	const name = "fan-n100.000-w643.7-o6-%03d"
	for processes, whole := range map[int]bool{4: true, 12: true, 120: false} {
		var list []trace.Record
		for i := range processes {
			list = append(list, trace.Record{Time: float64(i), Process: fmt.Sprintf(name, i), Kind: trace.Marker})
		}
		var svg bytes.Buffer
		must.OK(t, Draw(&svg, trace.Analyse(list, nil), Options{View: "animation", Format: "svg"}))
		shown := 0
		for i := range processes {
			if strings.Contains(svg.String(), ">"+fmt.Sprintf(name, i)+"<title>") {
				shown++
			}
		}
		if whole && shown < processes/2 || !whole && shown > 0 {
			t.Errorf("%d of %d names are whole", shown, processes)
		}
		var x, y, length float64 // of the name before
		texts := regexp.MustCompile(`<text x="(.*?)" y="(.*?)" .*>(.*)<title>`)
		for _, m := range texts.FindAllStringSubmatch(svg.String(), -1) {
			at, row := must.Value(strconv.ParseFloat(m[1], 64))(t), must.Value(strconv.ParseFloat(m[2], 64))(t)
			now := float64(utf8.RuneCountInString(m[3]))
			if row == y && at-x < 6.8*(now+length)/2 {
				t.Fatalf("of %d names %s is %.0f from that of %.0f letters before", processes, m[3], at-x, length)
			}
			x, y, length = at, row, now
		}
	}
}

// A process begins in the first row whose process has ended; forks and joins are lines.
func TestRowsAreUsedAgain(t *testing.T) {
	s := trace.Analyse([]trace.Record{
		{Time: 0, Process: "0", Kind: trace.Fork, To: "1"},
		{Time: 1, Process: "1", Kind: trace.Enter, Name: "work"},
		{Time: 2, Process: "1", Kind: trace.Leave, Name: "work"},
		{Time: 3, Process: "0", Kind: trace.Join, To: "1"},
		{Time: 4, Process: "0", Kind: trace.Fork, To: "2"},
		{Time: 5, Process: "2", Kind: trace.Marker},
		{Time: 9, Process: "0", Kind: trace.Marker},
	}, nil)
	p := lifetimes(s, &Options{Rows: []string{"0", "1", "2"}})
	if rows := p.Y.Tick.Marker.(rowTicks).names; len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	}
}

// A message loads each link of its route; the way of a bus is one link.
func TestLoads(t *testing.T) {
	s := trace.Analyse([]trace.Record{
		{Time: 1, Process: "0", Kind: trace.Send, From: "0", To: "3", Bytes: 8},
		{Time: 2, Process: "3", Kind: trace.Receive, From: "0", To: "3", Bytes: 8},
	}, nil)
	for shape, want := range map[string][]string{
		"":              {"0>3"},
		"ring":          {"0>3"},
		"mesh":          {"0>1", "1>3"},
		"mesh:1x4":      {"0>1", "1>2", "2>3"},
		"mesh:1x4:gray": {"0>1", "1>3"},
		"bus":           {"s4>s5"},
		"star":          {"0>s4", "s4>3"},
		"tree":          {"0>s4", "s4>s6", "s5>3", "s6>s5"},
	} {
		o := Options{Rows: []string{"0", "1", "2", "3"}, at: []int{0, 1, 2, 3}}
		if shape != "" {
			o.Network = must.Value(ParseShape(shape, 4))(t)
		}
		var got []string
		for _, l := range o.loads(s) {
			got = append(got, l.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", shape, got, want)
		}
	}
	for text, says := range map[string]string{
		"cube": "no shape", "ring:2x2": "of a mesh or a torus", "mesh:3x2": "3 rows and 2 columns",
		"mesh:4": "neither ROWSxCOLUMNS",
	} {
		if _, err := ParseShape(text, 4); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each network has an animation: well formed XML in which times ascend, and no two processes at one place.
func TestAnimation(t *testing.T) {
	for _, shape := range []string{"bus", "star", "ring", "mesh", "torus", "tree", "hypercube", "fat-tree", "full"} {
		n := must.Value(ParseShape(shape, 2))(t)
		var svg bytes.Buffer
		must.OK(t, Draw(&svg, sample(), Options{View: "animation", Format: "svg", Network: n}))
		d, moves := xml.NewDecoder(&svg), 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			must.OK(t, err)
			e, _ := token.(xml.StartElement)
			for _, a := range e.Attr {
				if a.Name.Local != "keyTimes" {
					continue
				}
				moves++
				if times := strings.Split(a.Value, ";"); times[0] != "0" || !slices.IsSorted(times) {
					t.Errorf("%s: times %s", shape, a.Value)
				}
			}
		}
		if moves != 2*3+2 {
			t.Errorf("%s: %d animated attributes", shape, moves)
		}
		places := map[[2]float64]int{}
		for i, at := range layout(must.Value(ParseShape(shape, 8))(t), 8) {
			if j, taken := places[at]; taken {
				t.Errorf("%s: nodes %d and %d are at one place", shape, i, j)
			}
			places[at] = i
		}
	}
	for says, o := range map[string]Options{
		"written as .svg":      {View: "animation", Format: "png"},
		"no process \"third\"": {View: "gantt", Format: "svg", Rows: []string{"third"}},
		"network of 1 processors for 2 processes": {View: "links", Format: "svg",
			Network: must.Value(ParseShape("bus", 1))(t)},
	} {
		if err := Draw(io.Discard, sample(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// A process whose name is a number is at that processor, unless a layout orders the processes.
func TestProcessors(t *testing.T) {
	for _, c := range []struct {
		rows  []string
		free  bool
		at    []int
		count int
	}{
		{[]string{"0", "3"}, true, []int{0, 3}, 4},
		{[]string{"0", "3"}, false, []int{0, 1}, 2},
		{[]string{"0", "b", "3"}, true, []int{0, 1, 2}, 3},
	} {
		if at, count := Processors(c.rows, c.free); !slices.Equal(at, c.at) || count != c.count {
			t.Errorf("%v: %v of %d", c.rows, at, count)
		}
	}
}
