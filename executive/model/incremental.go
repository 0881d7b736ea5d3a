package model

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/parameter"
)

// incremental evaluates an engine when few values have changed since the last evaluation: it
// evaluates only the parts that the change reaches. A change goes downstream in the order of
// evaluation, and along shafts to their balances. It does not pass a volume that stores,
// because the volume's state alone determines what leaves it. This makes derivatives of an
// engine with volumes several times faster.
type incremental struct {
	reach [][]bool  // by entry of u, then of x: the steps that it reaches
	last  []float64 // u and x of the last evaluation
	valid bool      // the model is at last
	mark  []bool    // steps to evaluate
}

// newIncremental finds the steps that every state, input and unknown reaches.
func (d *dynamics) newIncremental() *incremental {
	n := &incremental{last: make([]float64, len(d.u)+len(d.x)), mark: make([]bool, len(d.m.steps))}
	for _, s := range d.states {
		if s.part == nil && len(d.laws) == 0 { // a control's state acts through inputs and targets only
			n.reach = append(n.reach, make([]bool, len(d.m.steps)))
			continue
		}
		n.reach = append(n.reach, d.reachedSteps(s.at))
	}
	for i := range d.inputs {
		n.reach = append(n.reach, d.reachedSteps(d.inputs[i].at))
	}
	for _, u := range d.s.unknowns {
		n.reach = append(n.reach, d.reachedSteps(u.at))
	}
	return n
}

// reachedSteps marks the steps that a value can reach.
func (d *dynamics) reachedSteps(at *float64) []bool {
	return d.m.reached(at, d.s.mode&components.Transient != 0)
}

// reached marks the steps that a value can reach, all if the value belongs to no part. In an
// engine that stores it does not pass a volume.
func (m *Model) reached(at *float64, stores bool) []bool {
	mask := make([]bool, len(m.steps))
	from := m.readersOf(at)
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

// readersOf returns the parts that read a value directly: the part that it belongs to and
// those that a shaft or bleed joins. It returns nil if the value belongs to no part.
func (m *Model) readersOf(at *float64) []*Part {
	for _, p := range m.Parts {
		if !p.owns(at) {
			continue
		}
		switch p.section {
		case ofShafts:
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
		case ofBleeds:
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

// evalChanged sets r = g at u and x. It evaluates only what changed since its last call.
func (d *dynamics) evalChanged(u, x, r []float64) error {
	n := d.inc
	if n == nil {
		n = d.newIncremental()
		d.inc = n
	}
	clear(n.mark)
	for i, v := range u {
		n.markChange(i, v)
	}
	for i, v := range x {
		n.markChange(len(u)+i, v)
	}
	mark := n.mark
	if !n.valid {
		mark = nil
	}
	n.valid = false
	d.write(u)
	err := d.s.evalSome(x, r, mark)
	n.valid = err == nil
	return err
}

// markChange marks the steps that value i of u and x reaches, if it differs from that of the
// last evaluation.
func (n *incremental) markChange(i int, v float64) {
	if n.last[i] == v {
		return
	}
	n.last[i] = v
	for k, reached := range n.reach[i] {
		if reached {
			n.mark[k] = true
		}
	}
}
