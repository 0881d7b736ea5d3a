package control

import "math"

// This file finds the states from which an engine at rest stays so: sensors show what
// is, actuators stand where they are, and integrals are what brings that about. An
// integral can be anything, so it is found from what the signal must be; all else
// follows from its inputs.

// Rest sets the states z of continuous blocks, and the memory of the others, for
// signals that must have given values, by node. Measurements are those of the engine
// at rest. It returns the nodes, of want and of the selections before those, whose
// signals are others: an engine cannot be at rest with a schedule below its fuel flow.
func (n *Network) Rest(t float64, z []float64, want map[int]float64) (differ []int) {
	n.t = t
	wish := make([]float64, len(n.nodes))
	for i := range wish {
		wish[i] = math.NaN()
		n.out[i] = math.NaN()
	}
	for i, v := range want {
		wish[i] = v
	}
	// A wish goes backward through any number of blocks, and what follows from it
	// forward from there.
	for range n.nodes {
		n.settle(z, wish)
		n.wish(z, wish)
	}
	for i, node := range n.nodes {
		if _, ok := node.Block.(Integrator); ok && math.IsNaN(wish[i]) {
			wish[i] = 0 // nothing depends on it
		}
	}
	n.settle(z, wish)
	n.hold(z, wish)
	for i, v := range wish {
		_, wanted := want[i]
		if wanted = wanted || n.selects(i); wanted && !(math.Abs(n.out[i]-v) <= 1e-6*max(math.Abs(v), 1e-6)) {
			differ = append(differ, i)
		}
	}
	return differ
}

// selects reports whether a node selects among signals.
func (n *Network) selects(i int) bool {
	b, ok := n.nodes[i].Block.(Selector)
	return ok && b.Selects()
}

// settle puts every block at rest, those before others first, and sets the signals.
func (n *Network) settle(z, wish []float64) {
	for range 2 { // what is not direct may stand ahead of its input in the order
		for _, i := range n.order {
			n.inputs(i)
			b, s := n.nodes[i].Block, n.of(i, z)
			y := wish[i]
			if a, ok := b.(Acceptor); ok && math.IsNaN(y) {
				y = a.Accepts(s, n.u[i])
			}
			b.Rest(s, n.u[i], y)
			n.out[i] = b.Output(s, n.u[i])
		}
	}
}

// wish computes what blocks must give so that those behind them give what is wished.
func (n *Network) wish(z, wish []float64) {
	for i, node := range n.nodes {
		if math.IsNaN(wish[i]) {
			continue
		}
		for k, s := range node.In {
			if s.Read != nil || !math.IsNaN(wish[s.Node]) {
				continue
			}
			wish[s.Node] = wish[i]
			if b, ok := node.Block.(Inverter); ok {
				n.inputs(i)
				wish[s.Node] = b.Invert(k, n.of(i, z), n.u[i], wish[i], n.free(s.Node))
			}
		}
	}
}

// free reports whether an integral stands behind a signal.
func (n *Network) free(i int) bool {
	seen := make([]bool, len(n.nodes))
	var look func(i int) bool
	look = func(i int) bool {
		if seen[i] {
			return false
		}
		seen[i] = true
		if _, ok := n.nodes[i].Block.(Integrator); ok {
			return true
		}
		for _, s := range n.nodes[i].In {
			if s.Read == nil && look(s.Node) {
				return true
			}
		}
		return false
	}
	return look(i)
}

// hold lets the integrals that are not in charge wait where they stand still, and sets
// the signals once more. One whose error is not zero cannot be in charge of an engine
// at rest; where one of them is selected all the same, it begins without a bump, and
// moves the engine.
func (n *Network) hold(z, wish []float64) {
	var waiting []int
	for i, node := range n.nodes {
		b, ok := node.Block.(Integrator)
		if !ok || n.use[i].selected < 0 || math.IsNaN(wish[i]) {
			continue
		}
		n.inputs(i)
		u := n.u[i]
		u[len(u)-1] = wish[i]
		if b.Wait(n.of(i, z), u, node.Period) {
			waiting = append(waiting, i)
		}
	}
	n.refresh(z)
	for _, i := range waiting {
		if k := n.use[i].selected; n.out[i] == n.out[k] && n.out[k] != wish[i] {
			n.inputs(i)
			n.nodes[i].Block.Rest(n.of(i, z), n.u[i], wish[i])
			n.refresh(z)
		}
	}
}

// refresh sets all signals for the states that there are.
func (n *Network) refresh(z []float64) {
	for _, i := range n.order {
		n.inputs(i)
		n.out[i] = n.nodes[i].Block.Output(n.of(i, z), n.u[i])
	}
}
