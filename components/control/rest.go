package control

import "math"

// This file finds the states of the controls for an engine at rest. Sensors show the present values, actuators keep
// their positions, and integrals hold the values that cause these. An integral can have any value, so it follows from
// the required signal; everything else follows from its inputs.

// Rest sets the states z of continuous blocks, and the memory of the others, so that signals have the values of want,
// by node. Measurements are of the engine at rest. It returns the nodes whose signals differ, among want and the
// selections before those: an engine cannot be at rest with a schedule below its fuel flow.
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
	// A wish propagates backward through any number of blocks, and its consequences forward.
	for range n.nodes {
		n.settle(z, wish)
		n.wish(z, wish)
	}
	for i, node := range n.nodes {
		if _, ok := node.Block.(Integrator); ok && math.IsNaN(wish[i]) {
			wish[i] = 0 // no signal depends on it
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

// settle puts every block at rest, inputs before outputs, and sets the signals.
func (n *Network) settle(z, wish []float64) {
	for range 2 { // a block without direct feedthrough may precede its input in the order
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

// wish computes the outputs of blocks so that the blocks behind them give their wished values.
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

// free reports whether a signal depends on an integral.
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

// hold sets the integrals that are not in charge to their stationary values, and sets the signals once more. An
// integral with an error other than zero cannot be in charge of an engine at rest. If it is selected all the same, it
// begins without a bump, and moves the engine.
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

// refresh sets all signals for the present states.
func (n *Network) refresh(z []float64) {
	for _, i := range n.order {
		n.inputs(i)
		n.out[i] = n.nodes[i].Block.Output(n.of(i, z), n.u[i])
	}
}
