package config

import (
	"slices"
	"strings"
)

// reached records in r.touched what chains lead to, for connected.
func (r *reader) reached(hops []hop, taken map[Endpoint]Pos) {
	r.taken = taken
	r.touched = make(map[string]bool)
	for _, h := range hops {
		r.touched[h.from.component] = true
		r.touched[h.to.component] = true
	}
}

// connected reports components that no chain reaches and ports that must be connected and are not.
func (r *reader) connected(haveFlow bool) {
	if !haveFlow {
		return // the missing section was reported
	}
	for i := range r.engine.Components {
		c := &r.engine.Components[i]
		path := "components." + c.Name
		if len(flowPorts(c.Type)) == 0 {
			continue
		}
		if !r.touched[c.Name] {
			r.fail(c.Pos, path, c.Name, "no flow chain reaches it")
			continue
		}
		for _, p := range c.Type.Ports {
			if p.Kind != Flow || p.Bleed || p.Optional {
				continue
			}
			if _, ok := r.taken[Endpoint{c.Name, p.Name}]; !ok {
				r.fail(c.Pos, path, c.Name, "port %s.%s (%s) is connected to nothing; add it to a flow chain", c.Name, p.Name, side(p.Dir))
			}
		}
	}
}

func side(d Direction) string {
	if d == In {
		return "inlet"
	}
	return "outlet"
}

// loops reports flow that returns to where it came from, each loop once, by
// depth-first search: an arrow to a component still on the path closes one.
func (r *reader) loops() {
	next := make(map[string][]Link)
	for _, l := range r.engine.Links {
		next[l.From.Component] = append(next[l.From.Component], l)
	}
	done := make(map[string]bool)
	var trail []string
	var visit func(c string)
	visit = func(c string) {
		done[c] = true
		trail = append(trail, c)
		for _, l := range next[c] {
			to := l.To.Component
			if i := slices.Index(trail, to); i >= 0 {
				r.fail(l.Pos, "flow", "", "the flow runs in a loop: %s", strings.Join(append(slices.Clone(trail[i:]), to), " -> "))
			} else if !done[to] {
				visit(to)
			}
		}
		trail = trail[:len(trail)-1]
	}
	for i := range r.engine.Components {
		if c := r.engine.Components[i].Name; !done[c] {
			visit(c)
		}
	}
}
