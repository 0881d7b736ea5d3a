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

// StallMargins returns the stall margins, in percent, of a point of a compressor map, from unscaled map values:
//
//	SMN = 100 ((Wc/Wc_stall)/(PR/PR_stall) - 1)   stall at the same Nc
//	SMW = 100 (PR_stall - PR)/PR                  stall at the same Wc
//
// The point and its stall point at the same speed come from [Map.State], also outside of the map, so that a point on
// the stall line has zero margin at any speed. A compressor with falling pressure is farther from stall than a
// compressor with rising pressure, and has margins as well.
//
// ok is false if the map has no stall line, or if it has no stall point at that flow within the map's speeds and half
// their span beyond. The latter happens far from stall at high speed; then only SMN is known. An unknown margin is NaN.
// Both are NaN at standstill, where a stalled compressor has no flow.
func (m *Map) StallMargins(alpha, nc, x float64) (smn, smw float64, ok bool) {
	if !m.HasStall() || m.Kind != Compressor {
		return nan, nan, false
	}
	var stack [12]Value
	out := stack[:]
	if len(m.Tables) > len(out) {
		out = make([]Value, len(m.Tables))
	}
	wc, at, _ := m.State(alpha, nc, x, out)
	wcStall, stall, _ := m.State(alpha, nc, m.StallX(nc), out)
	if wcStall <= 0 {
		return nan, nan, false
	}
	smn = 100 * (wc/wcStall/(at.PR/stall.PR) - 1)

	n, ok := m.stallSpeed(alpha, wc, out)
	if !ok {
		return smn, nan, false
	}
	_, pr := m.stallPoint(alpha, n, out)
	return smn, 100 * (pr - at.PR) / at.PR, true
}

// HasStall reports whether the map has a stall line.
func (m *Map) HasStall() bool { return m.Stall != nil || m.StallLine != nil }

// StallX returns X on the stall line at a speed: the only value of the map, or the linear interpolation between its
// speed lines (outside, the value of the nearest line). It is NaN without a stall line.
func (m *Map) StallX(nc float64) float64 {
	switch {
	case m.Stall != nil:
		return *m.Stall
	case m.StallLine == nil:
		return nan
	case len(m.Nc) == 1:
		return m.StallLine[0]
	}
	nc = numeric.Clamp(nc, m.Nc)
	i := numeric.Locate(m.Nc, nc)
	t := (nc - m.Nc[i]) / (m.Nc[i+1] - m.Nc[i])
	return m.StallLine[i]*(1-t) + m.StallLine[i+1]*t
}

// stallSpeed returns the speed whose stall point has the flow wc. The flow
// rises with speed along the stall line; bisection needs no more than that.
func (m *Map) stallSpeed(alpha, wc float64, out []Value) (float64, bool) {
	span := numeric.Last(m.Nc) - m.Nc[0]
	if len(m.Nc) == 1 {
		span = m.Nc[0]
	}
	lo, hi := max(m.Nc[0]-span/2, 0), numeric.Last(m.Nc)+span/2
	flow := func(nc float64) float64 {
		wc, _ := m.stallPoint(alpha, nc, out)
		return wc
	}
	if flow(lo) > wc || flow(hi) < wc {
		return 0, false
	}
	for range 60 {
		mid := (lo + hi) / 2
		if flow(mid) < wc {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2, true
}

// stallPoint returns flow and pressure ratio on the stall line at a speed. Above the map's highest speed the line
// continues linearly, as in [Map.At].
func (m *Map) stallPoint(alpha, nc float64, out []Value) (wc, pr float64) {
	x := m.StallX(nc)
	if nc > numeric.Last(m.Nc) {
		m.At(alpha, nc, x, out)
		return out[m.flow].V, out[m.Index("PR")].V
	}
	wc, s, _ := m.State(alpha, nc, x, out)
	return wc, s.PR
}
