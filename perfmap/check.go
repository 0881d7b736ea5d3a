package perfmap

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Part is a part of a map beside its axes and tables.
type Part string

const (
	DesignPart Part = "design point"
	StallPart  Part = "stall line"
	ExtrapPart Part = "extrapolation"
)

// Error is a fault of a map, with its place.
type Error struct {
	Map   string // name of the map
	Part  Part   // empty: a table, an axis or the map as a whole
	Table string // table or axis ("alpha", "Nc", the X axis' name); empty: none
	Alpha int    // index of the alpha plane; -1: none
	Row   int    // index of the speed line; -1: none
	Col   int    // index along the row or axis; -1: none
	Nc    float64
	Msg   string
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "map %q", e.Map)
	if e.Table != "" {
		fmt.Fprintf(&b, ": %s", e.Table)
	}
	if e.Row >= 0 {
		fmt.Fprintf(&b, ", row %d (Nc %g)", e.Row+1, e.Nc)
	}
	if e.Alpha > 0 {
		fmt.Fprintf(&b, " of alpha plane %d", e.Alpha+1)
	}
	if e.Col >= 0 {
		fmt.Fprintf(&b, ", value %d", e.Col+1)
	}
	return b.String() + ": " + e.Msg
}

func (m *Map) fault(format string, args ...any) *Error {
	return &Error{Map: m.Name, Alpha: -1, Row: -1, Col: -1, Msg: fmt.Sprintf(format, args...)}
}

func (m *Map) partFault(part Part, format string, args ...any) *Error {
	e := m.fault(format, args...)
	e.Part = part
	return e
}

func (m *Map) rowFault(table string, alpha, row, col int, format string, args ...any) *Error {
	return &Error{Map: m.Name, Table: table, Alpha: alpha, Row: row, Col: col, Nc: m.Nc[row],
		Msg: fmt.Sprintf(format, args...)}
}

// check returns the first fault of m, or nil.
func (m *Map) check() error {
	for _, f := range []func() error{m.checkKind, m.checkAxes, m.checkTables, m.checkDesign, m.checkCrossing} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Map) checkKind() error {
	if m.Kind != Compressor && m.Kind != Turbine {
		return m.fault("kind %q is neither %q nor %q", m.Kind, Compressor, Turbine)
	}
	if !slices.Contains([]Interp{Monotone, Linear, Lagrange2, Lagrange3}, m.Interp) {
		return m.fault("interp %q is none of %q, %q, %q, %q", m.Interp, Monotone, Linear, Lagrange2, Lagrange3)
	}
	if !slices.Contains([]Interp{"", Linear, Lagrange2, Lagrange3}, m.InterpAlpha) {
		return m.fault("the interp along alpha, %q, is none of %q, %q, %q", m.InterpAlpha, Linear, Lagrange2, Lagrange3)
	}
	if err := m.Extrap.check(); err != nil {
		return m.partFault(ExtrapPart, "%v", err)
	}
	if m.XName == "" || m.XName == "alpha" || m.XName == "Nc" {
		return m.fault("the third axis needs a name other than alpha and Nc, such as Rline, beta or PR, not %q",
			m.XName)
	}
	return nil
}

func (m *Map) checkAxes() error {
	axes := []struct {
		name string
		v    []float64
		min  int
	}{{"alpha", m.Alpha, 1}, {"Nc", m.Nc, 1}, {m.XName, m.X, 2}}
	for _, a := range axes {
		e := &Error{Map: m.Name, Table: a.name, Alpha: -1, Row: -1, Col: -1}
		if len(a.v) < a.min {
			e.Msg = fmt.Sprintf("has %d values, needs at least %d", len(a.v), a.min)
			return e
		}
		for i, v := range a.v {
			e.Col = i
			if !numeric.Finite(v) {
				e.Msg = fmt.Sprintf("%g is not a finite number", v)
				return e
			}
			if i > 0 && v <= a.v[i-1] {
				e.Msg = fmt.Sprintf("%g after %g: the axis must rise", v, a.v[i-1])
				return e
			}
		}
	}
	if m.Nc[0] <= 0 {
		return &Error{
			Map: m.Name, Table: "Nc", Alpha: -1, Row: -1, Col: 0,
			Msg: fmt.Sprintf("%g: speeds must be above 0", m.Nc[0]),
		}
	}
	return nil
}

func (m *Map) checkTables() error {
	need := []string{"Wc", "PR", "eff"}
	if m.Kind == Turbine {
		need = []string{"Wp", "eff"}
	}
	for _, n := range need {
		if m.Index(n) < 0 {
			return m.fault("a %s map needs the table %s", m.Kind, n)
		}
	}
	want := len(m.Alpha) * len(m.Nc) * len(m.X)
	for i, t := range m.Tables {
		if m.Index(t.Name) != i {
			return m.fault("table %s is listed twice", t.Name)
		}
		if len(t.V) != want {
			return m.fault("table %s has %d values, needs %d alpha x %d Nc x %d %s = %d",
				t.Name, len(t.V), len(m.Alpha), len(m.Nc), len(m.X), m.XName, want)
		}
		for k, v := range t.V {
			a, r, c := k/(len(m.Nc)*len(m.X)), k/len(m.X)%len(m.Nc), k%len(m.X)
			if !numeric.Finite(v) {
				return m.rowFault(t.Name, a, r, c, "%g is not a finite number", v)
			}
			if (isFlow(t.Name) || isRatio(t.Name)) && v <= 0 {
				return m.rowFault(t.Name, a, r, c, "%g must be above 0", v)
			}
		}
	}
	return nil
}

func (m *Map) checkDesign() error {
	d := m.Design
	if math.IsNaN(d.Alpha+d.Nc+d.X) || !within(m.Alpha, d.Alpha) || !within(m.Nc, d.Nc) || !within(m.X, d.X) {
		return m.partFault(DesignPart,
			"the design point (alpha %g, Nc %g, %s %g) is not on the map (alpha %g to %g, Nc %g to %g, %s %g to %g)",
			d.Alpha, d.Nc, m.XName, d.X, m.Alpha[0], numeric.Last(m.Alpha), m.Nc[0], numeric.Last(m.Nc), m.XName,
			m.X[0], numeric.Last(m.X))
	}
	if m.Stall != nil && !within(m.X, *m.Stall) {
		return m.partFault(StallPart, "the stall line %s = %g is not on the map (%g to %g)", m.XName, *m.Stall, m.X[0],
			numeric.Last(m.X))
	}
	if m.StallLine == nil {
		return nil
	}
	if m.Stall != nil || len(m.StallLine) != len(m.Nc) {
		return m.partFault(StallPart,
			"the stall line is one value for all speeds or %d values, one for each; there are %d", len(m.Nc),
			len(m.StallLine))
	}
	for r, x := range m.StallLine {
		if !(within(m.X, x)) {
			return m.partFault(StallPart, "the stall line's %s = %g at Nc %g is not on the map (%g to %g)", m.XName, x,
				m.Nc[r], m.X[0], numeric.Last(m.X))
		}
	}
	return nil
}

// checkCrossing reports speed lines of a compressor that cross their neighbour in the plane of Wc and PR: a point there
// would have two speeds. Speed lines of turbines (Wp over PR) may cross, and those of real turbines do.
func (m *Map) checkCrossing() error {
	if m.Kind != Compressor {
		return nil
	}
	w, p := m.Index("Wc"), m.Index("PR")
	for a := range m.Alpha {
		for r := 1; r < len(m.Nc); r++ {
			if i, j, ok := crossing(m.Row(w, a, r-1), m.Row(p, a, r-1), m.Row(w, a, r), m.Row(p, a, r)); ok {
				return m.rowFault("Wc and PR", a, r, -1,
					"the speed line crosses that of Nc %g (between %s %.4g and %.4g there, %.4g and %.4g here, near "+
						"Wc %.4g, PR %.4g)",
					m.Nc[r-1], m.XName, m.X[i], m.X[i+1], m.X[j], m.X[j+1], m.Row(w, a, r)[j], m.Row(p, a, r)[j])
			}
		}
	}
	return nil
}

// crossing finds segments i of line a and j of line b that cross properly: the first i, and its first j. Lines that
// only touch, as at choke, do not cross. Segments whose frames are apart are skipped, of b by blocks.
func crossing(aw, ap, bw, bp []float64) (i, j int, ok bool) {
	side := func(x0, y0, x1, y1, x, y float64) float64 {
		c := (x1-x0)*(y-y0) - (y1-y0)*(x-x0)
		if math.Abs(c) < 1e-12*(math.Abs(x1-x0)+math.Abs(y1-y0))*(math.Abs(x)+math.Abs(y)) {
			return 0
		}
		return c
	}
	const block = 32
	var blocks []frame
	for j := 0; j+1 < len(bw); j += block {
		end := min(j+block+1, len(bw))
		blocks = append(blocks, frameOf(bw[j:end], bp[j:end]))
	}
	for i := 0; i+1 < len(aw); i++ {
		own := frameOf(aw[i:i+2], ap[i:i+2])
		for at, f := range blocks {
			if own.apart(f) {
				continue
			}
			for j := at * block; j < min((at+1)*block, len(bw)-1); j++ {
				if own.apart(frameOf(bw[j:j+2], bp[j:j+2])) {
					continue
				}
				s1 := side(aw[i], ap[i], aw[i+1], ap[i+1], bw[j], bp[j])
				s2 := side(aw[i], ap[i], aw[i+1], ap[i+1], bw[j+1], bp[j+1])
				s3 := side(bw[j], bp[j], bw[j+1], bp[j+1], aw[i], ap[i])
				s4 := side(bw[j], bp[j], bw[j+1], bp[j+1], aw[i+1], ap[i+1])
				if s1*s2 < 0 && s3*s4 < 0 {
					return i, j, true
				}
			}
		}
	}
	return 0, 0, false
}

// frame is the smallest rectangle that holds a part of a speed line in the plane of Wc and PR.
type frame struct{ w0, w1, p0, p1 float64 }

func frameOf(w, p []float64) frame {
	f := frame{w[0], w[0], p[0], p[0]}
	for i := range w {
		f = frame{min(f.w0, w[i]), max(f.w1, w[i]), min(f.p0, p[i]), max(f.p1, p[i])}
	}
	return f
}

// apart reports whether two frames have no point in common.
func (f frame) apart(g frame) bool { return f.w1 < g.w0 || g.w1 < f.w0 || f.p1 < g.p0 || g.p1 < f.p0 }

func within(axis []float64, v float64) bool { return v >= axis[0] && v <= numeric.Last(axis) }
