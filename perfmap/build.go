package perfmap

// A map, checked and prepared for lookups.

import (
	"cmp"
	"context"
	"slices"
)

// New checks a map and prepares it for lookups. It copies the given map. A map that fails a check yields an [*Error]
// with the table and row.
func New(m Map) (*Map, error) { return newMap(context.Background(), m) }

// newMap is New until ctx ends.
func newMap(ctx context.Context, m Map) (*Map, error) {
	p := m.clone()
	p.Interp = cmp.Or(p.Interp, Monotone)
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.Interp == Monotone {
		p.nodes = hermiteNodes(ctx, p)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	p.limits = limitsOf(p)
	p.flow = p.Index(p.FlowTable())
	for i, t := range p.Tables {
		if isEfficiency(t.Name) {
			p.effs = append(p.effs, i)
		}
	}
	if p.Kind == Turbine {
		p.best = slices.Max(p.Tables[p.Index("eff")].V)
	}
	p.place()
	return p, nil
}

// WithDesign returns a map made by [New] with another design point, or an [*Error] if that is not on the map. Both
// share their values.
func (m *Map) WithDesign(at Point) (*Map, error) {
	p := *m
	p.Design = at
	if err := p.checkDesign(); err != nil {
		return nil, err
	}
	p.place()
	return &p, nil
}

// place sets the values that follow from the design point.
func (m *Map) place() {
	if m.Kind == Compressor {
		m.lo, m.hi = m.trusted()
		m.chokeHigh = m.chokesHigh()
		m.standFlow, m.standLoss = m.standstill()
	}
}

func (m *Map) clone() *Map {
	p := *m
	p.Alpha = slices.Clone(m.Alpha)
	p.Nc = slices.Clone(m.Nc)
	p.X = slices.Clone(m.X)
	p.Tables = slices.Clone(m.Tables)
	for i := range p.Tables {
		p.Tables[i].V = slices.Clone(p.Tables[i].V)
	}
	p.StallLine = slices.Clone(m.StallLine)
	if m.Stall != nil {
		s := *m.Stall
		p.Stall = &s
	}
	p.limits, p.nodes, p.effs = nil, nil, nil
	return &p
}
