package executive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// order sorts the parts so that each is evaluated after those it takes its
// stations, bleeds and powers from. Shaft speeds are unknowns or given, so a
// shaft comes after its clients.
func (m *Model) order() error {
	g := simple.NewDirectedGraph()
	id := map[string]int64{}
	for i, p := range m.parts {
		id[p.name] = int64(i)
		g.AddNode(simple.Node(i))
	}
	edge := func(from, to string) {
		if a, b := id[from], id[to]; a != b {
			g.SetEdge(g.NewEdge(simple.Node(a), simple.Node(b)))
		}
	}
	for _, l := range m.cfg.Links {
		edge(l.From.Component, l.To.Component)
	}
	for _, b := range m.cfg.Bleeds {
		edge(b.From, b.Name)
		if b.To != "" {
			edge(b.Name, b.To)
		}
	}
	for _, entries := range [][]config.ShaftEntry{m.cfg.Shafts, m.cfg.Buses} {
		for _, s := range entries {
			for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
				edge(e.Component, s.Name)
			}
		}
	}
	// The free stream goes first: nozzles read its pressure without a link.
	for i, p := range m.parts {
		if isAmbient(p) {
			for j, q := range m.parts {
				if q.decl.Free != nil && i != j {
					g.SetEdge(g.NewEdge(simple.Node(i), simple.Node(j)))
				}
			}
		}
	}
	// Among parts that do not depend on each other the file's order holds, so
	// that results do not depend on a map's.
	sorted, err := topo.SortStabilized(g, nil)
	if err != nil {
		var loops []string
		for _, c := range err.(topo.Unorderable) {
			var names []string
			for _, n := range c {
				names = append(names, m.parts[n.ID()].name)
			}
			loops = append(loops, strings.Join(names, ", "))
		}
		return fmt.Errorf("%s: the flow runs in a loop through %s", m.cfg.File, strings.Join(loops, "; and through "))
	}
	parts := make([]*part, len(sorted))
	for i, n := range sorted {
		parts[i] = m.parts[n.ID()]
	}
	m.parts = parts
	return nil
}

func isAmbient(p *part) bool {
	_, ok := p.comp.(*components.Ambient)
	return ok
}
