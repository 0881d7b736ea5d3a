package page

// Positions of the components in the drawing of an engine: each stream runs down a column, in flow order.

import (
	"slices"

	"github.com/peregrine-sim/peregrine/executive/report"
)

// graph is an engine's flow path as it is laid out.
type graph struct {
	parts []part
	index map[string]int
	edges []edge
	rows  int
	wide  int // columns
}

// part is a component's place.
type part struct {
	name, typ string
	row, col  int
	joined    bool // at least one stream passes through it
	in, out   []int
}

// edge is a stream from one component to another.
type edge struct {
	from, to int
	port     string // the outlet, as in hpc.out
	back     bool   // against the order: a recuperator's hot side
}

// newGraph lays out a flow path.
func newGraph(f report.Flow) *graph {
	g := &graph{index: map[string]int{}}
	for _, c := range f.Components {
		if _, twice := g.index[c.Name]; !twice {
			g.index[c.Name] = len(g.parts)
			g.parts = append(g.parts, part{name: c.Name, typ: c.Type, row: -1, col: -1})
		}
	}
	for _, l := range f.Links {
		a, ok := g.index[l.From]
		b, there := g.index[l.To]
		if !ok || !there || a == b {
			continue
		}
		e := len(g.edges)
		g.edges = append(g.edges, edge{from: a, to: b, port: l.From + "." + l.Out})
		g.parts[a].out, g.parts[b].in = append(g.parts[a].out, e), append(g.parts[b].in, e)
		g.parts[a].joined, g.parts[b].joined = true, true
	}
	g.turnBack()
	g.rank()
	g.columns()
	g.aside()
	return g
}

// turnBack marks the edges that close circles.
func (g *graph) turnBack() {
	const white, grey, black = 0, 1, 2
	colour := make([]int, len(g.parts))
	var visit func(i int)
	visit = func(i int) {
		colour[i] = grey
		for _, e := range g.parts[i].out {
			switch to := g.edges[e].to; colour[to] {
			case grey:
				g.edges[e].back = true
			case white:
				visit(to)
			}
		}
		colour[i] = black
	}
	for i := range g.parts {
		if colour[i] == white && len(g.parts[i].in) == 0 {
			visit(i)
		}
	}
	for i := range g.parts {
		if colour[i] == white {
			visit(i)
		}
	}
}

// rank gives each component the row below all components that feed it.
func (g *graph) rank() {
	var row func(i int) int
	row = func(i int) int {
		p := &g.parts[i]
		if p.row >= 0 {
			return p.row
		}
		p.row = 0
		for _, e := range p.in {
			if !g.edges[e].back {
				p.row = max(p.row, row(g.edges[e].from)+1)
			}
		}
		return p.row
	}
	for i := range g.parts {
		if g.parts[i].joined {
			g.rows = max(g.rows, row(i)+1)
		}
	}
}

// columns puts the longest chain of components into the first column. It then puts the longest remaining chain into the
// first column with room for it, until no chain remains.
func (g *graph) columns() {
	type stretch struct{ from, to int }
	var taken [][]stretch
	for {
		chain := g.chain()
		if chain == nil {
			g.wide = len(taken)
			return
		}
		s := stretch{g.parts[chain[0]].row, g.parts[chain[len(chain)-1]].row}
		for _, e := range g.parts[chain[0]].in {
			s.from = min(s.from, g.parts[g.edges[e].from].row)
		}
		for _, e := range g.parts[chain[len(chain)-1]].out {
			s.to = max(s.to, g.parts[g.edges[e].to].row)
		}
		col := slices.IndexFunc(taken, func(list []stretch) bool {
			return !slices.ContainsFunc(list, func(o stretch) bool { return s.from < o.to && o.from < s.to || s == o })
		})
		if col < 0 {
			col, taken = len(taken), append(taken, nil)
		}
		taken[col] = append(taken[col], s)
		for _, i := range chain {
			g.parts[i].col = col
		}
	}
}

// chain returns the longest chain of components without a column.
func (g *graph) chain() []int {
	length, next := make([]int, len(g.parts)), make([]int, len(g.parts))
	order := make([]int, len(g.parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.parts[b].row - g.parts[a].row })
	best := -1
	for _, i := range order {
		if p := &g.parts[i]; !p.joined || p.col >= 0 {
			continue
		}
		length[i], next[i] = 1, -1
		for _, e := range g.parts[i].out {
			if to := g.edges[e].to; !g.edges[e].back && g.parts[to].col < 0 && length[to]+1 > length[i] {
				length[i], next[i] = length[to]+1, to
			}
		}
		if best < 0 || length[i] >= length[best] {
			best = i
		}
	}
	var list []int
	for i := best; i >= 0; i = next[i] {
		list = append(list, i)
	}
	return list
}

// aside puts components without a stream, such as generators, below the others.
func (g *graph) aside() {
	for i := range g.parts {
		if p := &g.parts[i]; !p.joined {
			p.row, p.col = g.rows, 0
			g.rows++
		}
	}
	g.wide = max(g.wide, 1)
}

// between reports whether a column has a component between two rows.
func (g *graph) between(col, above, below int) bool {
	return slices.ContainsFunc(g.parts, func(p part) bool { return p.col == col && p.row > above && p.row < below })
}
