package format

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Write writes a map in the form that GasTurb and GSP read. The third axis becomes beta: unchanged if its name is beta;
// (Xmax - X)/(Xmax - Xmin) of an R-line, because beta rises towards surge; (PR - PRmin)/(PRmax - PRmin) of a turbine's
// pressure ratio.
//
// It fails for a map with several stator settings, because these programs keep a file for each setting.
func (gasTurb) Write(w io.Writer, m *perfmap.Map) error {
	if len(m.Alpha) > 1 {
		return fmt.Errorf("map %q has %d stator settings (alpha); a file of GasTurb or GSP holds one: pick one of %s",
			m.Name, len(m.Alpha), numeric.List(m.Alpha))
	}
	if m.Kind == perfmap.Turbine && m.XName != "PR" {
		return fmt.Errorf("turbine map %q is over %s; GasTurb and GSP need PR", m.Name, m.XName)
	}
	g := newBetaAxis(m)
	var b strings.Builder
	fmt.Fprintf(&b, "99 %s; design Nc=%s beta=%s\n", oneComment(strings.ReplaceAll(m.Name, ";", ",")),
		numeric.Text(m.Design.Nc), numeric.Text(g.of(m.Design.X)))
	r := map[string]float64{"RNI1": 0.1, "f1": 1, "RNI2": 1, "f2": 1}
	if m.Origin != nil && hasAll(m.Origin.Parameters, r) {
		r = m.Origin.Parameters
	}
	fmt.Fprintf(&b, "Reynolds: RNI=%s f=%s RNI=%s f=%s\n", numeric.Text(r["RNI1"]), numeric.Text(r["f1"]),
		numeric.Text(r["RNI2"]), numeric.Text(r["f2"]))
	if m.Kind == perfmap.Turbine {
		for i, name := range []string{"Min Pressure Ratio", "Max Pressure Ratio"} {
			limit := []float64{m.X[0], numeric.Last(m.X)}[i]
			writeGasTurbTable(&b, name, m.Nc, []float64{0}, [][]float64{slices.Repeat([]float64{limit}, len(m.Nc))})
		}
	}
	for _, t := range []struct{ file, table string }{{"Mass Flow", m.FlowTable()}, {"Efficiency", "eff"},
		{"Pressure Ratio", "PR"}} {
		if i := m.Index(t.table); i >= 0 {
			writeGasTurbTable(&b, t.file, g.beta, m.Nc, g.rows(m, i))
		}
	}
	if flow, ratio := surgePolygon(m); len(flow) > 1 {
		writeGasTurbTable(&b, "Surge Line", flow, []float64{1}, [][]float64{ratio})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func hasAll(m, keys map[string]float64) bool {
	for k := range keys {
		if _, ok := m[k]; !ok {
			return false
		}
	}
	return true
}

// betaAxis is a map's third axis as beta.
type betaAxis struct {
	beta    []float64
	reverse bool
	of      func(x float64) float64
}

func newBetaAxis(m *perfmap.Map) betaAxis {
	lo, hi := m.X[0], numeric.Last(m.X)
	g := betaAxis{of: func(x float64) float64 { return x }}
	switch {
	case m.Kind == perfmap.Turbine:
		g.of = func(x float64) float64 { return (x - lo) / (hi - lo) }
	case m.XName != "beta":
		g.reverse = true
		g.of = func(x float64) float64 { return math.Round((hi-x)/(hi-lo)*1e12) / 1e12 } // short decimals stay short
	}
	for _, x := range m.X {
		g.beta = append(g.beta, g.of(x))
	}
	if g.reverse {
		slices.Reverse(g.beta)
	}
	return g
}

func (g betaAxis) rows(m *perfmap.Map, t int) [][]float64 {
	rows := make([][]float64, len(m.Nc))
	for r := range rows {
		rows[r] = slices.Clone(m.Row(t, 0, r))
		if g.reverse {
			slices.Reverse(rows[r])
		}
	}
	return rows
}

// surgePolygon returns the stall points of the speed lines by rising flow; none for a map without stall line. Between
// the points it is linear, as in [gasTurbTable.stallLine].
func surgePolygon(m *perfmap.Map) (flow, ratio []float64) {
	if m.Kind != perfmap.Compressor || !m.HasStall() {
		return nil, nil
	}
	w, p := m.Index("Wc"), m.Index("PR")
	for r, nc := range m.Nc {
		x := m.StallX(nc)
		f := polygon(m.X, m.Row(w, 0, r), x)
		if len(flow) > 0 && f <= numeric.Last(flow) {
			continue // a surge line is a function of the flow
		}
		flow, ratio = append(flow, f), append(ratio, polygon(m.X, m.Row(p, 0, r), x))
	}
	return flow, ratio
}

// writeGasTurbTable writes five numbers a line, as GSP's documents ask for.
func writeGasTurbTable(b *strings.Builder, name string, cols, heads []float64, rows [][]float64) {
	fmt.Fprintf(b, "%s\n", name)
	line := func(head string, v []float64) {
		fmt.Fprintf(b, " %s", head)
		for i, x := range v {
			if i > 0 && i%5 == 4 {
				b.WriteString("\n")
			}
			fmt.Fprintf(b, " %s", numeric.Text(x))
		}
		b.WriteString("\n")
	}
	line(fmt.Sprintf("%.5f", math.Round((float64(len(rows)+1)+float64(len(cols)+1)/1000)*1e5)/1e5), cols)
	for i, r := range rows {
		line(numeric.Text(heads[i]), r)
	}
	b.WriteString("\n")
}

func (gasTurb) Loss(m *perfmap.Map) []string {
	var l losses
	compressor := m.Kind == perfmap.Compressor
	ways := continuations(m.Extrap, " ")
	flow, _ := surgePolygon(m)
	l.add(m.Interp != perfmap.Monotone && m.Interp != "", "the interpolation "+string(m.Interp))
	l.add(ways != nil, "the extrapolation ("+strings.Join(ways, ", ")+")")
	l.add(len(m.Alpha) == 1 && m.Alpha[0] != 0, "the stator setting alpha "+numeric.Text(m.Alpha[0]))
	l.add(compressor && m.XName != "beta",
		"the axis "+m.XName+"; it becomes beta, 1 at "+m.XName+" "+numeric.Text(m.X[0]))
	l.add(compressor && m.HasStall() && len(flow) < len(m.Nc),
		"the stall points of speeds whose stall flow does not rise")
	for _, t := range m.Tables {
		l.add(!slices.Contains([]string{"Wc", "Wp", "PR", "eff"}, t.Name), "the table "+t.Name)
	}
	return append(l, originLoss(m)...)
}
