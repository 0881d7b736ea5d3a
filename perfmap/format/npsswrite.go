package format

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Write writes a map for NPSS's elements: CompressorRlineMap with TB_Wc, TB_PR and TB_eff, or TurbinePRmap with TB_Wp
// and TB_eff. Further tables of a fan's core stream become TB_PR_core and TB_eff_core, which NPSS does not use by
// itself.
func (npss) Write(w io.Writer, m *perfmap.Map) error {
	var b strings.Builder
	element, axes := "CompressorRlineMap", [3]string{"alphaMap", "NcMap", npssAxis(m) + "Map"}
	if m.Kind == perfmap.Turbine {
		element, axes = "TurbinePRmap", [3]string{"alphaMap", "NpMap", npssAxis(m) + "map"}
	}
	if m.Kind == perfmap.Turbine && len(m.Alpha) == 1 {
		axes[0] = "" // TurbinePRmap has no stator setting
	}
	b.WriteString("// Performance map, written by Peregrine. Units are those of the map's source.\n")
	for _, l := range (npss{}).Loss(m) {
		fmt.Fprintf(&b, "// Not in this file: %s\n", oneComment(l))
	}
	fmt.Fprintf(&b, "\nSubelement %s S_map {\n   description = %s;\n", element, npssText(m.Name))
	if axes[0] != "" {
		fmt.Fprintf(&b, "   alphaMapDes = %s;\n", numeric.Text(m.Design.Alpha))
	}
	fmt.Fprintf(&b, "   %sDes = %s;\n", axes[1], numeric.Text(m.Design.Nc))
	x := axes[2]
	if m.Kind == perfmap.Compressor {
		x = "RlineMap" // the element's name for it, whatever the axis is called
	}
	fmt.Fprintf(&b, "   %sDes = %s;\n", x, numeric.Text(m.Design.X))
	if m.Stall != nil {
		fmt.Fprintf(&b, "   RlineStall = %s;\n", numeric.Text(*m.Stall))
	}
	for t := range m.Tables {
		writeNPSSTable(&b, m, t, axes)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// npssName matches valid names in NPSS.
var npssName = regex.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// npssAxis is the axis of a map by a name of NPSS's: its own, or x.
func npssAxis(m *perfmap.Map) string {
	if npssName().MatchString(m.XName) {
		return m.XName
	}
	return "x"
}

func writeNPSSTable(b *strings.Builder, m *perfmap.Map, t int, axes [3]string) {
	name := m.Tables[t].Name
	var args []string
	for _, a := range axes {
		if a != "" {
			args = append(args, "real "+a)
		}
	}
	fmt.Fprintf(b, "\n   Table TB_%s(%s) {\n", name, strings.Join(args, ", "))
	values := name + "Map"
	if word, _, _ := strings.Cut(name, "_"); word == "PR" {
		values = name + "map"
	}
	indent := "      "
	for a, alpha := range m.Alpha {
		if axes[0] != "" {
			fmt.Fprintf(b, "      %s = %s {\n", axes[0], numeric.Text(alpha))
			indent = "         "
		}
		for r, nc := range m.Nc {
			fmt.Fprintf(b, "%s%s = %s {\n", indent, axes[1], numeric.Text(nc))
			fmt.Fprintf(b, "%s   %s = { %s }\n", indent, axes[2], numeric.Join(m.X, ", "))
			fmt.Fprintf(b, "%s   %s = { %s }\n%s}\n", indent, values, numeric.Join(m.Row(t, a, r), ", "), indent)
		}
		if axes[0] != "" {
			b.WriteString("      }\n")
		}
	}
	manner := npssManner(m)
	for i, a := range axes {
		if a != "" {
			fmt.Fprintf(b, "      %s.interp = %q;  %s.extrap = %q;\n", a, manner[i][0], a, manner[i][1])
		}
	}
	b.WriteString("   }\n")
}

// npssManner returns NPSS's words for the map's interpolation and extrapolation along its axes.
func npssManner(m *perfmap.Map) [3][2]string {
	main, alpha := m.Interp, cmp.Or(m.InterpAlpha, m.Interp)
	if main == perfmap.Monotone {
		main = perfmap.Lagrange3
	}
	if alpha == perfmap.Monotone {
		alpha = perfmap.Linear
	}
	word := func(c, fallback perfmap.Continuation) string {
		if c = cmp.Or(c, fallback); c == perfmap.Smooth {
			c = perfmap.Chord
		}
		return string(c)
	}
	e := m.Extrap
	return [3][2]string{
		{string(alpha), word(e.Alpha, perfmap.Hold)},
		{string(main), word(e.Nc, perfmap.Chord)},
		{string(main), word(e.X, perfmap.Chord)},
	}
}

func (npss) Loss(m *perfmap.Map) []string {
	var l losses
	turbine := m.Kind == perfmap.Turbine
	l.add(m.Interp == perfmap.Monotone, "the interpolation monotone; NPSS has none such, lagrange3 is written")
	for i, how := range []perfmap.Continuation{m.Extrap.Nc, m.Extrap.X} {
		axis := []string{"Nc", m.XName}[i]
		l.add(how == "" || how == perfmap.Smooth,
			"the smooth continuation outside the bounds of "+axis+"; linear is written")
	}
	l.add(npssAxis(m) != m.XName, "the name of the axis "+m.XName+"; x is written")
	l.add(turbine && len(m.Alpha) == 1 && m.Alpha[0] != 0, "the stator setting alpha "+numeric.Text(m.Alpha[0]))
	l.add(m.StallLine != nil, "the stall line, which is not at one "+m.XName+" for all speeds")
	l.add(turbine && m.XName != "PR", "the meaning of the axis "+m.XName+"; NPSS takes it for a pressure ratio")
	return append(l, originLoss(m)...)
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
