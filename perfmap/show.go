package perfmap

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/table"
)

// Show writes a readable summary of the map: its design point, its limits, a row for each speed line, and its origin.
func (m *Map) Show(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s map, %s interpolation\n", m.Name, m.Kind, m.Interp)
	if len(m.Nc) == 1 {
		fmt.Fprintf(&b, "  Nc %.4g (one line; fan laws beside it)", m.Nc[0])
	} else {
		fmt.Fprintf(&b, "  Nc %.4g to %.4g (%d lines)", m.Nc[0], numeric.Last(m.Nc), len(m.Nc))
	}
	fmt.Fprintf(&b, ", %s %.4g to %.4g (%d points)", m.XName, m.X[0], numeric.Last(m.X), len(m.X))
	if len(m.Alpha) > 1 {
		fmt.Fprintf(&b, ", alpha %.4g to %.4g (%d planes; shown: %.4g)", m.Alpha[0], numeric.Last(m.Alpha),
			len(m.Alpha), m.Design.Alpha)
	}
	fmt.Fprintf(&b, "\n  design: Nc %.4g, %s %.4g", m.Design.Nc, m.XName, m.Design.X)
	for _, t := range m.Tables {
		v, _ := m.Value(t.Name, m.Design)
		fmt.Fprintf(&b, ", %s %.5g", t.Name, v.V)
	}
	b.WriteString("\n")
	if smn, smw, ok := m.StallMargins(m.Design.Alpha, m.Design.Nc, m.Design.X); ok {
		fmt.Fprintf(&b, "  stall line: %s %.4g; at the design point SMN %.1f %%, SMW %.1f %%\n", m.XName,
			m.StallX(m.Design.Nc), smn, smw)
	}
	b.WriteString("\n")
	m.showLines(&b)
	if m.Origin != nil {
		b.WriteString("\n")
		showOrigin(&b, m.Origin)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// showLines writes the ends and the best efficiency of every speed line.
func (m *Map) showLines(b *strings.Builder) {
	flow := m.FlowTable()
	first, end := "first", "last"
	if m.Kind == Compressor {
		first, end = "stall side", "choke side"
		line := m.Row(m.Index("PR"), 0, numeric.Locate(m.Nc, m.Design.Nc))
		if line[0] < numeric.Last(line) { // beta rises towards stall, R-lines towards choke
			first, end = end, first
		}
	}
	axis := m.XName
	if m.Kind == Turbine {
		axis = "PR"
	}
	t := table.New("r", "Nc", flow, "PR", flow, "PR", "eff", "best eff", axis)
	t.Indent = "    "
	fmt.Fprintf(b, "  %s and %s of each speed line, and its best efficiency\n", first, end)
	for _, nc := range m.Nc {
		at := func(name string, x float64) float64 {
			if name == "PR" && m.Kind == Turbine {
				return x
			}
			v, _ := m.Value(name, Point{Alpha: m.Design.Alpha, Nc: nc, X: x})
			return v.V
		}
		best, place := 0.0, m.X[0]
		for _, x := range m.X {
			if e := at("eff", x); e > best {
				best, place = e, x
			}
		}
		a, z := m.X[0], numeric.Last(m.X)
		t.Row(strings.Split(fmt.Sprintf("%.4g,%.5g,%.4g,%.5g,%.4g,%.4f,%.4f,%.4g", nc, at(flow, a), at("PR", a),
			at(flow, z), at("PR", z), at("eff", z), best, place), ",")...)
	}
	b.WriteString(t.String())
}

func showOrigin(b *strings.Builder, o *Origin) {
	fmt.Fprintf(b, "  origin: %s", o.Method)
	if o.Source != "" {
		fmt.Fprintf(b, ", %s", o.Source)
	}
	b.WriteString("\n")
	for _, n := range o.Notes {
		fmt.Fprintf(b, "    note: %s\n", n)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Parameters)) {
		fmt.Fprintf(b, "    %s %.6g\n", k, o.Parameters[k])
	}
	for _, k := range slices.Sorted(maps.Keys(o.Versions)) {
		fmt.Fprintf(b, "    %s %s\n", k, o.Versions[k])
	}
	for _, p := range o.Points {
		fmt.Fprintf(b, "    run %s: Nc %.4g, X %.4g, error %.2g", p.Run, p.Nc, p.X, p.Error)
		if p.Answer != "" {
			fmt.Fprintf(b, ", answer %.12s", p.Answer)
		}
		if p.Steered {
			b.WriteString(", steered")
		}
		b.WriteString("\n")
	}
}
