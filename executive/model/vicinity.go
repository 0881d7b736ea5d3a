package model

import (
	"slices"

	"github.com/peregrine-sim/peregrine/components"
	"github.com/peregrine-sim/peregrine/components/parameter"
)

// vicinity evaluates an engine again where little has changed since the last evaluation: only
// the parts that the change can reach are. In the order of evaluation a change goes
// downstream, and along shafts to their balances; it does not pass a volume that stores,
// which holds what leaves it. Derivatives of an engine with volumes take a fraction of
// the time so.
type vicinity struct {
	reach [][]bool  // by entry of u and then of x: the steps that it reaches
	at    []float64 // u and x of the last evaluation
	known bool      // the model is there
	mark  []bool
}

// newVicinity finds what every state, input and unknown reaches.
func (d *dynamics) newVicinity() *vicinity {
	n := &vicinity{at: make([]float64, len(d.u)+len(d.x)), mark: make([]bool, len(d.m.steps))}
	for _, s := range d.states {
		if s.part == nil && len(d.laws) == 0 { // it moves inputs and targets
			n.reach = append(n.reach, make([]bool, len(d.m.steps)))
			continue
		}
		n.reach = append(n.reach, d.reached(s.at))
	}
	for i := range d.inputs {
		n.reach = append(n.reach, d.reached(d.inputs[i].at))
	}
	for _, u := range d.s.unknowns {
		n.reach = append(n.reach, d.reached(u.at))
	}
	return n
}

// reached marks the steps that a value can reach: all, if it is not known whose it is.
func (d *dynamics) reached(at *float64) []bool {
	m := d.m
	mask := make([]bool, len(m.steps))
	from := m.touched(at)
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
		if m.steps[i].part.Declaration.Separates && !first && d.s.mode&components.Transient != 0 {
			return
		}
		for _, next := range m.after[i] {
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

// touched are the parts that read a value of a component themselves; nil if it is none's.
func (m *Model) touched(at *float64) []*Part {
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

// owns tells whether a value is a parameter, unknown or state of the part.
func (p *Part) owns(at *float64) bool {
	return slices.ContainsFunc(p.Declaration.Numbers, func(n parameter.Number) bool { return n.At == at }) ||
		slices.ContainsFunc(p.Declaration.Unknowns, func(u components.Unknown) bool { return u.At == at }) ||
		slices.ContainsFunc(p.Declaration.States, func(s components.State) bool { return s.At == at })
}

// nearby sets r = g at u and x.
func (d *dynamics) nearby(u, x, r []float64) error {
	n := d.near
	if n == nil {
		n = d.newVicinity()
		d.near = n
	}
	clear(n.mark)
	for i, v := range u {
		n.note(i, v)
	}
	for i, v := range x {
		n.note(len(u)+i, v)
	}
	mark := n.mark
	if !n.known {
		mark = nil
	}
	n.known = false
	d.put(u)
	err := d.s.evalSome(x, r, mark)
	n.known = err == nil
	return err
}

// note marks what a value reaches that is not that of the last evaluation.
func (n *vicinity) note(i int, v float64) {
	if n.at[i] == v {
		return
	}
	n.at[i] = v
	for k, reached := range n.reach[i] {
		if reached {
			n.mark[k] = true
		}
	}
}
