// Package network holds the networks of parallel machines: processors and switches, the links between them, and the
// routes of messages. A network is of a regular shape (shape.go) or from a file (file.go).
package network

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Link is a link of one direction. A link both ways is two of them.
type Link struct {
	From, To  int32
	Latency   float64 // s
	Bandwidth float64 // B/s; +Inf: bytes take no time
}

// cost is what routes minimise: latency and the time of a byte, s.
func (l Link) cost() float64 { return l.Latency + 1/l.Bandwidth }

// Graph is a network. Nodes are numbered from 0, processors first, then switches.
type Graph struct {
	Processors int
	Nodes      int
	Links      []Link  // by From, then by To
	first      []int32 // place in Links of the first link from each node, and the number of links
	into       []int32 // links in the order of To
	firstInto  []int32
}

// Limits of a network: its links take 24 bytes each.
const (
	MostNodes = 1 << 21
	MostLinks = 1 << 23
)

// New makes a network of links. Its error joins all problems: links to nodes that do not exist, of a node with itself,
// or twice; latencies and bandwidths that are no times and no rates; nodes that cannot reach each other.
func New(processors, nodes int, links []Link) (*Graph, error) {
	if nodes > MostNodes || len(links) > MostLinks {
		return nil, fmt.Errorf("a network of %d nodes and %d links; at most %d and %d", nodes, len(links), MostNodes,
			MostLinks)
	}
	if processors < 1 || processors > nodes {
		return nil, fmt.Errorf("%d processors in a network of %d nodes", processors, nodes)
	}
	g := &Graph{Processors: processors, Nodes: nodes, Links: slices.Clone(links)}
	slices.SortStableFunc(g.Links, func(a, b Link) int {
		return cmp.Compare(int64(a.From)<<32|int64(a.To), int64(b.From)<<32|int64(b.To))
	})
	var list problems
	for i, l := range g.Links {
		if fault := l.fault(nodes); fault != "" {
			list.add(fmt.Errorf("link %d to %d: %s", l.From, l.To, fault))
		} else if i > 0 && l.From == g.Links[i-1].From && l.To == g.Links[i-1].To {
			list.add(fmt.Errorf("link %d to %d is there twice", l.From, l.To))
		}
	}
	if list.count == 0 {
		g.index()
		list.add(g.inPieces())
	}
	return g, list.join()
}

func (l Link) fault(nodes int) string {
	in := func(node int32) bool { return node >= 0 && int(node) < nodes }
	switch {
	case !in(l.From) || !in(l.To):
		return fmt.Sprintf("leads nowhere; nodes are 0 to %d", nodes-1)
	case l.From == l.To:
		return "leads back to its own node"
	case !(l.Latency >= 0) || math.IsInf(l.Latency, 1):
		return fmt.Sprintf("a latency of %v s", l.Latency)
	}
	return rateFault(l.Bandwidth)
}

// rateFault tells why a number is no bandwidth, or "".
func rateFault(rate float64) string {
	if !(rate > 0) || 1/rate == math.Inf(1) {
		return fmt.Sprintf("a bandwidth of %v B/s; want one above 0", rate)
	}
	return ""
}

func (g *Graph) index() {
	g.first, g.firstInto = make([]int32, g.Nodes+1), make([]int32, g.Nodes+1)
	for _, l := range g.Links {
		g.first[l.From+1]++
		g.firstInto[l.To+1]++
	}
	for i := range g.Nodes {
		g.first[i+1] += g.first[i]
		g.firstInto[i+1] += g.firstInto[i]
	}
	g.into = make([]int32, len(g.Links))
	next := slices.Clone(g.firstInto)
	for i, l := range g.Links {
		g.into[next[l.To]] = int32(i)
		next[l.To]++
	}
}

// From returns the links from a node, by To. The place of the first in Links is at.
func (g *Graph) From(node int) (links []Link, at int) {
	return g.Links[g.first[node]:g.first[node+1]], int(g.first[node])
}

// inPieces reports the first node that processor 0 does not reach, or that does not reach processor 0.
func (g *Graph) inPieces() error {
	for _, back := range []bool{false, true} {
		seen := make([]bool, g.Nodes)
		seen[0] = true
		for stack := []int32{0}; len(stack) > 0; {
			node := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			visit := func(other int32) {
				if !seen[other] {
					seen[other] = true
					stack = append(stack, other)
				}
			}
			if back {
				for _, k := range g.into[g.firstInto[node]:g.firstInto[node+1]] {
					visit(g.Links[k].From)
				}
				continue
			}
			for _, l := range g.Links[g.first[node]:g.first[node+1]] {
				visit(l.To)
			}
		}
		if i := slices.Index(seen, false); i >= 0 && back {
			return fmt.Errorf("the network is in pieces: no way from node %d to node 0", i)
		} else if i >= 0 {
			return fmt.Errorf("the network is in pieces: no way from node 0 to node %d", i)
		}
	}
	return nil
}

// mostProblems is the number of problems that are kept.
const mostProblems = 50

// problems collects errors; of more than mostProblems it keeps the number.
type problems struct {
	list  []error
	count int
}

func (p *problems) add(err error) {
	if err == nil {
		return
	}
	if p.count++; p.count <= mostProblems {
		p.list = append(p.list, err)
	}
}

func (p *problems) join() error {
	if p.count > mostProblems {
		p.list = append(p.list, fmt.Errorf("... and %d more", p.count-mostProblems))
	}
	return errors.Join(p.list...)
}
