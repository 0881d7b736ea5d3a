package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/flow"
	"github.com/peregrine-sim/peregrine/config"
	"github.com/peregrine-sim/peregrine/config/quantity"
	"github.com/peregrine-sim/peregrine/config/unit"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/internal/table"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Table writes results as text tables: performance of all cases side by side, then each case's
// stations and components, the zoomed maps, and the warnings.
func Table(w io.Writer, r *result.Results, sys unit.System) error {
	t := &tables{sys: sys, cat: components.Catalogue(), results: r}
	fmt.Fprintf(&t.b, "%s\n\n", r.Engine)
	t.sideBySide(r.Cases)
	t.scaled(r)
	for _, c := range r.Cases {
		t.caseResult(c)
	}
	if err := t.maps(r.ZoomedMaps); err != nil {
		return err
	}
	t.warnings(r.Warnings)
	if r.Budget != nil {
		t.b.WriteString("\n" + table.Wrap("", "  ", r.Budget.String()))
	}
	return t.writeTo(w)
}

// sideBySide writes the performance of the cases, as many side by side as fit.
func (t *tables) sideBySide(cases []*result.Result) {
	for i, n := 0, t.together(cases); i < len(cases); i += n {
		if i > 0 {
			t.b.WriteByte('\n')
		}
		t.performance(cases[i:min(i+n, len(cases))])
	}
	t.limits(cases)
}

// maps writes the zoomed maps.
func (t *tables) maps(zoomed map[string]result.ScaledMap) error {
	for _, name := range slices.Sorted(maps.Keys(zoomed)) {
		fmt.Fprintf(&t.b, "\nmap built by zooming %s\n", name)
		if s := zoomed[name].Scale; s != perfmap.Unscaled && s != (perfmap.Scale{}) {
			fmt.Fprintf(&t.b, "  scaled to the engine's design point: value of the engine = factor x value of the "+
				"map\n  s_NcDes %.5g, s_WcDes %.5g, s_PRdes %.5g (of PR - 1), s_effDes %.5g\n", s.Nc, s.Wc, s.PR, s.Eff)
		}
		if err := zoomed[name].Map.Show(&t.b); err != nil {
			return err
		}
	}
	return nil
}

// Warnings writes warnings as Table does; without warnings it writes no output.
func Warnings(w io.Writer, all []result.Warning) error {
	var t tables
	t.warnings(all)
	return t.writeTo(w)
}

// warnings writes the warnings. They come last, so that they stay visible in a terminal.
func (t *tables) warnings(all []result.Warning) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(&t.b, "\n%s\n", spell.Count(len(all), "warning"))
	for _, w := range all {
		var where []string
		for _, s := range []string{w.Case, w.Component, w.Run} {
			if s != "" {
				where = append(where, s)
			}
		}
		subject := cmp.Or(strings.Join(where, ", "), "study")
		t.b.WriteString(table.Wrap("  ", "    ", fmt.Sprintf("%s: %s: %s (rule %s)", w.Severity, subject, w.Message,
			w.Rule)))
		for _, e := range w.Evidence {
			t.b.WriteString(table.Wrap("      ", "        ", e))
		}
	}
}

// Part is a part of the text on results: sentences, or a table.
type Part struct {
	Text  string
	Table *table.Table // nil: a text
}

type tables struct {
	b     strings.Builder // the text since the last part
	parts []Part
	sys   unit.System
	cat   *config.Catalogue

	results *result.Results // whose tables these are; nil: unknown
}

// put adds a table.
func (t *tables) put(g *table.Table) { t.parts = append(t.take(), Part{Table: g}) }

// take returns the parts so far.
func (t *tables) take() []Part {
	if t.b.Len() > 0 {
		t.parts = append(t.parts, Part{Text: t.b.String()})
		t.b.Reset()
	}
	return t.parts
}

// writeTo writes the parts as text. The result is an error as of a writer.
func (t *tables) writeTo(w io.Writer) error {
	for _, p := range t.take() {
		text := p.Text
		if p.Table != nil {
			text = p.Table.String()
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// grid begins a table whose first column is aligned left, the others right.
func grid(head ...string) *table.Table { return table.Indented("lr", head...) }

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
		case c.Cut && c.Converged:
			name += " (interrupted, not zoomed)"
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
	g := grid(head...)
	if zoomed {
		g.Head(sub...)
	}
	row := func(name string, dim unit.Dimension, get func(solution) (float64, bool)) {
		symbol, from := "%", func(v float64) float64 { return v }
		if dim != percents {
			symbol, from = t.unit(dim)
		}
		cells := []string{name, symbol}
		any := false
		for _, c := range cases {
			v, ok := get(solution{c.Stations, c.Components, c.Shafts, c.Performance})
			ok = ok && known(c, v)
			any = any || ok
			write := cell
			if dim == percents {
				write = tenths
			}
			cells = append(cells, write(ok, from(v)))
			if c.Unzoomed != nil {
				u, ok2 := get(solution(*c.Unzoomed))
				off := percent(ok && ok2, v, u)
				if ok && ok2 && dim == percents {
					off = fmt.Sprintf("%+.1f", v-u)
				}
				cells = append(cells, write(ok2, from(u)), off)
			}
		}
		if any {
			g.Row(cells...)
		}
	}
	t.flight(g, cases)
	if burner := t.first(cases, "burner"); burner != "" {
		row("T4", unit.Temperature, func(s solution) (float64, bool) {
			at, ok := s.Stations[burner+".out"]
			return at.Tt, ok
		})
	}
	for _, f := range t.cat.Performance {
		if !t.has(f.Name, cases) {
			continue
		}
		row(f.Name, f.Dim, func(s solution) (float64, bool) { return s.Performance.Value(f.Name) })
	}
	if len(cases) > 0 {
		for _, s := range cases[0].Order.Shafts {
			row("N "+s, unit.Speed, func(at solution) (float64, bool) {
				return at.Shafts[s]["N"], at.Shafts[s].Has("N")
			})
		}
		for _, name := range cases[0].Order.Components {
			row("SMN "+name, percents, func(s solution) (float64, bool) {
				c, ok := s.Components[name]
				ok = ok && c.Map != nil && c.Has("SMN")
				if !ok {
					return 0, false
				}
				return c.Value("SMN"), true
			})
		}
	}
	t.put(g)
}

func cell(ok bool, v float64) string {
	if !ok {
		return "-"
	}
	return digits(v)
}

// tenths writes a margin.
func tenths(ok bool, v float64) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}

func percent(ok bool, v, u float64) string {
	if !ok || u == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f%%", math.Round(1e4*(v/u-1))/100+0) // with + 0 no -0.00
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
	t.b.WriteString("\n" + table.Wrap("", "  ", fmt.Sprintf("%s: %s, %s (%s)", c.Name, c.Kind, state, effort(c))))
	if !c.Converged {
		t.b.WriteString("  these values are not a solution, but the last attempt; - marks a value that was not " +
			"reached\n")
	}
	t.stations(c, textFields)
	t.b.WriteByte('\n')
	t.components(c)
	t.machines(c)
	t.zooms(c)
}

// effort describes the solver's work and its last residual. A design that ended before Newton's method began has
// neither iterations nor a residual. If the last attempt could not begin its residual is unknown.
func effort(c *result.Result) string {
	switch {
	case !c.Converged && c.Solver.Iterations == 0:
		return spell.Count(c.Solver.Evaluations, "evaluation")
	case c.Solver.Unknown:
		return work(c)
	case c.Converged && c.Solver.Iterations == 0:
		return fmt.Sprintf("its starting values are the solution: %s, residual %.1e",
			spell.Count(c.Solver.Evaluations, "evaluation"), c.Solver.Residual)
	}
	return fmt.Sprintf("%s, residual %.1e", work(c), c.Solver.Residual)
}

func work(c *result.Result) string {
	return spell.Count(c.Solver.Iterations, "iteration") + ", " + spell.Count(c.Solver.Evaluations, "evaluation")
}

// known reports whether a value was computed. The last attempt of a failed case may have ended before its computation,
// which leaves 0.
func known(c *result.Result, v float64) bool { return c.Converged || v != 0 }

// fixed writes a number with so many decimals, "-" if it is not known.
func fixed(c *result.Result, decimals int, v float64) string {
	if !known(c, v) {
		return "-"
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// zooms writes how components were zoomed.
func (t *tables) zooms(c *result.Result) {
	for _, name := range c.Order.Components {
		if z := c.Zoom[name]; z != nil {
			note := ""
			switch {
			case !z.ErrorHolds:
				note = ", which does not hold: too many runs are missing"
			case z.Causes != nil:
				note = ", most of it from " + z.Causes.Greatest()
			}
			t.b.WriteString(table.Wrap("  ", "    ", fmt.Sprintf(
				"%s zoomed by %s (%s): %s made, %d from the cache, %d failed%s%s; estimated error %.2g %%%s", name,
				z.Method, z.Fidelity, spell.Count(z.Runs, "run"), z.Cached, z.Failed, inRounds(z)+earlierRuns(z),
				endRuns(z)+priorRuns(z), 100*z.Error, note)))
			if z.SMNError > 0 && c.Components[name].Has("SMN") {
				fmt.Fprintf(&t.b, "    SMN %.1f ± %.1f %%\n", c.Components[name].Value("SMN"), z.SMNError)
			}
			if z.Message != "" {
				t.b.WriteString(table.Wrap("    ", "    ", z.Message))
			}
			t.inTime(z.InTime)
		}
	}
}

// inRounds is in how many rounds the runs were made, in words.
func inRounds(z *result.ZoomResult) string {
	switch z.Rounds {
	case 0:
		return ""
	case 1:
		return ", in 1 round"
	}
	return fmt.Sprintf(", in %d rounds", z.Rounds)
}

// earlierRuns are the answers of earlier studies, in words.
func earlierRuns(z *result.ZoomResult) string {
	if z.RunsBefore == 0 {
		return ""
	}
	return fmt.Sprintf(", beside %d of earlier studies", z.RunsBefore)
}

// endRuns are the runs for the ends of speed lines, in words.
func endRuns(z *result.ZoomResult) string {
	if z.RunsEnds+z.CachedEnds == 0 {
		return ""
	}
	return fmt.Sprintf("; for the ends of its lines %d made, %d from the cache", z.RunsEnds, z.CachedEnds)
}

// priorRuns are the runs of cheaper solvers, in words.
func priorRuns(z *result.ZoomResult) string {
	if z.RunsPrior+z.CachedPrior == 0 {
		return ""
	}
	use := "of no use"
	if len(z.Priors) > 0 {
		use = strings.Join(z.Priors, ", ") + " corrected"
	}
	return fmt.Sprintf("; of cheaper solvers %d made, %d from the cache, %d failed, %s", z.RunsPrior, z.CachedPrior,
		z.FailedPrior, use)
}

// textFields are the quantities of a station in a text, which has no room for all.
var textFields = slices.DeleteFunc(slices.Clone(flow.Fields), func(f flow.Field) bool {
	return !slices.Contains([]string{"W", "Pt", "Tt", "FAR", "Ps", "MN", "A"}, f.Name)
})

func (t *tables) stations(c *result.Result, fields []flow.Field) {
	head, units := []string{"station", ""}, []string{"", ""}
	for _, f := range fields {
		symbol, _ := t.unit(f.Dim)
		head, units = append(head, f.Name), append(units, symbol)
	}
	g := grid(head...)
	g.Head(units...)
	for _, name := range c.Order.Stations {
		s := c.Stations[name]
		row := []string{name, s.Number}
		for _, f := range fields {
			_, from := t.unit(f.Dim)
			v, ok := s.Value(f)
			text := ""
			switch {
			case !ok:
			case f.Name == quantity.MN.Name:
				text = fixed(c, 4, v)
			case f.Name == quantity.FAR.Name && known(c, s.Pt): // air has a fuel-air ratio of 0
				text = fmt.Sprintf("%.5f", v)
			case f.Name == quantity.FAR.Name:
				text = "-"
			default:
				text = cell(known(c, v), from(v))
			}
			row = append(row, text)
		}
		g.Row(row...)
	}
	t.put(g)
}

// components writes the turbomachines.
func (t *tables) components(c *result.Result) {
	mf, fromW := t.unit(unit.MassFlow)
	po, fromPower := t.unit(unit.Power)
	g := grid("component", "PR", "eff", "effPoly", "Wc", "Nc", "SMN", "power", "map")
	g.Head("", "", "", "", mf, "rpm", "%", po, "")
	var beyond []string
	for _, name := range c.Order.Components {
		v := c.Components[name]
		if v.Map == nil || !v.Has("Nc") {
			continue
		}
		num := func(key string) float64 { // 0 for a value that this kind of machine lacks
			if !v.Has(key) {
				return 0
			}
			return v.Value(key)
		}
		smn := ""
		if v.Has("SMN") {
			smn = fixed(c, 1, v.Value("SMN"))
		}
		where := v.Map.Name
		if v.Map.Extrapolated {
			where += " (EXTRAPOLATED)"
			beyond = append(beyond, t.beyond(c, name))
		}
		of := func(key string, from func(float64) float64) string { return cell(known(c, num(key)), from(num(key))) }
		g.Row(name, fixed(c, 4, num("PR")), fixed(c, 4, num("eff")), fixed(c, 4, num("effPoly")),
			of("Wc", fromW), of("Nc", func(v float64) float64 { return v }), smn, of("power", fromPower), where)
		if v.Has("PR_core") {
			g.Row("  core", fixed(c, 4, num("PR_core")), fixed(c, 4, num("eff_core")), fixed(c, 4, num("effPoly_core")))
		}
	}
	t.put(g)
	if len(beyond) > 0 {
		t.b.WriteString(table.Wrap("  ", "    ", "EXTRAPOLATED: "+strings.Join(beyond, "; ")+"; beyond its bounds a "+
			"map is only a guess"))
	}
}
