package perfmap

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Solve returns X on the line of the given alpha and speed where a table has a value, for example the Rline of a
// pressure ratio. If there are several solutions, as on a pressure ratio line with a maximum, it returns that with the
// largest X, which is stable. The solution may be beyond the map by up to the span of X; edge reports that.
func (m *Map) Solve(table string, alpha, nc, value float64) (x float64, edge Edge, err error) {
	t := m.Index(table)
	if t < 0 {
		return 0, 0, fmt.Errorf("map %q has no table %s", m.Name, table)
	}
	out := make([]Value, len(m.Tables))
	at := func(x float64) float64 {
		m.At(alpha, nc, x, out)
		return out[t].V - value
	}
	span := numeric.Last(m.X) - m.X[0]
	grid := append([]float64{m.X[0] - span}, m.X...)
	grid = append(grid, numeric.Last(m.X)+span)

	// Search inside the map first: a solution there is better than one beyond it.
	for i := len(grid) - 2; i > 1; i-- {
		if x, ok := root(at, grid[i-1], grid[i]); ok {
			return x, m.edge(alpha, nc, x), nil
		}
	}
	for _, i := range []int{len(grid) - 1, 1} {
		if x, ok := root(at, grid[i-1], grid[i]); ok {
			return x, m.edge(alpha, nc, x), nil
		}
	}
	lo, hi := at(m.X[0])+value, at(numeric.Last(m.X))+value
	return 0, 0, fmt.Errorf("map %q: no %s on the line of Nc %g has %s = %g; from %s %g to %g it goes from %g to %g",
		m.Name, m.XName, nc, table, value, m.XName, m.X[0], numeric.Last(m.X), lo, hi)
}

// root returns a root of f between a and b, if f changes its sign there.
func root(f func(float64) float64, a, b float64) (float64, bool) {
	fa, fb := f(a), f(b)
	switch {
	case fa == 0:
		return a, true
	case fb == 0:
		return b, true
	case fa > 0 && fb < 0:
		return numeric.Bisect(func(x float64) float64 { return -f(x) }, a, b), true
	case fa < 0 && fb > 0:
		return numeric.Bisect(f, a, b), true
	}
	return 0, false
}
