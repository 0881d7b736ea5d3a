package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/internal/spell"
)

// hop is an arrow of a chain.
type hop struct{ from, to stop }

// flow is the `flow` section: chains of components.
func (r *reader) flow() document.Value {
	var hops []hop
	chain := document.Value{Read: func(n ast.Node, path string) { hops = append(hops, r.chain(n, path)...) }}
	chain.Schema = func() *jsonschema.Schema {
		return document.TextSchema("Such as: inlet -> fan.bypass -> duct. A name without a port means its port out " +
			"(in), or else its only free one.")
	}
	return r.Each("chains such as inlet -> fan -> duct", chain).Then(func(n ast.Node, _ string) {
		if _, list := n.(*ast.SequenceNode); !list {
			r.lostChain = true
		}
		r.connect(hops)
	})
}

// connect finds the ports at both ends of the arrows.
//
// Explicit ports are taken first, over the whole section, so that the meaning of a bare name does not depend on the
// order of the chains. A bare name is then the port called out (in), or else the only free port.
func (r *reader) connect(hops []hop) {
	taken := make(map[Endpoint]stop)
	links := make([]Link, len(hops))
	for i, h := range hops {
		links[i].Pos = h.from.pos
		links[i].From = r.explicit(h.from, Out, taken)
		links[i].To = r.explicit(h.to, In, taken)
	}
	for i, h := range hops {
		if links[i].From.Component == "" {
			if i > 0 && h.from.pos == hops[i-1].to.pos && links[i-1].To.Port != "" { // of the stream that it entered
				h.from.stream = r.names[h.from.component].entry.Port(links[i-1].To.Port).Stream
			}
			links[i].From = r.implied(h.from, Out, taken)
		}
		if links[i].To.Component == "" {
			links[i].To = r.implied(h.to, In, taken)
		}
	}
	for _, l := range links {
		if l.From.Port == "" || l.To.Port == "" {
			r.excused[l.From.Component], r.excused[l.To.Component] = true, true
			continue
		}
		r.engine.Links = append(r.engine.Links, l)
	}
	r.taken = taken
	r.loops()
}

// chain splits a chain into its arrows. It leaves out an arrow from or to a stop with a reported error. It also excuses
// the component at the other end from being connected, so that each error gives only one message.
func (r *reader) chain(n ast.Node, path string) []hop {
	w, ok := r.Word(n, path, "a chain such as inlet -> fan -> duct")
	if !ok {
		r.lostChain = true
		return nil
	}
	stops := r.stops(w, path)
	for i := range stops {
		stops[i].bad = stops[i].bad || !r.usable(stops[i], i == 0, i == len(stops)-1, path)
	}
	var hops []hop
	for i := range max(len(stops)-1, 0) {
		from, to := stops[i], stops[i+1]
		if from.bad || to.bad {
			r.excused[from.component], r.excused[to.component] = true, true
			continue
		}
		hops = append(hops, hop{r.side(from, Out), r.side(to, In)})
	}
	return hops
}

// arrow matches the separator between two components of a chain, and its common misspellings, such as -, => or a comma.
var arrow = regex.Lazy(`\s*(?:[-=–—]*>|→|[,;])\s*|\s+[-=–—]*\s*`)

// stops splits a chain at its arrows.
func (r *reader) stops(w document.Word, path string) []stop {
	var stops []stop
	add := func(begin, end int) {
		s := stop{text: w.Text[begin:end], pos: w.At(begin)}
		s.component, s.port, _ = strings.Cut(s.text, ".")
		if s.text == "" {
			s.bad = true
			r.Fail(s.pos, path, w.Text,
				"an arrow without a component on one side, want a chain such as inlet -> fan -> duct")
		}
		stops = append(stops, s)
	}
	begin := 0
	for _, at := range arrow().FindAllStringIndex(w.Text, -1) {
		if sign := strings.TrimSpace(w.Text[at[0]:at[1]]); sign != "->" {
			r.Fail(w.At(begin), path, w.Text[begin:], "want an arrow -> after %s", w.Text[begin:at[0]])
		}
		add(begin, at[0])
		begin = at[1]
	}
	if add(begin, len(w.Text)); len(stops) == 1 {
		stops[0].bad, r.lostChain = true, true
		r.Fail(w.Pos, path, w.Text, "no arrow, want a chain such as inlet -> fan -> duct")
	}
	return stops
}

// usable reports a stop at a missing component or port, or at the wrong end of the chain. It returns false, without a
// report, for a component of unknown type.
func (r *reader) usable(s stop, first, last bool, path string) bool {
	if s.bad {
		return false
	}
	n, ok := r.names[s.component]
	if !ok || n.what != "component" {
		known := r.listNames("component")
		r.Fail(s.pos, path, s.text, "unknown component%s", r.Hint(s.component, known))
		r.excused[spell.Nearest(s.component, slices.Values(known))] = true
		return false
	}
	if n.entry == nil || s.port == "" {
		return n.entry != nil
	}
	p := n.entry.Port(s.port)
	switch {
	case p == nil || p.Kind != Flow:
		r.Fail(s.pos, path, s.text, "%s has no such flow port%s", n.entry.Article(), r.Hint(s.port, flowPorts(n.entry)))
	case p.Internal:
		r.Fail(s.pos, path, s.text, "a place within the component, which can be read but not connected")
	case p.Bleed:
		r.Fail(s.pos, path, s.text, "a bleed port; it belongs into bleeds, not into a flow chain")
	case first && p.Dir == In:
		r.Fail(s.pos, path, s.text, "an inlet cannot begin a chain")
	case last && p.Dir == Out:
		r.Fail(s.pos, path, s.text, "an outlet cannot end a chain")
	default:
		return true
	}
	return false
}

// side keeps a stop's port only on the side of its direction: in `a -> mixer.bypass -> b` the port is the end of the
// first arrow, and b comes from the mixer's outlet.
func (r *reader) side(s stop, dir Direction) stop {
	if s.port == "" {
		return s
	}
	if p := r.names[s.component].entry.Port(s.port); p.Dir != dir {
		s.port, s.stream = "", p.Stream
	}
	return s
}

// explicit takes a port that was written out; the zero Endpoint if none was.
func (r *reader) explicit(s stop, dir Direction, taken map[Endpoint]stop) Endpoint {
	if s.port == "" {
		return Endpoint{}
	}
	return r.take(s, s.port, taken)
}

// take connects a port, once. The endpoint of a second time has no port.
func (r *reader) take(s stop, port string, taken map[Endpoint]stop) Endpoint {
	e := Endpoint{s.component, port}
	first, twice := taken[e]
	if !twice {
		taken[e] = s
		return e
	}
	if s.pos.Before(first.pos) { // explicit ports are taken first, wherever they stand
		s, first = first, s
	}
	r.Fail(s.pos, "flow", s.text, "port %s is connected already, at line %d, column %d%s",
		e, first.pos.Line, first.pos.Column, r.others(s.component, port, taken))
	return Endpoint{Component: s.component}
}

// others continues a message with the ports of the same direction that are still free.
func (r *reader) others(component, port string, taken map[Endpoint]stop) string {
	t := r.names[component].entry
	free := r.free(component, t.Port(port).Dir, taken)
	if len(free) == 0 {
		return ""
	}
	return "; still free: " + strings.Join(free, ", ")
}

// implied takes the port that a bare name means.
func (r *reader) implied(s stop, dir Direction, taken map[Endpoint]stop) Endpoint {
	t := r.names[s.component].entry
	usual, what := "out", "outlet"
	if dir == In {
		usual, what = "in", "inlet"
	}
	if p := t.Port(usual); p != nil && p.joins(dir) {
		return r.take(s, usual, taken)
	}
	free := r.free(s.component, dir, taken)
	if s.stream != 0 { // flow into a stream leaves by the same stream
		free = slices.DeleteFunc(free, func(port string) bool { return t.Port(port).Stream != s.stream })
	}
	switch {
	case len(free) == 1:
		return r.take(s, free[0], taken)
	case len(free) > 1 && dir == Out && slices.ContainsFunc(r.Problems, func(p *document.Problem) bool {
		return p.Pos == s.pos
	}): // once its inlet is named its outlet is known
	case len(free) > 1:
		r.Fail(s.pos, "flow", s.text, "%s has several free %ss, name one: %s", s.component, what,
			spell.List(prefixed(s.component+".", free), "or"))
	default:
		r.Fail(s.pos, "flow", s.text, "%s has no free %s", s.component, what)
	}
	return Endpoint{Component: s.component}
}

// free returns a component's unconnected flow ports of a direction.
func (r *reader) free(component string, dir Direction, taken map[Endpoint]stop) []string {
	var list []string
	for _, p := range r.names[component].entry.Ports {
		_, used := taken[Endpoint{component, p.Name}]
		if p.joins(dir) && !used {
			list = append(list, p.Name)
		}
	}
	return list
}

// chained reports whether a flow chain may use the port.
func (p *Port) chained() bool { return p.Kind == Flow && !p.Bleed && !p.Internal }

// joins reports whether a flow chain may use the port in that direction.
func (p *Port) joins(dir Direction) bool { return p.chained() && p.Dir == dir }

// flowPorts names the ports that a chain may use.
func flowPorts(t *Type) []string {
	var list []string
	for _, p := range t.Ports {
		if p.chained() {
			list = append(list, p.Name)
		}
	}
	return list
}

func prefixed(prefix string, words []string) []string {
	return convert.All(words, func(w string) string { return prefix + w })
}

// connected reports components that no chain reaches, and required ports without a connection.
func (r *reader) connected(haveFlow bool) {
	if !haveFlow || r.lostChain {
		return // the missing section, or the unreadable chain, was reported
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

// loops reports flow that returns to its origin, each loop once, by depth-first search: an arrow to a stream still on
// the path closes a loop. A component of several streams (a heat exchanger) may be passed in each.
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
