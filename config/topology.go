package config

import (
	"slices"
	"strings"
)

// connected reports components that no chain reaches and ports that must be connected and are not.
func (r *reader) connected(haveFlow bool) {
	if !haveFlow {
		return // the missing section was reported
	}
	for i := range r.engine.Components {
		c := &r.engine.Components[i]
		path := "components." + c.Name
		if len(flowPorts(c.Type)) == 0 || r.excused[c.Name] {
			continue
		}
		open := r.open(c)
		if len(open) == len(flowPorts(c.Type)) {
			r.Fail(c.Pos, path, c.Name, "no flow chain reaches it")
			continue
		}
		for _, p := range open {
			if !p.Optional {
				r.Fail(c.Pos, path, p.Name, "%s %s.%s is connected to nothing; add it to a flow chain", side(p.Dir),
					c.Name, p.Name)
			}
		}
	}
}

// open returns the ports of a component that a chain could use and none does.
func (r *reader) open(c *Component) []*Port {
	var list []*Port
	for i := range c.Type.Ports {
		p := &c.Type.Ports[i]
		if _, used := r.taken[Endpoint{c.Name, p.Name}]; p.chained() && !used {
			list = append(list, p)
		}
	}
	return list
}

func side(d Direction) string {
	if d == In {
		return "inlet"
	}
	return "outlet"
}

// loops reports flow that returns to where it came from, each loop once, by
// depth-first search: an arrow to a stream still on the path closes one. A
// component of several streams (a heat exchanger) may be passed in each.
func (r *reader) loops() {
	type stream struct {
		component string
		number    int
	}
	at := func(e Endpoint) stream { return stream{e.Component, r.names[e.Component].entry.Port(e.Port).Stream} }
	next := make(map[stream][]Link)
	for _, l := range r.engine.Links {
		next[at(l.From)] = append(next[at(l.From)], l)
	}
	done := make(map[stream]bool)
	var trail []stream
	var visit func(c stream)
	visit = func(c stream) {
		done[c] = true
		trail = append(trail, c)
		for _, l := range next[c] {
			to := at(l.To)
			if i := slices.Index(trail, to); i >= 0 {
				var names []string
				for _, s := range append(slices.Clone(trail[i:]), to) {
					names = append(names, s.component)
				}
				r.Fail(l.Pos, "flow", "", "the flow runs in a loop: %s", strings.Join(names, " -> "))
			} else if !done[to] {
				visit(to)
			}
		}
		trail = trail[:len(trail)-1]
	}
	for i := range r.engine.Components {
		c := &r.engine.Components[i]
		for j := range c.Type.Ports {
			if s := (stream{c.Name, c.Type.Ports[j].Stream}); c.Type.Ports[j].Kind == Flow && !done[s] {
				visit(s)
			}
		}
	}
}
