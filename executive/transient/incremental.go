package transient

import (
	"github.com/peregrine-sim/peregrine/components"
)

// newIncremental finds the steps that every state, input and unknown reaches.
func (d *dynamics) newIncremental() *incremental {
	n := &incremental{last: make([]float64, len(d.u)+len(d.x)), mark: make([]bool, d.m.StepCount())}
	for _, s := range d.states {
		if s.part == nil && len(d.laws) == 0 { // a control's state acts through inputs and targets only
			n.reach = append(n.reach, make([]bool, d.m.StepCount()))
			continue
		}
		n.reach = append(n.reach, d.reachedSteps(s.at))
	}
	for i := range d.inputs {
		n.reach = append(n.reach, d.reachedSteps(d.inputs[i].at))
	}
	for _, u := range d.s.Unknowns {
		n.reach = append(n.reach, d.reachedSteps(u.At))
	}
	return n
}

// reachedSteps marks the steps that a value can reach.
func (d *dynamics) reachedSteps(at *float64) []bool {
	return d.m.StepsReached(at, d.s.Mode&components.Transient != 0)
}

// evalChanged sets r = g at u and x. It evaluates only the parts changed since its last call.
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
	err := d.s.EvalSome(x, r, mark)
	n.valid = err == nil
	return err
}

// markChange marks the steps that depend on value i of u and x, if the value differs from that of the last evaluation.
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
