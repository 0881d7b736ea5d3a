package network

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/internal/testenv"
)

// nodes lists the nodes of a route.
func nodes(g *Graph, r *Routes, from, to int) []int {
	list := []int{from}
	for _, l := range r.Append(nil, from, to) {
		list = append(list, int(g.Links[l].To))
	}
	return list
}

func TestShapesHaveTheirDistances(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shape    Shape
		nodes    int
		links    int
		from, to int
		hops     int
	}{
		{Shape{Name: "bus", Processors: 5}, 7, 11, 0, 4, 3},
		{Shape{Name: "star", Processors: 5}, 6, 10, 0, 4, 2},
		{Shape{Name: "ring", Processors: 6}, 6, 12, 0, 3, 3},
		{Shape{Name: "ring", Processors: 2}, 2, 2, 0, 1, 1},
		{Shape{Name: "ring", Processors: 1}, 1, 0, 0, 0, 0},
		{Shape{Name: "mesh", Processors: 12, Rows: 3, Columns: 4}, 12, 34, 0, 11, 5},
		{Shape{Name: "torus", Processors: 16, Rows: 4, Columns: 4}, 16, 64, 0, 15, 2},
		{Shape{Name: "mesh", Processors: 16, Rows: 4, Columns: 4, Gray: true}, 16, 48, 0, 2, 3},
		{Shape{Name: "mesh", Processors: 16, Rows: 4, Columns: 4}, 16, 48, 0, 2, 2},
		{Shape{Name: "tree", Processors: 16}, 31, 60, 7, 8, 8},
		{Shape{Name: "tree", Processors: 5}, 9, 16, 0, 4, 4},
		{Shape{Name: "hypercube", Processors: 16}, 16, 64, 0, 15, 4},
		{Shape{Name: "fat-tree", Processors: 4}, 7, 12, 0, 3, 4},
		{Shape{Name: "full", Processors: 7}, 7, 42, 2, 6, 1},
	} {
		c.shape.Bandwidth = 1e9
		g, err := c.shape.Graph()
		must.OK(t, err)
		hops := len(NewRoutes(g).Append(nil, c.from, c.to))
		if g.Nodes != c.nodes || len(g.Links) != c.links || hops != c.hops {
			t.Errorf("%+v: %d nodes, %d links, %d hops; want %d, %d, %d", c.shape, g.Nodes, len(g.Links), hops, c.nodes,
				c.links, c.hops)
		}
	}
}

func TestFatTreeDoublesItsBandwidth(t *testing.T) {
	t.Parallel()
	g, err := Shape{Name: "fat-tree", Processors: 8, Bandwidth: 3}.Graph()
	must.OK(t, err)
	var rates []float64
	for _, l := range NewRoutes(g).Append(nil, 0, 7) {
		rates = append(rates, g.Links[l].Bandwidth)
	}
	if want := []float64{3, 6, 12, 12, 6, 3}; !slices.Equal(rates, want) {
		t.Errorf("bandwidths %v, want %v", rates, want)
	}
}

// Of two ways of 2 links the wider one is taken, and of equal ones the first in order. With the bandwidth as a length,
// as in a text of 1998, the narrow way would be the shorter.
func TestRoutesPreferBandwidth(t *testing.T) {
	t.Parallel()
	g, err := Read(strings.NewReader("4\n0 1 1 2 10 -1\n1 0 1 3 1 -1\n2 0 10 3 10 -1 # wide\n3 1 1 2 10 -1\n"), 4)
	must.OK(t, err)
	if got := nodes(g, NewRoutes(g), 0, 3); !slices.Equal(got, []int{0, 2, 3}) {
		t.Errorf("route %v, want the wide one", got)
	}
	g, err = Shape{Name: "mesh", Processors: 9, Rows: 3, Columns: 3, Bandwidth: 0.3}.Graph()
	must.OK(t, err)
	if got := nodes(g, NewRoutes(g), 8, 0); !slices.Equal(got, []int{8, 5, 2, 1, 0}) {
		t.Errorf("route %v, want the first in order", got)
	}
	if got := nodes(g, NewRoutes(g), 0, 8); !slices.Equal(got, []int{0, 1, 2, 5, 8}) {
		t.Errorf("route %v, want the first in order", got)
	}
}

// A route ends though the cost of a link is lost in that of the others.
func TestRoutesEndWhereCostsAreRounded(t *testing.T) {
	t.Parallel()
	g, err := Read(strings.NewReader("4\n0 1 1e20 -1\n1 0 1e20 2 1e20 -1\n2 1 1e20 3 0.001 -1\n3 2 0.001 -1\n"), 4)
	must.OK(t, err)
	if got := nodes(g, newTables(g), 0, 3); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("route %v", got)
	}
}

// The routes of a tree are those of the general rule, and a network with as many links is not taken for one.
func TestRoutesOfTrees(t *testing.T) {
	t.Parallel()
	testenv.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		node, cost := rapid.Int32Range(0, int32(n)-1), rapid.SampledFrom([]float64{0, 1e-9, 1, 1e9})
		list := rapid.Permutation([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8}[:n]).Draw(t, "order")
		var links []Link
		for i := 1; i < n; i++ {
			a, b := list[i], list[rapid.IntRange(0, i-1).Draw(t, "parent")]
			links = append(links, Link{a, b, cost.Draw(t, "latency"), 1}, Link{b, a, cost.Draw(t, "back"), 1})
		}
		g, err := New(n, n, links)
		must.OK(t, err)
		if NewRoutes(g).tree == nil {
			t.Fatal("a tree is taken for another network")
		}
		if n > 2 && rapid.Bool().Draw(t, "circle") {
			k := rapid.IntRange(0, len(links)-1).Draw(t, "link")
			links[k] = Link{node.Draw(t, "from"), node.Draw(t, "to"), 0, 1}
			if g, err = New(n, n, links); err != nil {
				return // in pieces
			}
		}
		r, general := NewRoutes(g), newTables(g)
		for from := range n {
			for to := range n {
				must.Equal(t, nodes(g, general, from, to), nodes(g, r, from, to))
			}
		}
	})
	g, err := Read(strings.NewReader("3\n0 1 1 -1\n1 0 1 2 1 -1\n2 0 1 -1\n"), 3)
	must.OK(t, err)
	must.Equal(t, []int{0, 1, 2}, nodes(g, NewRoutes(g), 0, 2))
	must.Equal(t, []int{2, 0}, nodes(g, NewRoutes(g), 2, 0))
}

func TestBadFilesAreToldWithTheirPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"", "1:1: empty"},
		{"two", `1:1: "two" is no number of nodes`},
		{"0", "1:1: 0 nodes"},
		{"1000000000000", "1:1: 1000000000000 nodes"},
		{"2\n0 1 1 -1\n1 0 1", "3:6: the links of node 1 end without -1"},
		{"2\n0 1 1 -1\n1 0 0 -1", "3:5: the link of node 1 to 0 has bandwidth 0"},
		{"2\n0 1 -2 -1\n1 0 NaN -1", "2:5: the link of node 0 to 1 has bandwidth -2"},
		{"2\n0 1 -2 -1\n1 0 NaN -1", "3:5: the link of node 1 to 0 has bandwidth NaN"},
		{"2\n0 1 inf -1\n1 0 1 -1", "2:5: the link of node 0 to 1 has bandwidth inf"},
		{"2\n0 7 1 -1\n1 0 1 -1", "2:3: a link of node 0 to 7, which leads nowhere"},
		{"2\n0 0 1 -1\n1 0 1 -1", "2:3: a link of node 0 to itself"},
		{"2\n0 1 1 -1\n0 1 1 -1", "3:1: node 0 has its links already"},
		{"2\n0 1 1 -1\n5 1 1 -1", "3:1: node 5; nodes are 0 to 1"},
		{"3\n0 1 1 -1\n1 0 1 -1", "1 of 3 nodes are missing"},
		{"4\n0 1 1 -1\n1 0 1 -1\n2 3 1 -1\n3 2 1 -1", "in pieces: no way from node 0 to node 2"},
		{"2\n0 1 1 -1\n1 -1", "in pieces: no way from node 1 to node 0"},
		{"2\n0 1 1 1 2 -1\n1 0 1 -1", "link 0 to 1 is there twice"},
		{"2\n0 1 -1\n1 0 1 -1", "2:5: the link of node 0 to 1 has bandwidth -1"},
		{"2\n0 1 1\n1 0 1 -1", "3:1: no -1 behind the links of node 0 of line 2"},
		{"3\n0 1 1 -1\n1 0 1 2 1\n2 1 1 -1", "4:1: no -1 behind the links of node 1 of line 3"},
	} {
		_, err := Read(strings.NewReader(c.text), 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.text, err, c.want)
		}
	}
	for _, text := range []string{"2\n0 1 1\n1 0 1 -1", "2\n0 1 1 -1\n1 0 1 -1\nnode", "2\n0 1 1 -1\n1 0 1 -1\n-1"} {
		if _, err := Read(strings.NewReader(text), 1); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want a problem alone", text, err)
		}
	}
}

// A file of a million nodes is read, and its routes do not keep a table for each destination.
func TestMillionNodes(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	var b strings.Builder
	fmt.Fprintln(&b, n)
	for i := range n {
		fmt.Fprintf(&b, "%d %d 1 %d 1 -1\n", i, (i+1)%n, (i+n-1)%n)
	}
	g, err := Read(strings.NewReader(b.String()), n)
	must.OK(t, err)
	r := NewRoutes(g)
	r.most = 2 * n
	for to := range 3 {
		r.Append(nil, to+1, to)
	}
	if r.kept*n > r.most {
		t.Errorf("%d tables of %d entries are kept", r.kept, n)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"2\n0 1 1 -1\n1 0 1 -1", "1 0 -1", "3 0 1 1 2 2 -1 1 0 1 -1 2 0 5e-1 -1 # end", "9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Read(strings.NewReader(text), 1)
		if err != nil {
			return
		}
		r := NewRoutes(g)
		for to := range min(g.Nodes, 20) {
			list := nodes(g, r, g.Nodes-1, to)
			if list[len(list)-1] != to || len(list) > g.Nodes {
				t.Fatalf("the route to %d is %v", to, list)
			}
		}
	})
}
