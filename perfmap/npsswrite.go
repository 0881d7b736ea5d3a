package perfmap

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeNPSS writes a map as NPSS's elements read it: CompressorRlineMap with
// TB_Wc, TB_PR and TB_eff, or TurbinePRmap with TB_Wp and TB_eff. Further tables
// of a fan's core stream become TB_PR_core and TB_eff_core, which NPSS does not
// use by itself.
func writeNPSS(w io.Writer, m *Map) error {
	var b strings.Builder
	element, axes := "CompressorRlineMap", [3]string{"alphaMap", "NcMap", m.XName + "Map"}
	if m.Kind == Turbine {
		element, axes = "TurbinePRmap", [3]string{"alphaMap", "NpMap", m.XName + "map"}
	}
	if m.Kind == Turbine && len(m.Alpha) == 1 {
		axes[0] = "" // TurbinePRmap has no stator setting
	}
	fmt.Fprintf(&b, "// Performance map, written by Peregrine. Units are those of the map's source.\n")
	for _, l := range npssLoss(m) {
		fmt.Fprintf(&b, "// Not in this file: %s\n", oneComment(l))
	}
	fmt.Fprintf(&b, "\nSubelement %s S_map {\n   description = %s;\n", element, npssText(m.Name))
	if axes[0] != "" {
		fmt.Fprintf(&b, "   alphaMapDes = %s;\n", number(m.Design.Alpha))
	}
	fmt.Fprintf(&b, "   %sDes = %s;\n", axes[1], number(m.Design.Nc))
	x := axes[2]
	if m.Kind == Compressor {
		x = "RlineMap" // the element's name for it, whatever the axis is called
	}
	fmt.Fprintf(&b, "   %sDes = %s;\n", x, number(m.Design.X))
	if m.Stall != nil {
		fmt.Fprintf(&b, "   RlineStall = %s;\n", number(*m.Stall))
	}
	for t := range m.Tables {
		m.npssTable(&b, t, axes)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (m *Map) npssTable(b *strings.Builder, t int, axes [3]string) {
	name := m.Tables[t].Name
	var args []string
	for _, a := range axes {
		if a != "" {
			args = append(args, "real "+a)
		}
	}
	fmt.Fprintf(b, "\n   Table TB_%s(%s) {\n", name, strings.Join(args, ", "))
	values := name + "Map"
	if isRatio(name) {
		values = name + "map"
	}
	indent := "      "
	for a, alpha := range m.Alpha {
		if axes[0] != "" {
			fmt.Fprintf(b, "      %s = %s {\n", axes[0], number(alpha))
			indent = "         "
		}
		for r, nc := range m.Nc {
			fmt.Fprintf(b, "%s%s = %s {\n", indent, axes[1], number(nc))
			fmt.Fprintf(b, "%s   %s = { %s }\n", indent, axes[2], commas(m.X))
			fmt.Fprintf(b, "%s   %s = { %s }\n%s}\n", indent, values, commas(m.row(t, a, r)), indent)
		}
		if axes[0] != "" {
			b.WriteString("      }\n")
		}
	}
	manner := m.npssManner()
	for i, a := range axes {
		if a != "" {
			fmt.Fprintf(b, "      %s.interp = %q;  %s.extrap = %q;\n", a, manner[i].interp, a, manner[i].extrap)
		}
	}
	b.WriteString("   }\n")
}

type npssWords struct{ interp, extrap string }

// npssManner returns NPSS's words for how the map goes along its axes.
func (m *Map) npssManner() [3]npssWords {
	main := m.Interp
	if main == Monotone {
		main = Lagrange3
	}
	alpha := m.InterpAlpha
	if alpha == "" {
		if alpha = m.Interp; alpha == Monotone {
			alpha = Linear
		}
	}
	word := func(c, fallback Continuation) string {
		switch c {
		case "":
			c = fallback
		}
		if c == Smooth {
			c = Chord
		}
		return string(c)
	}
	return [3]npssWords{{string(alpha), word(m.Extrap.Alpha, Hold)}, {string(main), word(m.Extrap.Nc, Chord)}, {string(main), word(m.Extrap.X, Chord)}}
}

func npssLoss(m *Map) (lost []string) {
	if m.Interp == Monotone {
		lost = append(lost, "the interpolation monotone; NPSS has none such, lagrange3 is written")
	}
	for _, a := range []struct {
		axis string
		how  Continuation
	}{{"Nc", m.Extrap.Nc}, {m.XName, m.Extrap.X}} {
		if a.how == "" || a.how == Smooth {
			lost = append(lost, "the smooth continuation outside the bounds of "+a.axis+"; linear is written")
		}
	}
	if m.Kind == Turbine && len(m.Alpha) == 1 && m.Alpha[0] != 0 {
		lost = append(lost, "the stator setting alpha "+number(m.Alpha[0]))
	}
	if m.StallLine != nil {
		lost = append(lost, "the stall line, which is not at one "+m.XName+" for all speeds")
	}
	if m.Kind == Turbine && m.XName != "PR" {
		lost = append(lost, "the meaning of the axis "+m.XName+"; NPSS takes it for a pressure ratio")
	}
	return append(lost, originLoss(m)...)
}

// originLoss is what formats without a place for a map's origin lose.
func originLoss(m *Map) []string {
	if m.Origin == nil {
		return nil
	}
	return []string{"the map's origin (" + strings.TrimSpace(m.Origin.Method+" "+m.Origin.Source) + ")"}
}

// npssText writes text in quotes. NPSS's strings have no escapes.
func npssText(s string) string {
	return `"` + strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case r < ' ':
			return ' '
		}
		return r
	}, s) + `"`
}

// oneComment keeps text on its line.
func oneComment(s string) string { return strings.Join(strings.Fields(s), " ") }

func commas(v []float64) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = strconv.FormatFloat(v[i], 'g', -1, 64)
	}
	return strings.Join(parts, ", ")
}
