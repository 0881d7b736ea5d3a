package graph

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/peregrine-sim/peregrine/config"
)

// order sorts the parts, so that each is evaluated after the sources of its stations, bleeds and powers. Shaft speeds
// are unknowns or given, so that a shaft follows its clients. A part with early ports has two steps: these ports are
// evaluated before the part's other inlets are known.
func (m *Model) order() error {
	g := simple.NewDirectedGraph()
	id := map[string]int64{}
	early := map[config.Endpoint]int64{}
	steps := make([]step, len(m.Parts))
	for i, p := range m.Parts {
		id[p.Name] = int64(i)
		g.AddNode(simple.Node(i))
		steps[i] = step{p, p.Component.Eval}
	}
	join := func(a, b int64) {
		if a != b {
			g.SetEdge(g.NewEdge(simple.Node(a), simple.Node(b)))
		}
	}
	for i, p := range m.Parts {
		if e := p.Declaration.Early; e != nil {
			n := int64(len(steps))
			steps = append(steps, step{p, e.Eval})
			g.AddNode(simple.Node(n))
			join(n, int64(i))
			for _, port := range e.Ports {
				early[config.Endpoint{Component: p.Name, Port: port}] = n
			}
		}
	}
	at := func(e config.Endpoint) int64 {
		if n, ok := early[e]; ok {
			return n
		}
		return id[e.Component]
	}
	edge := func(from, to string) { join(id[from], id[to]) }
	for _, l := range m.Engine.Links {
		join(at(l.From), at(l.To))
	}
	for _, b := range m.Engine.Bleeds {
		edge(b.From, b.Name)
		if b.To != "" {
			edge(b.Name, b.To)
		}
	}
	for _, entries := range [][]config.ShaftEntry{m.Engine.Shafts, m.Engine.Buses} {
		for _, s := range entries {
			for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
				edge(e.Component, s.Name)
			}
		}
	}
	// The free stream is first: nozzles read its pressure without a link.
	for i, p := range m.Parts {
		if IsAmbient(p) {
			for j, q := range m.Parts {
				if q.Declaration.Free != nil && i != j {
					g.SetEdge(g.NewEdge(simple.Node(i), simple.Node(j)))
				}
			}
		}
	}
	// Parts that do not depend on each other keep the order of the file. So results do not
	// depend on the order of a Go map.
	sorted, err := topo.SortStabilized(g, nil)
	if err != nil {
		var loops []string
		for _, c := range err.(topo.Unorderable) {
			var names []string
			for _, n := range c {
				names = append(names, steps[n.ID()].part.Name)
			}
			loops = append(loops, strings.Join(names, ", "))
		}
		return fmt.Errorf("%s: the flow runs in a loop through %s", m.Engine.File,
			strings.Join(loops, "; and through "))
	}
	parts := make([]*Part, 0, len(m.Parts))
	place := make([]int, len(steps))
	for i, n := range sorted {
		place[n.ID()] = i
	}
	m.downstream = make([][]int, len(steps))
	for _, n := range sorted {
		s := steps[n.ID()]
		m.steps = append(m.steps, s)
		for next := g.From(n.ID()); next.Next(); {
			m.downstream[place[n.ID()]] = append(m.downstream[place[n.ID()]], place[next.Node().ID()])
		}
		if n.ID() < int64(len(m.Parts)) {
			parts = append(parts, s.part)
		}
	}
	m.Parts = parts
	return nil
}
