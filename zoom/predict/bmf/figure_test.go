package bmf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
	"github.com/peregrine-sim/peregrine/watchdog/trace/format"
	"github.com/peregrine-sim/peregrine/zoom/predict/virtual"
)

// The figures of a text of 1998 on a simulator of BMF programs.

const (
	sixteen = `processors: 16
element: 1 B
overhead: {send: 1 s/B, receive: 1 s/B}
costs: {B_Plus: 1 s, B_Times: 1 s, B_Conc: 1 s/B}
network: `
	fixedNetwork = "{model: fixed, time: 1 s}\n"
	treeNetwork  = "{model: exclusive, shape: tree, bandwidth: 1 B/s}\n"
	meshNetwork  = "{model: exclusive, shape: mesh, rows: 4, columns: 4, bandwidth: 1 B/s}\n"
	grayNetwork  = "{model: exclusive, shape: mesh, rows: 4, columns: 4, numbering: gray, bandwidth: 1 B/s}\n"
	numbers16    = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"

	concatenation = "B_Comp (P_Reduce (B_Op B_Conc)) (P_Split 16)"
	prefixes      = "B_Comp (P_Scan (B_Op B_Conc)) (P_Split 16)"
	broadcast     = "B_Comp P_Distl (B_Alltup (B_Id, P_Split 16))"
	reversal      = "B_Comp P_Project (B_Alltup (P_Split 16, B_Map (B_Comp (B_Op B_Minus) (B_Alltup (15, B_Id)))))"
)

// prediction is a prediction with its trace.
type prediction struct {
	*Prediction
	picl  string
	stats *trace.Stats
}

func predict(t *testing.T, machine, program, input string) prediction {
	t.Helper()
	m, err := parseMachine("machine.yaml", []byte(machine))
	must.OK(t, err)
	p, err := Parse("program", program)
	must.OK(t, err)
	v, err := ParseValue("input", input)
	must.OK(t, err)
	e, err := Evaluate(t.Context(), p, v, m)
	must.OK(t, err)
	var out bytes.Buffer
	w := format.NewPICL(&out, 3)
	result, err := e.Simulate(t.Context(), w)
	must.OK(t, err)
	must.OK(t, w.Close())
	var records []trace.Record
	text := out.String()
	if text != "" {
		records = must.Value(format.All(&out, nil, func(p trace.Problem) {
			t.Errorf("the trace is not read: line %d: %s", p.Line, p.Message)
		}))(t)
	}
	return prediction{result, text, trace.Analyse(records, nil)}
}

// latest are the messages of the last n levels.
func (p prediction) latest(n int) []virtual.Load { return p.Levels[len(p.Levels)-n:] }

func lengths(t *testing.T, v Value) (list []int) {
	t.Helper()
	parts, err := listOf(v)
	must.OK(t, err)
	for _, p := range parts {
		list = append(list, len(p.body.parts))
	}
	return list
}

func TestSplitSharesTheRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parts, length int
		want          []int
	}{{4, 31, []int{8, 8, 8, 7}}, {3, 7, []int{3, 2, 2}}, {5, 3, []int{1, 1, 1, 0, 0}}, {2, 0, []int{0, 0}}} {
		for _, form := range []string{"P_Split", "B_Split"} {
			p := predict(t, sixteen+fixedNetwork, fmt.Sprintf("B_Comp (%s %d) (B_Op B_Iota)", form, c.parts),
				fmt.Sprint(c.length))
			if got := lengths(t, p.Value); !slices.Equal(got, c.want) {
				t.Errorf("%s(%d) of %d: %v, want %v", form, c.parts, c.length, got, c.want)
			}
		}
	}
}

func TestSplitOfEightReachesSevenThroughFourAndSix(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, "P_Split 8", "[0, 1, 2, 3, 4, 5, 6, 7]")
	var to []string
	for _, m := range p.stats.Messages {
		if slices.Contains([]string{"4", "6", "7"}, m.To) {
			to = append(to, m.From+">"+m.To)
		}
	}
	slices.Sort(to)
	if want := []string{"0>4", "4>6", "6>7"}; !slices.Equal(to, want) {
		t.Errorf("the way to 7 is %v, want %v", to, want)
	}
	for i, clock := range p.Clocks[:7] {
		if clock > p.Clocks[7] {
			t.Errorf("processor %d ends at %v s, after processor 7 at %v s", i, clock, p.Clocks[7])
		}
	}
}

// The lines of the text's chapter on traces: a receive that begins, and an idle time that ends.
func TestLinesOfTheTrace(t *testing.T) {
	t.Parallel()
	machine := strings.Replace(sixteen, "send: 1 s/B, receive: 1 s/B", "send: 0.5 s/B, receive: 1 s/B", 1) +
		fixedNetwork
	p := predict(t, machine, "P_Split 8", "[0, 1, 2, 3, 4, 5, 6, 7]")
	for _, want := range []string{"-3 -21 0.000 0 -1 3 2 4 1 4\n", "-3 -601 0.000 4 -1 0\n", "-4 -21 2.000 0 -1 0\n",
		"-4 -601 3.000 4 -1 0\n-3 -51 3.000 4 -1 1 2 1\n", "-4 -51 7.000 4 -1 3 2 4 1 0\n", "-4 -601 4.500 1 -1 0\n",
		"-3 -51 4.500 1 -1 1 2 1\n"} {
		if !strings.Contains(p.picl, want) {
			t.Errorf("no %q in\n%s", want, p.picl)
		}
	}
}

func TestMapOnFourProcessorsTakesAQuarter(t *testing.T) {
	t.Parallel()
	machine := `processors: 4
costs: {B_Times: 1 s}
network: {model: fixed, time: 0 s}
`
	const square = "(B_Map (B_Comp (B_Op B_Times) (B_Alltup (B_Id, B_Id))))"
	one := predict(t, machine, square, numbers16)
	four := predict(t, machine, "B_Comp (P_Map "+square+") (P_Split 4)", numbers16)
	if one.End != 16 || four.End != 4 {
		t.Errorf("%v s on one processor, %v s on four; want 16 s and 4 s", one.End, four.End)
	}
}

func TestDistlHasSevenMessagesInFlight(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, broadcast, numbers16)
	if want := (virtual.Load{Messages: 7, Bytes: 112}); p.InFlight != want {
		t.Errorf("%+v in flight, want %+v", p.InFlight, want)
	}
}

func TestReduceSendsEqualBytesALevel(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, concatenation, numbers16)
	want := []virtual.Load{{Messages: 8, Bytes: 8}, {Messages: 4, Bytes: 8}, {Messages: 2, Bytes: 8},
		{Messages: 1, Bytes: 8}}
	if got := p.latest(4); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	must.Equal(t, numbers16, p.Value.String())
}

// The messages of the fixed network, laid over others: how far each goes, and whether two meet on a link.
func TestReduceLaidOverNetworks(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, concatenation, numbers16)
	for _, c := range []struct {
		shape network.Shape
		hops  int
		meet  bool
	}{
		{network.Shape{Name: "tree"}, 8, false},
		{network.Shape{Name: "mesh", Rows: 4, Columns: 4, Gray: true}, 3, true},
		{network.Shape{Name: "mesh", Rows: 4, Columns: 4}, 2, true},
	} {
		c.shape.Processors, c.shape.Bandwidth = 16, 1
		g, err := c.shape.Graph()
		must.OK(t, err)
		routes, hops := network.NewRoutes(g), 0
		users := map[int32][]trace.Message{}
		for _, m := range p.stats.Messages[15:] { // behind those of P_Split
			var from, to int
			_, err := fmt.Sscan(m.From+" "+m.To, &from, &to)
			must.OK(t, err)
			route := routes.Append(nil, from, to)
			hops = max(hops, len(route))
			for _, link := range route {
				for _, other := range users[link] {
					if other.Sent < m.Received && m.Sent < other.Received && !c.meet {
						t.Errorf("%s: %s>%s and %s>%s meet on link %v", c.shape.Name, m.From, m.To, other.From,
							other.To, g.Links[link])
					}
				}
				users[link] = append(users[link], m)
			}
		}
		if hops != c.hops {
			t.Errorf("%+v: %d hops, want %d", c.shape, hops, c.hops)
		}
	}
}

func TestScanHasFewerMessagesAtEachLevel(t *testing.T) {
	t.Parallel()
	p := predict(t, sixteen+fixedNetwork, prefixes, numbers16)
	want := []virtual.Load{{Messages: 15, Bytes: 15}, {Messages: 14, Bytes: 27}, {Messages: 12, Bytes: 42},
		{Messages: 8, Bytes: 36}}
	if got := p.latest(4); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

// On the tree the messages of the first level that go through its upper links come last.
func TestScanOnATreeWaitsForItsUpperLinks(t *testing.T) {
	t.Parallel()
	p := predict(t, "processors: 16\nnetwork: "+treeNetwork, "B_Comp (P_Scan (B_Op B_Conc)) (B_Comp P_Project "+
		"(B_Alltup (P_Split 16, B_Id)))", numbers16)
	times := map[string]float64{}
	for _, m := range p.stats.Messages[15:30] {
		times[m.From+">"+m.To] = m.Received - m.Sent
	}
	for way, took := range times {
		last := way == "3>4" || way == "7>8" || way == "11>12"
		if last != (took >= 6) {
			t.Errorf("%s takes %v s", way, took)
		}
	}
}

func TestReversalIsMoreStaggeredOnATreeThanOnAMesh(t *testing.T) {
	t.Parallel()
	spread := func(network string) float64 {
		p := predict(t, sixteen+network, reversal, numbers16)
		must.Equal(t, "[[15], [14], [13], [12], [11], [10], [9], [8], [7], [6], [5], [4], [3], [2], [1], [0]]",
			p.Value.String())
		first, last := p.End, 0.0
		for _, m := range p.stats.Messages[15:] {
			first, last = min(first, m.Received), max(last, m.Received)
		}
		return last - first
	}
	tree, mesh := spread(treeNetwork), spread(meshNetwork)
	if tree <= mesh {
		t.Errorf("received within %v s on the tree, %v s on the mesh", tree, mesh)
	}
}

func TestProjectOfOneItemSendsFifteenMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, input string }{
		{"B_Comp P_Project (B_Alltup (P_Split 16, B_Map 0))", numbers16},
		{"B_Comp P_Project (B_Alltup (P_Split 1, B_Comp (B_Map 0) (B_Comp (B_Op B_Iota) 16)))", "[7]"},
	} {
		p := predict(t, sixteen+fixedNetwork, c.program, c.input)
		if got := p.latest(1)[0].Messages; got != 15 {
			t.Errorf("%s: %d messages, want 15", c.program, got)
		}
	}
}
