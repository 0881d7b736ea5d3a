package perfmap

// Starting points and limits of a map's continuations, computed once.

import (
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// lowestRatio is the lower limit of the pressure ratio in a continuation. A windmilling fan's pressure ratio is above
// it, and a scaled PR-1 does not reach PR = 0.
const lowestRatio = 0.6

func limitsOf(m *Map) []limit {
	limits := make([]limit, len(m.Tables))
	for i, t := range m.Tables {
		least, most := slices.Min(t.V), slices.Max(t.V)
		if m.Interp == Lagrange2 || m.Interp == Lagrange3 {
			least, most = m.overshoot(i, least, most)
		}
		limits[i] = limitOf(t.Name, least, most)
	}
	return limits
}

func limitOf(table string, least, most float64) limit {
	l := limit{low: math.Inf(-1), high: math.Inf(1)}
	ratio, eff := isRatio(table), isEfficiency(table)
	if least > 0 && (ratio || eff || isFlow(table)) {
		if ratio {
			l.floor = lowestRatio * min(1, least)
		}
		l.low = (least + l.floor) / 2
	}
	if eff && most < 1 {
		l.ceiling, l.high = 1, (1+most)/2
	}
	return l
}

// overshoot widens a table's range by the range of the polynomials of a Lagrange map between the nodes at the map's
// edges, where continuations begin.
func (m *Map) overshoot(table int, least, most float64) (lo, hi float64) {
	lo, hi = least, most
	var w, dw [4]float64
	along := func(axis []float64, value func(i int) float64) {
		const steps = 16
		for i := 0; i+1 < len(axis); i++ {
			for k := 1; k < steps; k++ {
				first, points := weights(m.Interp, axis, axis[i]+(axis[i+1]-axis[i])*float64(k)/steps, &w, &dw)
				v := 0.0
				for p := range points {
					v += w[p] * value(first+p)
				}
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	for a := range m.Alpha {
		for _, r := range []int{0, len(m.Nc) - 1} {
			along(m.X, func(i int) float64 { return m.Row(table, a, r)[i] })
		}
		for _, c := range []int{0, len(m.X) - 1} {
			along(m.Nc, func(i int) float64 { return m.Row(table, a, i)[c] })
		}
	}
	return lo, hi
}

// bend returns f(v) and its derivative.
func (l *limit) bend(v float64) (f, df float64) {
	switch {
	case v < l.low:
		r := l.low - l.floor
		df = math.Exp((v - l.low) / r)
		return l.floor + r*df, df
	case v > l.high:
		r := l.ceiling - l.high
		df = math.Exp((l.high - v) / r)
		return l.ceiling - r*df, df
	}
	return v, 1
}

// extend continues a table from the edge value v, its slopes and its cross
// slope there over the distances n and x beyond the bounds (0: inside).
func (l *limit) extend(v, fn, fx, cross, n, x float64) Value {
	f, df := l.bend(v + fn*n + fx*x + cross*n*x)
	return Value{V: f, DNc: df * (fn + cross*x), DX: df * (fx + cross*n)}
}

// trustedEff is the least efficiency at which a compressor's pair of PR and efficiency determines its work, work =
// (PR^k - 1)/eff, with full trust; below voidEff it is not used. Measured maps often end at PR = 1 with efficiency 0,
// where the work is 0/0.
const voidEff, trustedEff = 0.1, 0.2

// trusted returns the part of a compressor map's third axis, around the design point, where every pair of PR and
// efficiency determines the work.
func (m *Map) trusted() (lo, hi int) {
	good := func(col int) bool {
		for t, table := range m.Tables {
			for k := col; k < len(table.V); k += len(m.X) {
				if v := table.V[k]; isEfficiency(m.Tables[t].Name) && v < trustedEff ||
					isRatio(m.Tables[t].Name) && v <= 1 {
					return false
				}
			}
		}
		return true
	}
	at := numeric.Locate(m.X, m.Design.X)
	for hi = at; hi+1 < len(m.X) && good(hi+1); hi++ {
	}
	for lo = at; lo > 0 && good(lo-1); lo-- {
	}
	if lo == hi {
		return 0, len(m.X) - 1
	}
	return lo, hi
}

// ChokesHigh reports whether a compressor's lines go from stall to choke as X rises, as R-lines
// do, not from choke to stall as beta does.
func (m *Map) ChokesHigh() bool { return m.chokeHigh }

// chokesHigh reports whether a compressor's lines go from stall to choke as X rises: the
// throttle PR/Wc^2 opens that way (see [FromLines]).
func (m *Map) chokesHigh() bool {
	row := numeric.Locate(append([]float64{0}, m.Nc...), m.Design.Nc)
	row = min(row, len(m.Nc)-1)
	w, p := m.Row(m.Index("Wc"), 0, row), m.Row(m.Index("PR"), 0, row)
	key := func(i int) float64 { return w[i] * w[i] / p[i] }
	return key(len(w)-1) > key(0)
}

// standstill returns the flow and the entropy rise over cp of a compressor's locked rotor, which its lines approach as
// the speed falls, at the design speed; see [Beyond].
func (m *Map) standstill() (flow, loss float64) {
	var stack [12]Value
	out := stack[:]
	if len(m.Tables) > len(out) {
		out = make([]Value, len(m.Tables))
	}
	m.At(m.Design.Alpha, m.Design.Nc, m.Design.X, out)
	pr := out[m.Index("PR")].V
	work := math.Expm1(kappa*math.Log(pr)) / out[m.Index("eff")].V
	density := pr / (1 + work)
	return out[m.flow].V / math.Sqrt((1+density+density*density)/3), 0.43 * work
}
