package dashboard

// A run in detail: below the table in a few lines, or on a page of its own.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/executive/view"
)

// lowerRows are the lines about the run that is pointed to, below the table.
func (m *Model) lowerRows(r *run, now time.Time) []row {
	title := " " + clean(r.Name) + " "
	rows := []row{{{m.rule(2), faint}, {title, strong}, {m.rule(m.width - 2 - width(title)), faint}}}
	rows = append(rows, m.stateRow(r), m.whereRow(r, now), m.residualRow(r), m.pressureRow(r))
	rows = append(rows, m.stripRows(r)...)
	rows = append(rows, m.lastRows(r, max(1, m.lower()-len(rows)))...)
	return rows[:min(len(rows), m.lower())]
}

func (m *Model) rule(n int) string { return strings.Repeat(m.pen.rule, max(0, n)) }

func (m *Model) stateRow(r *run) row {
	out := row{{label("state"), faint}, {r.state(), gradeStyle(r.grade())}}
	if why := clean(r.reason()); why != "" {
		out = append(out, span{": " + why, normal})
	}
	return out
}

// label returns the label of a line.
func label(text string) string { return pad(text, labelWidth-1) + " " }

const labelWidth = 11

func (m *Model) whereRow(r *run, now time.Time) row {
	var parts []string
	if r.Host != "" {
		text := "host " + r.Host
		if r.Waited >= time.Second {
			text += " after " + span1(r.Waited)
		}
		parts = append(parts, text)
	}
	if r.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", r.Attempt))
	}
	if r.iteration != 0 {
		parts = append(parts, "iteration "+iterationText(m, r, now, 0).text)
	}
	if left, iterations := r.left(); iterations > 0 {
		text := fmt.Sprintf("%.0f more", iterations)
		if b := r.judgement.Between; len(b) == 2 {
			text += fmt.Sprintf(" (%.0f to %.0f)", b[0], b[1])
		}
		if left > 0 {
			text += ", about " + span1(left) + " left"
		}
		parts = append(parts, text)
	}
	switch {
	case r.Phase == view.Running && !r.Began.IsZero() && now.After(r.Began):
		parts = append(parts, "since "+span1(now.Sub(r.Began)))
	case r.Phase == view.Over && !r.Began.IsZero() && r.Ended.After(r.Began):
		parts = append(parts, "took "+span1(r.Ended.Sub(r.Began)))
	}
	return row{{label("where"), faint}, {clean(strings.Join(parts, ", ")), normal}}
}

// residualRow draws the latest residuals, with the ends of the scale.
func (m *Model) residualRow(r *run) row {
	return m.trackRow("residual", &r.residual)
}

func (m *Model) trackRow(name string, t *track) row {
	out := row{{label(clean(name)), faint}}
	logs := t.values()
	if len(logs) == 0 {
		return append(out, span{"-", faint})
	}
	low, high := limits(logs)
	scale := fmt.Sprintf(" %.1e  (%s to %s)", t.last, power(low), power(high))
	return append(out, span{m.pen.spark(logs, max(8, min(latest, m.width-labelWidth-width(scale)-1))), normal},
		span{scale, normal})
}

func power(log float64) string { return fmt.Sprintf("%.0e", math.Pow(10, log)) }

// pressureRow shows flows and pressure ratio. The pressure ratio has a scale with marks at the values of the engine
// model.
func (m *Model) pressureRow(r *run) row {
	out := row{{label("flow, PR"), faint}}
	var parts []string
	for _, v := range []struct{ name, as string }{{"W_in", "W in"}, {"W_out", "W out"}} {
		if x, ok := r.Values[v.name]; ok {
			parts = append(parts, v.as+" "+number(x))
		}
	}
	pr, ok := r.Values["PR"]
	if ok {
		parts = append(parts, "PR "+number(pr))
	}
	if parts == nil {
		return m.monitoredRow(r)
	}
	out = append(out, span{strings.Join(parts, "  "), normal})
	marks := m.engineMarks(r)
	if !ok || marks == nil {
		return out
	}
	legend := " " + m.pen.mark + " engine"
	room := m.width - width(out.text()) - len("  1.000") - len("1.000") - width(legend)
	text, low, high := m.pen.gauge(pr, marks, min(30, max(8, room)))
	return append(out, span{fmt.Sprintf("  %.3f%s%.3f", low, text, high), normal}, span{legend, faint})
}

// monitoredRow shows the other reported values of a run without flows.
func (m *Model) monitoredRow(r *run) row {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		if monitored(name) {
			parts = append(parts, clean(name)+" "+number(r.Values[name]))
		}
	}
	return row{{label("values"), faint}, {strings.Join(parts, "  "), normal}}
}

// monitored reports whether a value is neither a place, a residual nor a part of a linear solver's work.
func monitored(name string) bool {
	word, _, _ := strings.Cut(name, "_")
	return !slices.Contains([]string{"iteration", "time", "clock", "cpu", "residual", "final", "inner", "target",
		"mesh", "continuity", "courant", "dt", "timescale"}, word)
}

// engineMarks returns the pressure ratios at which the engine model works in its cases.
func (m *Model) engineMarks(r *run) []float64 {
	return slices.Compact(slices.Sorted(maps.Values(m.board.engine[r.Component])))
}

// mostStrips is how many profiles are drawn of a run.
const mostStrips = 4

// stripRows draws profiles, such as the pressure along the blade, each on its scale.
func (m *Model) stripRows(r *run) (rows []row) {
	names := slices.Sorted(maps.Keys(r.strips))
	for _, name := range names[:min(len(names), mostStrips)] {
		low, high := limits(r.strips[name])
		scale := fmt.Sprintf(" %s to %s", number(low), number(high))
		if strings.HasPrefix(name, "Ps_") {
			scale += " Pa"
		}
		room := max(8, min(len(r.strips[name]), m.width-labelWidth-width(scale)-1))
		title := strings.TrimPrefix(strings.Replace(name, "Ps_blade", "Ps blade", 1), "_")
		rows = append(rows, row{{label(clean(title)), faint}, {m.pen.strip(r.strips[name], room), normal},
			{scale, normal}})
	}
	return rows
}

// lastRows are the last warning and the last lines, the latest first.
func (m *Model) lastRows(r *run, most int) []row {
	var rows []row
	for w := range r.warnings.back() {
		rows = append(rows, row{{label("warned"), faint}, {clean(w.text), doubtful}})
		break
	}
	name := "last"
	for l := range r.lines.back() {
		if len(rows) >= most {
			break
		}
		rows = append(rows, row{{label(name), faint}, {clean(l.words()), normal}})
		name = ""
	}
	return rows
}

// onePage is all that is known of a run.
func (m *Model) onePage(r *run, now time.Time) []row {
	rows := []row{{{clean(r.Name), strong}, {"  " + clean(r.Component), faint}}}
	rows = append(rows, m.stateRow(r))
	for _, why := range r.judgement.Reasons {
		for i, l := range wrap(clean(why), m.width-13) {
			mark := "- "
			if i > 0 {
				mark = "  "
			}
			rows = append(rows, row{{label(""), faint}, {mark + l, normal}})
		}
	}
	rows = append(rows, m.whereRow(r, now), m.pressureRow(r))
	if r.Folder != "" {
		rows = append(rows, row{{label("folder"), faint}, {clean(r.Folder), normal}})
	}
	rows = append(rows, m.stripRows(r)...)
	rows = append(rows, nil, row{{"residuals, the latest 100", strong}})
	for i := range r.each {
		rows = append(rows, m.trackRow(strings.TrimPrefix(r.each[i].name, "residual_"), &r.each[i].track))
	}
	rows = append(rows, m.valueRows(r)...)
	if len(r.warnings.items) > 0 {
		rows = append(rows, nil, row{{"warnings", strong}})
	}
	for w := range r.warnings.back() {
		rows = append(rows, row{{w.at.Format("15:04:05") + " ", faint}, {clean(w.text), doubtful}})
	}
	rows = append(rows, nil, row{{"last lines", strong}})
	for l := range r.lines.back() {
		rows = append(rows, row{{l.at.Format("15:04:05") + " ", faint}, {clean(l.words()), normal}})
	}
	m.scroll = max(0, min(m.scroll, len(rows)-(m.height-1)))
	return rows[m.scroll:]
}

// valueRows shows the values other than residuals, as many in a line as fit.
func (m *Model) valueRows(r *run) []row {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.Values)),
		func(name string) bool { return strings.HasPrefix(name, "residual") })
	if len(names) == 0 {
		return nil
	}
	longest := 0
	for _, n := range names {
		longest = max(longest, width(n)+9)
	}
	across := max(1, m.width/longest)
	rows := []row{nil, {{"values", strong}}}
	for i := 0; i < len(names); i += across {
		var line row
		for _, n := range names[i:min(len(names), i+across)] {
			line = append(line, span{pad(clean(n)+" "+number(r.Values[n]), longest), normal})
		}
		rows = append(rows, line)
	}
	return rows
}
