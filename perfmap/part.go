package perfmap

// Parts of a map, for programs whose files hold a single stator setting or stream.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
)

// Plane returns the part of the map at a stator setting. It fails if no plane has that setting.
func (m *Map) Plane(alpha float64) (*Map, error) {
	a := slices.Index(m.Alpha, alpha)
	if a < 0 {
		return nil, fmt.Errorf("map %q has no stator setting alpha %g; it has %s", m.Name, alpha, numeric.List(m.Alpha))
	}
	c := *m
	c.Alpha, c.Design.Alpha = []float64{alpha}, alpha
	n := len(m.Nc) * len(m.X)
	c.Tables = nil
	for _, t := range m.Tables {
		c.Tables = append(c.Tables, Table{Name: t.Name, V: t.V[a*n : (a+1)*n]})
	}
	return New(c)
}

// Stream returns the part of a fan's map for an outlet stream: Wc with PR_core and eff_core as PR and eff for the
// stream "core"; Wc, PR and eff for "" (the bypass).
func (m *Map) Stream(stream string) (*Map, error) {
	suffix := ""
	if stream != "" {
		suffix = "_" + stream
	}
	c := *m
	c.Tables = nil
	for _, t := range m.Tables {
		base, of, ok := strings.Cut(t.Name, "_")
		switch {
		case t.Name == m.FlowTable():
			c.Tables = append(c.Tables, t)
		case ok && "_"+of == suffix || !ok && suffix == "":
			c.Tables = append(c.Tables, Table{Name: base, V: t.V})
		}
	}
	if c.Index("eff") < 0 {
		return nil, fmt.Errorf("map %q has no table eff%s: it has no stream %q", m.Name, suffix, stream)
	}
	return New(c)
}
