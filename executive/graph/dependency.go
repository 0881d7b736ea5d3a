package graph

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/parameter"
	"github.com/peregrine-sim/peregrine/config"
)

// StepsReached marks the steps that depend on a value, all steps if the value belongs to no part. In an engine that
// stores, the effect does not pass a volume.
func (m *Model) StepsReached(at *float64, stores bool) []bool {
	mask := make([]bool, len(m.steps))
	from := m.ReadersOf(at)
	if from == nil {
		for i := range mask {
			mask[i] = true
		}
		return mask
	}
	var visit func(i int, first bool)
	visit = func(i int, first bool) {
		if mask[i] {
			return
		}
		mask[i] = true
		if stores && m.steps[i].part.Declaration.Separates && !first {
			return
		}
		for _, next := range m.downstream[i] {
			visit(next, false)
		}
	}
	for i, s := range m.steps {
		if slices.Contains(from, s.part) {
			visit(i, true)
		}
	}
	return mask
}

// ReadersOf returns the parts that read a value directly: its own part and the parts joined to that by a shaft or
// bleed. It returns nil if the value belongs to no part.
func (m *Model) ReadersOf(at *float64) []*Part {
	for _, p := range m.Parts {
		if !p.owns(at) {
			continue
		}
		switch p.Section {
		case OfShafts:
			for _, s := range m.Engine.Shafts {
				if s.Name != p.Name {
					continue
				}
				turning := []*Part{p}
				for _, e := range slices.Concat(s.Drives, s.DrivenBy) {
					turning = append(turning, m.Index[e.Component])
				}
				return turning
			}
		case OfBleeds:
			for _, b := range m.Engine.Bleeds {
				if b.Name == p.Name {
					turned := []*Part{p, m.Index[b.From]}
					if b.To != "" {
						turned = append(turned, m.Index[b.To])
					}
					return turned
				}
			}
		}
		return []*Part{p}
	}
	return nil
}

// owns reports whether a value is a parameter, unknown or state of the part.
func (p *Part) owns(at *float64) bool {
	return slices.ContainsFunc(p.Declaration.Numbers, func(n parameter.Number) bool { return n.At == at }) ||
		slices.ContainsFunc(p.Declaration.Unknowns, func(u components.Unknown) bool { return u.At == at }) ||
		slices.ContainsFunc(p.Declaration.States, func(s components.State) bool { return s.At == at })
}

// AnyUpstream reports whether is holds for a part or for any part upstream of it.
func (m *Model) AnyUpstream(p *Part, seen map[*Part]bool, is func(*Part) bool) bool {
	if p == nil || seen[p] {
		return false
	}
	seen[p] = true
	if is(p) {
		return true
	}
	for _, in := range p.Declaration.Inlets {
		if m.AnyUpstream(m.owner(*in.At), seen, is) {
			return true
		}
	}
	for _, b := range m.Engine.Bleeds {
		if b.To == p.Name && m.AnyUpstream(m.Index[b.From], seen, is) {
			return true
		}
	}
	return false
}

// ShaftGroups numbers the shafts, so that shafts joined by gearboxes have the same number.
func (m *Model) ShaftGroups() []int {
	group := make([]int, len(m.Engine.Shafts))
	for i := range group {
		group[i] = i
	}
	on := map[string]int{} // by gearbox: one of its shafts
	for i, s := range m.Engine.Shafts {
		for _, ends := range [][]config.Endpoint{s.Drives, s.DrivenBy} {
			for _, e := range ends {
				if !m.Index[e.Component].Declaration.Geared {
					continue
				}
				first, joined := on[e.Component]
				if !joined {
					on[e.Component] = i
					continue
				}
				from, to := group[i], group[first]
				for k := range group {
					if group[k] == from {
						group[k] = to
					}
				}
			}
		}
	}
	return group
}

// OnShaft tells whether a component is on a shaft.
func (m *Model) OnShaft(shaft, p *Part) bool {
	return slices.ContainsFunc(m.Engine.Shafts, func(s config.ShaftEntry) bool {
		return s.Name == shaft.Name && slices.ContainsFunc(slices.Concat(s.Drives, s.DrivenBy),
			func(e config.Endpoint) bool { return e.Component == p.Name })
	})
}

// ContributorsTo are the parts of whose results a value of the performance is made; nil: of all.
func (m *Model) ContributorsTo(field string) []*Part {
	with := func(has ...func(d *components.Declaration) *float64) (list []*Part) {
		for _, p := range m.Parts {
			for _, h := range has {
				if h(p.Declaration) != nil {
					list = append(list, p)
				}
			}
		}
		return list
	}
	thrust := func(d *components.Declaration) *float64 { return d.Thrust }
	drag := func(d *components.Declaration) *float64 { return d.Drag }
	fuel := func(d *components.Declaration) *float64 { return d.Fuel }
	load := func(d *components.Declaration) *float64 { return d.Load }
	switch field {
	case "Fn":
		return with(thrust, drag)
	case "Fg":
		return with(thrust)
	case "Fram":
		return with(drag)
	case "Wf":
		return with(fuel)
	case "power":
		return with(load)
	case "TSFC":
		return with(fuel, thrust, drag)
	case "PSFC":
		return with(fuel, load)
	case "OPR":
		if m.Perf.Face != nil && m.Perf.combustor != nil {
			return []*Part{m.owner(m.Perf.Face), m.owner(m.Perf.combustor)}
		}
	case "BPR":
		if m.Perf.Face != nil && m.Perf.core != nil {
			return []*Part{m.owner(m.Perf.Face), m.owner(m.Perf.core)}
		}
	}
	return nil
}

// StepsNeeded marks the steps that the results of parts are made of; all, of no part.
func (m *Model) StepsNeeded(of []*Part) []bool {
	mask := make([]bool, len(m.steps))
	for i := len(m.steps) - 1; i >= 0; i-- { // a step follows the steps that it needs
		mask[i] = of == nil || slices.Contains(of, m.steps[i].part) ||
			slices.ContainsFunc(m.downstream[i], func(j int) bool { return mask[j] })
	}
	return mask
}
