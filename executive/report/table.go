package report

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
)

// Table writes results as text tables: performance of all cases side by side, then each case's
// stations and components, the zoomed maps, and the warnings.
func Table(w io.Writer, r *result.Results, sys unit.System) error {
	t := &tables{sys: sys, cat: components.Catalogue()}
	fmt.Fprintf(&t.b, "%s\n\n", r.Engine)
	t.performance(r.Cases)
	for _, c := range r.Cases {
		t.caseResult(c)
	}
	if err := t.maps(r.ZoomedMaps); err != nil {
		return err
	}
	t.warnings(r.Warnings)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// maps writes the zoomed maps.
func (t *tables) maps(zoomed map[string]result.ScaledMap) error {
	for _, name := range slices.Sorted(maps.Keys(zoomed)) {
		fmt.Fprintf(&t.b, "\nmap built by zooming %s\n", name)
		if err := zoomed[name].Map.Show(&t.b); err != nil {
			return err
		}
	}
	return nil
}

// warnings writes the warnings. They come last, so that they stay visible in a terminal.
func (t *tables) warnings(all []result.Warning) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(&t.b, "\n%s\n", counted(len(all), "warning"))
	for _, w := range all {
		var where []string
		for _, s := range []string{w.Case, w.Component, w.Run} {
			if s != "" {
				where = append(where, s)
			}
		}
		fmt.Fprintf(&t.b, "  %s: %s: %s (rule %s)\n", w.Severity, strings.Join(where, ", "), w.Message, w.Rule)
		for _, e := range w.Evidence {
			fmt.Fprintf(&t.b, "      %s\n", e)
		}
	}
}

type tables struct {
	b   strings.Builder
	sys unit.System
	cat *config.Catalogue
}

// grid is rows of cells, the first column left-aligned, the others right.
type grid [][]string

func (t *tables) grid(g grid) {
	var width []int
	for _, row := range g {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	for _, row := range g {
		line := ""
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-len([]rune(cell)))
			if i == 0 {
				line += "  " + cell + pad
			} else {
				line += "  " + pad + cell
			}
		}
		t.b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// digits writes a number with five significant digits, without exponent where
// that is readable.
func digits(v float64) string {
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a < 1e-4 || a >= 1e7 {
		return fmt.Sprintf("%.4e", v)
	}
	places := max(0, 4-int(math.Floor(math.Log10(math.Abs(v)))))
	return fmt.Sprintf("%.*f", places, v)
}

func (t *tables) unit(dim unit.Dimension) (symbol string, from func(float64) float64) {
	u := t.sys.Of(dim)
	return u.Name(), u.FromSI
}

// performance writes the cases side by side. A zoomed case is followed by the same case without
// zoom and their difference.
func (t *tables) performance(cases []*result.Result) {
	head := []string{"", ""}
	sub := []string{"", ""}
	zoomed := false
	for _, c := range cases {
		name := c.Name
		switch {
		case c.Ended != nil:
			name += " (ended early)"
		case !c.Converged:
			name += " (not converged)"
		case c.History != nil:
			name += " (end)"
		case len(c.Limited) > 0:
			name += " (limited)"
		}
		head, sub = append(head, name), append(sub, "")
		if c.Unzoomed != nil {
			zoomed = true
			sub[len(sub)-1] = "zoomed"
			head, sub = append(head, "", ""), append(sub, "no zoom", "diff")
		}
	}
	g := grid{head}
	if zoomed {
		g = append(g, sub)
	}
	row := func(name string, dim unit.Dimension, get func(result.Performance, map[string]result.Outputs) (float64, bool)) {
		symbol, from := t.unit(dim)
		cells := []string{name, symbol}
		any := false
		for _, c := range cases {
			v, ok := get(c.Performance, c.Shafts)
			any = any || ok
			cells = append(cells, cell(ok, from(v)))
			if c.Unzoomed != nil {
				u, ok2 := get(c.Unzoomed.Performance, c.Unzoomed.Shafts)
				cells = append(cells, cell(ok2, from(u)), percent(ok && ok2, v, u))
			}
		}
		if any {
			g = append(g, cells)
		}
	}
	for _, f := range t.cat.Performance {
		row(f.Name, f.Dim, func(p result.Performance, _ map[string]result.Outputs) (float64, bool) { return p.Value(f.Name) })
	}
	if len(cases) > 0 {
		for _, s := range cases[0].Order.Shafts {
			row("N "+s, unit.Speed, func(_ result.Performance, shafts map[string]result.Outputs) (float64, bool) {
				return shafts[s].Value("N"), true
			})
		}
	}
	t.grid(g)
}

func cell(ok bool, v float64) string {
	if !ok {
		return "-"
	}
	return digits(v)
}

func percent(ok bool, v, u float64) string {
	if !ok || u == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f%%", 100*(v/u-1))
}

func (t *tables) caseResult(c *result.Result) {
	state := "converged"
	if !c.Converged {
		state = "NOT CONVERGED: " + c.Message
	}
	if c.History != nil {
		t.transient(c)
		return
	}
	if len(c.Limited) > 0 {
		state += ", limited by " + strings.Join(c.Limited, " and ")
	}
	fmt.Fprintf(&t.b, "\n%s: %s, %s (%d iterations, %d evaluations, residual %.1e)\n", c.Name, c.Kind, state, c.Solver.Iterations, c.Solver.Evaluations, c.Solver.Residual)
	t.stations(c)
	t.b.WriteByte('\n')
	t.components(c)
	t.machines(c)
	t.zooms(c)
}

// zooms writes how components were zoomed.
func (t *tables) zooms(c *result.Result) {
	for _, name := range c.Order.Components {
		if z := c.Zoom[name]; z != nil {
			void := ""
			if !z.ErrorHolds {
				void = ", which does not hold: too many runs are missing"
			}
			fmt.Fprintf(&t.b, "  %s zoomed by %s (%s): %d runs made, %d from the cache, %d failed; estimated error %.2g %%%s\n",
				name, z.Method, z.Fidelity, z.Runs, z.Cached, z.Failed, 100*z.Error, void)
			if z.Message != "" {
				fmt.Fprintf(&t.b, "    %s\n", z.Message)
			}
			t.inTime(z.InTime)
		}
	}
}

func (t *tables) stations(c *result.Result) {
	mf, fromW := t.unit(unit.MassFlow)
	pr, fromP := t.unit(unit.Pressure)
	te, fromT := t.unit(unit.Temperature)
	ar, fromA := t.unit(unit.Area)
	g := grid{{"station", "", "W", "Pt", "Tt", "FAR", "Ps", "MN", "A"}, {"", "", mf, pr, te, "", pr, "", ar}}
	for _, name := range c.Order.Stations {
		s := c.Stations[name]
		row := []string{name, s.Number, digits(fromW(s.W)), digits(fromP(s.Pt)), digits(fromT(s.Tt)), fmt.Sprintf("%.5f", s.FAR)}
		if s.A > 0 {
			row = append(row, digits(fromP(s.Ps)), fmt.Sprintf("%.4f", s.MN), digits(fromA(s.A)))
		}
		g = append(g, row)
	}
	t.grid(g)
}

// components writes the turbomachines.
func (t *tables) components(c *result.Result) {
	mf, fromW := t.unit(unit.MassFlow)
	po, fromPower := t.unit(unit.Power)
	g := grid{{"component", "PR", "eff", "effPoly", "Wc", "Nc", "SMN", "power", "map"}, {"", "", "", "", mf, "rpm", "%", po, ""}}
	for _, name := range c.Order.Components {
		v := c.Components[name]
		if v.Map == nil {
			continue
		}
		num := func(key string) float64 { // 0 for what this kind of machine does not have
			if !v.Has(key) {
				return 0
			}
			return v.Value(key)
		}
		smn := ""
		if v.Has("SMN") {
			smn = fmt.Sprintf("%.1f", v.Value("SMN"))
		}
		where := v.Map.Name
		if v.Map.Extrapolated {
			where += " (EXTRAPOLATED)"
		}
		g = append(g, []string{name, fmt.Sprintf("%.4f", num("PR")), fmt.Sprintf("%.4f", num("eff")), fmt.Sprintf("%.4f", num("effPoly")),
			digits(fromW(num("Wc"))), digits(num("Nc")), smn, digits(fromPower(num("power"))), where})
		if v.Has("PR_core") {
			g = append(g, []string{"  core", fmt.Sprintf("%.4f", num("PR_core")), fmt.Sprintf("%.4f", num("eff_core")), fmt.Sprintf("%.4f", num("effPoly_core"))})
		}
	}
	t.grid(g)
}

// counted writes a number with its noun: 1 warning, 2 warnings.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
