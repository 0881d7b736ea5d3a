package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/peregrine-sim/peregrine/config/spell"
)

// stop is one component in a flow chain, with the port that was written, if any.
type stop struct {
	component, port string
	text            string
	pos             Pos
}

// hop is one arrow of a chain.
type hop struct{ from, to stop }

// flow reads the `flow` section: chains of components.
//
// Explicit ports are taken first, over the whole section, so that what a bare
// name means does not depend on the order of the chains. A bare name then means
// the port called out (in), or else the only one still free.
func (r *reader) flow(n ast.Node, path string) {
	var hops []hop
	for i, it := range r.items(n, path, "chains such as inlet -> fan -> duct") {
		hops = append(hops, r.chain(it, item(path, i))...)
	}
	taken := make(map[Endpoint]Pos)
	links := make([]Link, len(hops))
	for i, h := range hops {
		links[i].Pos = h.from.pos
		links[i].From = r.explicit(h.from, Out, taken)
		links[i].To = r.explicit(h.to, In, taken)
	}
	for i, h := range hops {
		if links[i].From.Component == "" {
			links[i].From = r.implied(h.from, Out, taken)
		}
		if links[i].To.Component == "" {
			links[i].To = r.implied(h.to, In, taken)
		}
	}
	for _, l := range links {
		if l.From.Port != "" && l.To.Port != "" {
			r.engine.Links = append(r.engine.Links, l)
		}
	}
	r.reached(hops, taken)
	r.loops()
}

// chain splits one chain into its arrows.
func (r *reader) chain(n ast.Node, path string) []hop {
	w, ok := r.word(n, path, "a chain such as inlet -> fan -> duct")
	if !ok {
		return nil
	}
	var stops []stop
	offset := 0
	for part := range strings.SplitSeq(w.text, "->") {
		name := strings.TrimSpace(part)
		at := w.at(offset + strings.Index(part, name))
		offset += len(part) + len("->")
		if name == "" {
			r.fail(at, path, w.text, "an arrow without a component on one side, want a chain such as inlet -> fan -> duct")
			return nil
		}
		c, port, _ := strings.Cut(name, ".")
		stops = append(stops, stop{component: c, port: port, text: name, pos: at})
	}
	if len(stops) < 2 {
		r.fail(w.pos, path, w.text, "no arrow, want a chain such as inlet -> fan -> duct")
		return nil
	}
	r.sides(stops, path)
	hops := make([]hop, 0, len(stops)-1)
	for i := range stops[1:] {
		from, to := stops[i], stops[i+1]
		if r.known(from) && r.known(to) {
			hops = append(hops, hop{r.side(from, Out), r.side(to, In)})
		}
	}
	return hops
}

// sides reports the components and ports of a chain that do not exist, and
// those at its ends that face the wrong way.
func (r *reader) sides(stops []stop, path string) {
	for i, s := range stops {
		n, ok := r.names[s.component]
		if !ok || n.what != "component" {
			r.fail(s.pos, path, s.text, "unknown component%s", spell.Hint(s.component, r.listNames("component")))
			continue
		}
		if n.entry == nil || s.port == "" {
			continue
		}
		p := n.entry.Port(s.port)
		switch {
		case p == nil || p.Kind != Flow:
			r.fail(s.pos, path, s.text, "%s has no such flow port%s", n.entry.article(), spell.Hint(s.port, flowPorts(n.entry)))
		case p.Bleed:
			r.fail(s.pos, path, s.text, "a bleed port; it belongs into bleeds, not into a flow chain")
		case i == 0 && p.Dir == In:
			r.fail(s.pos, path, s.text, "an inlet cannot begin a chain")
		case i == len(stops)-1 && p.Dir == Out:
			r.fail(s.pos, path, s.text, "an outlet cannot end a chain")
		}
	}
}

// known reports whether a stop is at a component whose ports are known.
func (r *reader) known(s stop) bool {
	n := r.names[s.component]
	if n.entry == nil || n.what != "component" {
		return false
	}
	if s.port == "" {
		return true
	}
	p := n.entry.Port(s.port)
	return p != nil && p.Kind == Flow && !p.Bleed
}

// side keeps a stop's port only on the side where it lies: in `a -> mixer.bypass -> b`
// the port says where a goes, and b comes from the mixer's outlet.
func (r *reader) side(s stop, dir Direction) stop {
	if s.port != "" && r.names[s.component].entry.Port(s.port).Dir != dir {
		s.port = ""
	}
	return s
}

// explicit takes a port that was written out; the zero Endpoint if none was.
func (r *reader) explicit(s stop, dir Direction, taken map[Endpoint]Pos) Endpoint {
	if s.port == "" {
		return Endpoint{}
	}
	return r.take(s, s.port, taken)
}

// take connects a port, once. The endpoint of a second time has no port.
func (r *reader) take(s stop, port string, taken map[Endpoint]Pos) Endpoint {
	e := Endpoint{s.component, port}
	if first, twice := taken[e]; twice {
		r.fail(s.pos, "flow", s.text, "port %s is already connected at line %d, column %d%s",
			e, first.Line, first.Column, r.others(s.component, port, taken))
		return Endpoint{Component: s.component}
	}
	taken[e] = s.pos
	return e
}

// others continues a message with the ports of the same direction that are still free.
func (r *reader) others(component, port string, taken map[Endpoint]Pos) string {
	t := r.names[component].entry
	free := r.free(component, t.Port(port).Dir, taken)
	if len(free) == 0 {
		return ""
	}
	return "; still free: " + strings.Join(free, ", ")
}

// implied takes the port that a bare name means.
func (r *reader) implied(s stop, dir Direction, taken map[Endpoint]Pos) Endpoint {
	t := r.names[s.component].entry
	usual, what := "out", "outlet"
	if dir == In {
		usual, what = "in", "inlet"
	}
	if p := t.Port(usual); p != nil && p.Kind == Flow && p.Dir == dir && !p.Bleed {
		return r.take(s, usual, taken)
	}
	free := r.free(s.component, dir, taken)
	switch {
	case len(free) == 1:
		return r.take(s, free[0], taken)
	case len(free) > 1:
		r.fail(s.pos, "flow", s.text, "%s has several free %ss, name one: %s", s.component, what,
			spell.List(prefixed(s.component+".", free), "or"))
	default:
		r.fail(s.pos, "flow", s.text, "%s has no free %s", s.component, what)
	}
	return Endpoint{Component: s.component}
}

// free returns a component's flow ports of a direction that nothing is connected to.
func (r *reader) free(component string, dir Direction, taken map[Endpoint]Pos) []string {
	var list []string
	for _, p := range r.names[component].entry.Ports {
		_, used := taken[Endpoint{component, p.Name}]
		if p.Kind == Flow && p.Dir == dir && !p.Bleed && !used {
			list = append(list, p.Name)
		}
	}
	return list
}

// flowPorts names the ports that a chain may use.
func flowPorts(t *Type) []string {
	var list []string
	for _, p := range t.Ports {
		if p.Kind == Flow && !p.Bleed {
			list = append(list, p.Name)
		}
	}
	return list
}

func prefixed(prefix string, words []string) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = prefix + w
	}
	return list
}

// listNames returns the names of a kind ("" for all), in alphabetical order.
func (r *reader) listNames(what string) []string {
	var list []string
	for k, n := range r.names {
		if what == "" || n.what == what {
			list = append(list, k)
		}
	}
	slices.Sort(list)
	return list
}
