package document

// The engine's part of a page: drawing, performance, stations, components.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/report"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Engine is the results of all cases.
type Engine struct {
	Note  string
	Head  []Column
	Cases []Case
}

// Case is a case with its tables.
type Case struct {
	Name       string
	Anchor     string
	State      Badge
	Message    string
	Values     []string // by Engine.Head
	Zoom       []string
	Drawn      bool
	Stations   *Table
	Components *Table
}

// mostDrawn is how many cases are drawn; the others have their tables.
const mostDrawn = 6

// newEngine shows the kept results of a study.
func newEngine(k *report.Kept, sys unit.System) *Engine {
	e := &Engine{}
	if k.Results == nil || len(k.Results.Cases) == 0 {
		return e
	}
	cases := k.Results.Cases
	cat := components.Catalogue()
	var shown []int
	for i, q := range cat.Performance {
		if slices.ContainsFunc(cases, func(c *result.Result) bool {
			v, ok := c.Performance.Value(q.Name)
			return ok && v != 0
		}) {
			shown = append(shown, i)
			e.Head = append(e.Head, Column{q.Name, in(sys, q.Dim).Name()})
		}
	}
	for n, c := range cases {
		one := Case{Name: c.Name, Anchor: fmt.Sprintf("case-%d", n+1), State: stateOfCase(c), Message: messageOfCase(c)}
		for _, i := range shown {
			q := cat.Performance[i]
			text := "–"
			if v, ok := c.Performance.Value(q.Name); ok && (c.Converged || v != 0) {
				text = number(in(sys, q.Dim).FromSI(v), 5)
			}
			one.Values = append(one.Values, text)
		}
		one.Zoom = zoomOf(c)
		one.Stations, one.Components = stationsOf(k.Flow, c, sys), machinesOf(k.Flow, c, sys)
		one.Drawn = n < mostDrawn
		e.Cases = append(e.Cases, one)
	}
	if len(cases) > mostDrawn {
		e.Note = fmt.Sprintf("The first %d of %d cases are drawn; the tables are of all.", mostDrawn, len(cases))
	}
	return e
}

func stateOfCase(c *result.Result) Badge {
	switch {
	case c.Ended != nil:
		return Badge{"ended early", poor}
	case c.Cut:
		return Badge{"interrupted", poor}
	case !c.Converged:
		return Badge{"not converged", bad}
	case len(c.Limited) > 0:
		return Badge{"limited", fair}
	case c.History != nil:
		return Badge{"transient", good}
	}
	return Badge{"converged", good}
}

func messageOfCase(c *result.Result) string {
	var parts []string
	if c.Message != "" {
		parts = append(parts, c.Message)
	}
	if len(c.Limited) > 0 {
		parts = append(parts, "limited by "+strings.Join(c.Limited, " and "))
	}
	return strings.Join(append(parts, c.Missed...), "; ")
}

// zoomOf describes how the case was zoomed.
func zoomOf(c *result.Result) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(c.Zoom)) {
		z := c.Zoom[name]
		if z == nil {
			continue
		}
		text := fmt.Sprintf("%s zoomed by %s (%s): %d runs made, %d from the cache, %d failed; estimated error %.2g %%",
			name, z.Method, z.Fidelity, z.Runs+z.RunsEnds+z.RunsPrior, z.Cached+z.CachedEnds+z.CachedPrior,
			z.Failed+z.FailedPrior, 100*z.Error)
		if !z.ErrorHolds {
			text += ", which does not hold: too many runs are missing"
		}
		if z.Message != "" {
			text += "; " + z.Message
		}
		if u := c.Unzoomed; u != nil && u.Performance.Fn != 0 {
			text += "; Fn changes by " + change(c.Performance.Fn, u.Performance.Fn)
			if u.Performance.TSFC > 0 && c.Performance.TSFC > 0 {
				text += ", TSFC by " + change(c.Performance.TSFC, u.Performance.TSFC)
			}
		}
		list = append(list, text)
	}
	return list
}

// change writes by how much a value differs from another.
func change(v, from float64) string {
	if percent := 100 * (v/from - 1); math.Abs(percent) >= 0.005 {
		return strings.ReplaceAll(fmt.Sprintf("%+.2f %%", percent), "-", "−")
	}
	return "less than 0.01 %"
}

// stationsOf is the table of a case's stations, in the order of the components.
func stationsOf(f report.Flow, c *result.Result, sys unit.System) *Table {
	t := &Table{Head: []Column{{"port", ""}, {"station", ""}}}
	for _, q := range flow.Fields {
		t.Head = append(t.Head, Column{q.Name, in(sys, q.Dim).Name()})
	}
	place := map[string]int{}
	for i, p := range f.Components {
		place[p.Name] = i
	}
	ports := slices.SortedFunc(maps.Keys(c.Stations), func(a, b string) int {
		pa, _, dotted := strings.Cut(a, ".")
		pb, _, second := strings.Cut(b, ".")
		if dotted != second { // bleeds come last
			if dotted {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(place[pa], place[pb]), cmp.Compare(a, b))
	})
	for _, port := range ports {
		s := c.Stations[port]
		row := []string{port, s.Number}
		for _, q := range flow.Fields {
			v, ok := s.Value(q)
			text := ""
			if ok && (v != 0 || !q.Static) {
				text = number(in(sys, q.Dim).FromSI(v), 5)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t.withoutEmpty()
}

// machinesOf is the table of a case's turbomachines.
func machinesOf(f report.Flow, c *result.Result, sys unit.System) *Table {
	t := &Table{
		Head: []Column{
			{"component", ""}, {"PR", ""}, {"eff", ""}, {"effPoly", ""}, {"Wc", in(sys, unit.MassFlow).Name()},
			{"Nc", "rpm"}, {"SMN", "%"},
			{"power", in(sys, unit.Power).Name()}, {"map", ""}}}
	dims := map[string]unit.Dimension{"Wc": unit.MassFlow, "power": unit.Power}
	for _, p := range f.Components {
		v, ok := c.Components[p.Name]
		if !ok || v.Map == nil || v.Outputs == nil {
			continue
		}
		row := []string{p.Name}
		for _, h := range t.Head[1 : len(t.Head)-1] {
			text := ""
			if v.Has(h.Name) {
				x := v.Value(h.Name)
				if dim, ok := dims[h.Name]; ok {
					x = in(sys, dim).FromSI(x)
				}
				text = number(x, 4)
			}
			row = append(row, text)
		}
		where := v.Map.Name
		if v.Map.Extrapolated {
			where += " (extrapolated)"
		}
		t.Rows = append(t.Rows, append(row, where))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t.withoutEmpty()
}
