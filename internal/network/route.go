package network

import "slices"

// Routes finds the routes of messages: those of least latency + 1/bandwidth, summed over their links; of equal ones the
// route whose list of nodes is the first in order.
type Routes struct {
	graph *Graph
	tree  []branch  // by node; nil: the network is no tree
	down  []int32   // links of a route's second part, the last first
	to    [][]int32 // by block of destinations: of each node the first links of its routes to these; nil: not needed
	found []bool    // by destination
	kept  int       // tables
	block int       // destinations of a table
	ends  []int32   // nodes to which links lead
	links []float64 // costs of links
	cost  []float64 // of each node's way to the destination
	rank  []int32   // of the nodes by these costs, from 0
	heap  []waiting
	most  int // entries of all tables
}

// waiting is a node whose distance to the destination may still fall.
type waiting struct {
	cost float64
	node int32
}

// Limits of tables, whose entries take 4 bytes: with more than mostTable in all they begin anew. The routes of a node
// to neighbouring destinations are within a line of the processor's cache, unless a block of them is larger than
// wideBlock.
const (
	mostTable = 1 << 24
	lineBlock = 16
	wideBlock = 1 << 20
)

// sameCost is the relative difference at which two sums of costs are equal: their terms were added in another order.
const sameCost = 1e-12

// branch is a node of a tree: there is one way between two nodes, whatever the links cost.
type branch struct {
	parent, depth int32 // from node 0
	up, down      int32 // links to the parent and back
}

// asTree returns the nodes of a network that is a tree, with links both ways; nil: it is none.
func asTree(g *Graph) []branch {
	if len(g.Links) != 2*(g.Nodes-1) {
		return nil
	}
	tree, list := make([]branch, g.Nodes), make([]int32, 1, g.Nodes)
	tree[0] = branch{parent: -1}
	for i := 0; i < len(list); i++ {
		node := list[i]
		links, at := g.From(int(node))
		for k, l := range links {
			switch {
			case l.To == tree[node].parent:
				tree[node].up = int32(at + k)
			case l.To == 0 || tree[l.To].depth > 0: // a circle, or a link of one way
				return nil
			default:
				tree[l.To] = branch{node, tree[node].depth + 1, 0, int32(at + k)}
				list = append(list, l.To)
			}
		}
	}
	return tree
}

// NewRoutes returns the routes of a network. They are found when they are first needed.
func NewRoutes(g *Graph) *Routes {
	if tree := asTree(g); tree != nil {
		return &Routes{tree: tree}
	}
	return newTables(g)
}

// newTables returns the routes of any network.
func newTables(g *Graph) *Routes {
	r := &Routes{graph: g, block: lineBlock, found: make([]bool, g.Nodes), ends: make([]int32, len(g.Links)),
		links: make([]float64, len(g.Links)), most: mostTable}
	if lineBlock*g.Nodes > wideBlock {
		r.block = 1
	}
	r.to = make([][]int32, (g.Nodes+r.block-1)/r.block)
	for i, l := range g.Links {
		r.links[i], r.ends[i] = l.cost(), l.To
	}
	return r
}

// Append appends the links of a route, as places in Graph.Links.
func (r *Routes) Append(links []int32, from, to int) []int32 {
	if from == to {
		return links
	}
	if r.tree != nil {
		return r.climb(links, int32(from), int32(to))
	}
	if !r.found[to] {
		r.find(to)
	}
	table, place := r.to[to/r.block], to%r.block
	for node := from; node != to; {
		link := table[node*r.block+place]
		links = append(links, link)
		node = int(r.ends[link])
	}
	return links
}

// climb appends the route in a tree: up to the first node above both ends, then down.
func (r *Routes) climb(links []int32, from, to int32) []int32 {
	r.down = r.down[:0]
	for from != to {
		if a, b := &r.tree[from], &r.tree[to]; a.depth >= b.depth {
			links, from = append(links, a.up), a.parent
		} else {
			r.down, to = append(r.down, b.down), b.parent
		}
	}
	slices.Reverse(r.down)
	return append(links, r.down...)
}

// find finds all routes to a node.
func (r *Routes) find(to int) {
	g, of := r.graph, to/r.block
	if r.to[of] == nil {
		if (r.kept+1)*r.block*g.Nodes > r.most {
			clear(r.to)
			clear(r.found)
			r.kept = 0
		}
		r.to[of] = make([]int32, r.block*g.Nodes)
		r.kept++
	}
	r.found[to] = true
	r.distances(to)
	for node := range g.Nodes {
		list, at := g.From(node)
		for i, l := range list {
			// Costs do not tell which is closer: a small one is lost in the rounding of a large sum.
			closer := r.rank[l.To] < r.rank[node]
			if closer && r.links[at+i]+r.cost[l.To] <= r.cost[node]*(1+sameCost) {
				r.to[of][node*r.block+to%r.block] = int32(at + i)
				break
			}
		}
	}
}

// distances finds the cost of each node's way to a destination, and its rank (E. W. Dijkstra, A note on two problems in
// connexion with graphs, 1959).
func (r *Routes) distances(to int) {
	g := r.graph
	if r.cost == nil {
		r.cost, r.rank = make([]float64, g.Nodes), make([]int32, g.Nodes)
	}
	settled := int32(0)
	for i := range r.cost {
		r.cost[i] = -1 // unknown
	}
	r.heap = append(r.heap[:0], waiting{0, int32(to)})
	r.cost[to] = 0
	for len(r.heap) > 0 {
		w := r.pop()
		if w.cost > r.cost[w.node] {
			continue
		}
		r.rank[w.node] = settled
		settled++
		for _, k := range g.into[g.firstInto[w.node]:g.firstInto[w.node+1]] {
			from, cost := g.Links[k].From, w.cost+r.links[k]
			if known := r.cost[from]; known < 0 || cost < known {
				r.cost[from] = cost
				r.push(waiting{cost, from})
			}
		}
	}
}

func (r *Routes) push(w waiting) {
	h := append(r.heap, w)
	for i := len(h) - 1; i > 0 && h[i].cost < h[(i-1)/2].cost; i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
	r.heap = h
}

func (r *Routes) pop() waiting {
	h := r.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h[child+1].cost < h[child].cost {
			child++
		}
		if h[i].cost <= h[child].cost {
			break
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
	r.heap = h
	return top
}
