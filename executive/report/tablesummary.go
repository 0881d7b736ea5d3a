package report

// The summary of the cases without performance: flight condition, limits, scaled maps and operating points outside
// maps.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// solution is the result of a case, with or without zoom.
type solution result.Unzoomed

// percents is the dimension of margins, whose values are in percent.
const percents = unit.Dimension("percent")

// flight writes the flight conditions. It writes the difference from the standard day only if a case has one.
func (t *tables) flight(g *table.Table, cases []*result.Result) {
	row := func(name string, dim unit.Dimension, always bool, get func(*result.Flight) float64) {
		u := shownIn(t.sys, dim)
		cells := []string{name, u.Name()}
		for _, c := range cases {
			text := "-"
			if c.Flight != nil {
				v := get(c.Flight)
				always = always || v != 0
				text = digits(u.FromSI(v))
				if name == "Mach" {
					text = fmt.Sprintf("%.4g", v)
				}
			}
			cells = append(cells, text)
			if c.Unzoomed != nil {
				cells = append(cells, "", "")
			}
		}
		if always {
			g.Row(cells...)
		}
	}
	if !slices.ContainsFunc(cases, func(c *result.Result) bool { return c.Flight != nil }) {
		return
	}
	row("altitude", unit.Length, true, func(f *result.Flight) float64 { return f.Altitude })
	row("Mach", unit.None, true, func(f *result.Flight) float64 { return f.Mach })
	row("dTs", unit.TemperatureDiff, false, func(f *result.Flight) float64 { return f.DTs })
}

// first returns the first component of a type; empty: no such component.
func (t *tables) first(cases []*result.Result, typ string) string {
	for _, c := range cases {
		for _, name := range c.Order.Components {
			if c.Components[name].Type == typ {
				return name
			}
		}
	}
	return ""
}

// leastHeat is the least share of the fuel's heat, 43 MJ/kg, that an engine with shaft power as its product turns into
// that power. The power offtake of a thrust engine is less.
const leastHeat = 0.04

// has reports whether a quantity is meaningful for the engine. PSFC is meaningful if shaft power is the product. BPR is
// meaningful if a component divides the flow; a bleed that leaves the engine does not count.
func (t *tables) has(name string, cases []*result.Result) bool {
	switch name {
	case quantity.PSFC.Name:
		return slices.ContainsFunc(cases,
			func(c *result.Result) bool { return c.Performance.PSFC < 1/(leastHeat*43e6) })
	case quantity.BPR.Name:
		return slices.ContainsFunc(cases, func(c *result.Result) bool {
			for _, part := range c.Components {
				if typ := t.cat.Type(part.Type); typ != nil && divides(typ) {
					return true
				}
			}
			return false
		})
	}
	return true
}

// divides reports whether a component divides a stream into two.
func divides(typ *config.Type) bool {
	outlets := map[int]int{}
	for _, p := range typ.Ports {
		if p.Kind == config.Flow && p.Dir == config.Out && !p.Bleed && !p.Internal {
			outlets[p.Stream]++
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(outlets)), func(n int) bool { return n > 1 })
}

// limits writes the active limits.
func (t *tables) limits(cases []*result.Result) {
	for _, c := range cases {
		if len(c.Limited) > 0 {
			t.b.WriteString(table.Wrap("  ", "    ", fmt.Sprintf("%s is limited by %s", c.Name,
				strings.Join(c.Limited, " and "))))
		}
	}
}

// scaled lists the zoomed maps that are scaled to the design point, if a zoom therefore changes no value.
func (t *tables) scaled(r *result.Results) {
	for _, name := range slices.Sorted(maps.Keys(r.ZoomedMaps)) {
		if s := r.ZoomedMaps[name].Scale; s == perfmap.Unscaled || s == (perfmap.Scale{}) {
			continue
		}
		at := "there"
		for _, c := range r.Cases {
			if c.Kind == "design" {
				at = "in " + c.Name
			}
		}
		t.b.WriteString(table.Wrap("  ", "    ", fmt.Sprintf("The map of %s by zooming is scaled to the design point, "+
			"so that zooming does not change the performance %s; the scale factors are with the map below.", name, at)))
	}
}

// beyond describes how far a component works outside its map.
func (t *tables) beyond(c *result.Result, name string) string {
	text := fmt.Sprintf("%s is outside its map", name)
	if edge := c.MapEdges[name]; edge != 0 {
		text += fmt.Sprintf(" (%s)", edge)
	}
	if t.results == nil || c.MapEdges[name]&(perfmap.NcHigh|perfmap.NcLow) == 0 {
		return text
	}
	if m := t.results.Maps[name].Map; m != nil && m.Design.Nc > 0 {
		text += fmt.Sprintf(", at %.0f %% of its design's corrected speed; the map has %.0f to %.0f %%",
			100*c.Components[name].Map.Nc/m.Design.Nc, 100*m.Nc[0]/m.Design.Nc, 100*m.Nc[len(m.Nc)-1]/m.Design.Nc)
	}
	return text
}

// mostTogether is the largest number of columns, besides the names, that are put side by side.
const mostTogether = 9

// together is the number of cases that fit side by side.
func (t *tables) together(cases []*result.Result) int {
	most := 1
	for _, c := range cases {
		if c.Unzoomed != nil {
			most = 3
		}
	}
	return max(1, mostTogether/most)
}
