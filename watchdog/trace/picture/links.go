package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"github.com/peregrine-sim/peregrine/internal/network"
	"github.com/peregrine-sim/peregrine/internal/paper"
	"github.com/peregrine-sim/peregrine/watchdog/trace"
)

// mostLinks is the number of rows of a picture of links.
const mostLinks = 64

// load is the bytes, or the messages, that are under way on a link.
type load struct {
	name     string
	underWay trace.Quantity
	instants []trace.Step // messages that take no time, which a picture shows all the same
	sum      float64
}

// add adds an amount for the time in which a message is under way.
func (l *load) add(s *trace.Stats, m *trace.Message, amount float64) {
	l.sum += amount
	l.underWay.Add(s, m, amount)
	if m.Received <= m.Sent && amount > 0 {
		l.instants = append(l.instants, trace.Step{Begin: m.Sent, End: m.Sent, Value: amount})
	}
}

// steps are the times and instants for which the load is above 0, and its most.
func (l *load) steps() (above []trace.Step, most float64) {
	above, most = l.underWay.Steps()
	for _, x := range l.instants {
		most = max(most, x.Value)
	}
	return append(above, l.instants...), most
}

// loads returns the loads of the links that messages take, of the most bytes first. A message is on all links of its
// route from the begin of its send to the end of its receive.
func (o *Options) loads(s *trace.Stats) []*load {
	list := map[string]*load{}
	put := func(name string, m *trace.Message) {
		l := list[name]
		if l == nil {
			l = &load{name: name}
			list[name] = l
		}
		l.add(s, m, float64(m.Bytes))
	}
	route := o.router()
	for i := range s.Messages {
		m := &s.Messages[i]
		links, drawn := route(m)
		for _, k := range links {
			if l := o.Network.Graph.Links[k]; !math.IsInf(l.Bandwidth, 1) {
				put(o.Network.node(l.From)+">"+o.Network.node(l.To), m)
			}
		}
		if drawn && o.Network == nil {
			put(m.From+">"+m.To, m)
		}
	}
	return slices.SortedFunc(maps.Values(list), func(a, b *load) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.name, b.name))
	})
}

// router returns the function that finds the links of a message. drawn is false if one of its ends has no row.
func (o *Options) router() func(m *trace.Message) (links []int32, drawn bool) {
	at := map[string]int{}
	for i, name := range o.Rows {
		at[name] = o.at[i]
	}
	var routes *network.Routes
	if o.Network != nil {
		routes = network.NewRoutes(o.Network.Graph)
	}
	return func(m *trace.Message) (links []int32, drawn bool) {
		from, there := at[m.From]
		to, also := at[m.To]
		if !there || !also {
			return nil, false
		}
		if routes != nil {
			links = routes.Append(nil, from, to)
		}
		return links, true
	}
}

func links(s *trace.Stats, o *Options) *plot.Plot {
	list := slices.DeleteFunc(o.loads(s), func(l *load) bool { return l.sum == 0 })
	all := len(list)
	list = list[:min(all, mostLinks)]
	slices.SortFunc(list, func(a, b *load) int { return compareLinks(a.name, b.name) })
	names := make([]string, len(list))
	above, highest := make([][]trace.Step, len(list)), 1.0
	for i, l := range list {
		var most float64
		above[i], most = l.steps()
		names[i], highest = l.name, max(highest, most)
	}
	of := "links"
	if all > mostLinks {
		of = fmt.Sprintf("the %d busiest of %d links", mostLinks, all)
	}
	title := "Bytes under way on " + of + "; the darkest is " + size(int64(highest))
	if all == 0 {
		title = "No bytes are under way"
	}
	p, drawn := panel(s, names, title, 1)
	for i := range list {
		for _, x := range above[i] {
			drawn.box(x.Begin, x.End, -float64(i)-0.42, -float64(i)+0.42, paper.Fill(1-x.Value/highest))
		}
	}
	return drawn.on(p)
}

// compareLinks orders names of links by the numbers of their ends.
func compareLinks(a, b string) int {
	fromA, toA, _ := strings.Cut(a, ">")
	fromB, toB, _ := strings.Cut(b, ">")
	return cmp.Or(trace.ProcessNumber(fromA, fromB), trace.ProcessNumber(toA, toB))
}
