package control

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Node is a block in a network.
type Node struct {
	Name   string
	Block  Block
	In     []Source
	Period float64 // of sampling, s; 0: continuous
}

// Source is where an input of a block comes from: a node, or outside.
type Source struct {
	Node int            // index; ignored where Read is set
	Read func() float64 // a measurement, a constant
}

// Network joins blocks by signals. It reads measurements of an engine through sources. It is for one goroutine.
type Network struct {
	nodes  []Node
	order  []int // evaluation order: inputs before the nodes that follow them at once
	first  []int // by node: its first state, among the continuous ones' or the sampled ones'
	u      [][]float64
	use    []use
	out    []float64
	states int       // of continuous nodes
	memory []float64 // states of sampled nodes
	t      float64
}

// LoopError is blocks that follow each other at the same instant.
type LoopError struct{ Names []string }

func (e *LoopError) Error() string {
	return fmt.Sprintf("controls follow each other in a loop, %s; a lag or an actuator between them would break it",
		strings.Join(e.Names, " -> "))
}

// NewNetwork joins nodes. The error is a *LoopError.
func NewNetwork(nodes []Node) (*Network, error) {
	n := &Network{nodes: nodes, out: make([]float64, len(nodes)), first: make([]int, len(nodes))}
	sampled := 0
	for i, node := range nodes {
		n.u = append(n.u, make([]float64, len(node.In)+extra(node.Block)))
		at := &n.states
		if node.Period > 0 {
			at = &sampled
		}
		n.first[i] = *at
		*at += node.Block.States()
	}
	n.memory = make([]float64, sampled)
	if err := n.sort(); err != nil {
		return nil, err
	}
	for i := range nodes {
		n.use = append(n.use, n.used(i))
	}
	return n, nil
}

// extra is the number of inputs that the network gives a block besides those of its entry: the value used in place of
// an integrator's signal, or the time.
func extra(b Block) int {
	if _, ok := b.(Integrator); ok || timed(b) {
		return 1
	}
	return 0
}

func timed(b Block) bool {
	t, ok := b.(Timed)
	return ok && t.Timed()
}

// sort finds the order of evaluation.
func (n *Network) sort() error {
	const open, done = 1, 2
	mark := make([]int, len(n.nodes))
	var trail []int
	var visit func(i int) error
	visit = func(i int) error {
		switch mark[i] {
		case done:
			return nil
		case open:
			loop := append(slices.Clone(trail[slices.Index(trail, i):]), i)
			slices.Reverse(loop)
			e := &LoopError{}
			for _, k := range loop {
				e.Names = append(e.Names, n.nodes[k].Name)
			}
			return e
		}
		mark[i] = open
		trail = append(trail, i)
		if n.nodes[i].Block.Direct() {
			for _, s := range n.nodes[i].In {
				if s.Read != nil {
					continue
				}
				if err := visit(s.Node); err != nil {
					return err
				}
			}
		}
		trail = trail[:len(trail)-1]
		mark[i] = done
		n.order = append(n.order, i)
		return nil
	}
	for i := range n.nodes {
		if err := visit(i); err != nil {
			return err
		}
	}
	return nil
}

// use is the last selection and the last stop that a node's signal passes, -1 for none.
type use struct {
	selected int // a Selector
	accepted int // an Acceptor
}

// used follows a signal while exactly one block takes it, and that block passes it on unchanged or substitutes another.
func (n *Network) used(i int) use {
	u := use{-1, -1}
	for range n.nodes {
		next := -1
		for k, node := range n.nodes {
			for _, s := range node.In {
				if s.Read == nil && s.Node == i {
					if next >= 0 {
						return u
					}
					next = k
				}
			}
		}
		if next < 0 {
			return u
		}
		if _, ok := n.nodes[next].Block.(Acceptor); ok {
			u.accepted = next
			return u
		}
		if !n.selects(next) {
			return u
		}
		u.selected, i = next, next
	}
	return u
}

// States is the number of states of continuous blocks; the caller integrates them.
func (n *Network) States() int { return n.states }

// Signals reads the measurements and sets all signals of continuous blocks at t, s, and states z; signals of sampled
// blocks keep their values.
func (n *Network) Signals(t float64, z []float64) {
	n.t = t
	for _, i := range n.order {
		if n.nodes[i].Period > 0 {
			continue
		}
		n.inputs(i)
		n.out[i] = n.nodes[i].Block.Output(n.of(i, z), n.u[i])
	}
}

// Signal returns a pointer to a node's signal. The signal of a sampled node may be written: it is the value that the
// node holds.
func (n *Network) Signal(i int) *float64 { return &n.out[i] }

// inputs collects a node's inputs, except the value used in place of its signal.
func (n *Network) inputs(i int) {
	u := n.u[i]
	for k, s := range n.nodes[i].In {
		if s.Read != nil {
			u[k] = s.Read()
			continue
		}
		u[k] = n.out[s.Node]
	}
	if timed(n.nodes[i].Block) {
		u[len(u)-1] = n.t
	}
}

// follow adds to a node's inputs the value used in place of its signal.
func (n *Network) follow(i int, z []float64) {
	n.inputs(i)
	b := n.nodes[i].Block
	if _, ok := b.(Integrator); !ok {
		return
	}
	u := n.u[i]
	v := b.Output(n.of(i, z), u)
	if k := n.use[i].selected; k >= 0 {
		v = n.out[k]
	}
	if k := n.use[i].accepted; k >= 0 {
		into := []float64{v}
		v = n.nodes[k].Block.(Acceptor).Accepts(n.of(k, z), into)
	}
	u[len(u)-1] = v
}

// of is a node's states.
func (n *Network) of(i int, z []float64) []float64 {
	if n.nodes[i].Period > 0 {
		z = n.memory
	}
	return z[n.first[i] : n.first[i]+n.nodes[i].Block.States()]
}

// Rates sets dz/dt, 1/s, for the signals that were set last.
func (n *Network) Rates(z, dz []float64) {
	for i := range n.nodes {
		if n.nodes[i].Period > 0 {
			continue
		}
		n.follow(i, z)
		n.nodes[i].Block.Rates(n.of(i, z), n.u[i], n.of(i, dz))
	}
}

// Sample lets the blocks that are due read their inputs and set new signals. The inputs must have been set for t, s. It
// reports whether any block was due.
func (n *Network) Sample(t float64, z []float64) bool {
	any := false
	n.t = t
	due := func(i int) bool {
		p := n.nodes[i].Period
		return p > 0 && math.Abs(t-p*math.Round(t/p)) <= 1e-9*max(p, t)
	}
	for _, i := range n.order {
		if due(i) {
			any = true
			n.inputs(i)
			n.out[i] = n.nodes[i].Block.Output(n.of(i, z), n.u[i])
		}
	}
	for i := range n.nodes {
		if due(i) {
			n.follow(i, z)
			n.nodes[i].Block.Hold(n.of(i, z), n.u[i], n.nodes[i].Period)
		}
	}
	return any
}

// Times returns the times, s, at which some block samples, from 0 to before the end, in order.
func (n *Network) Times(end float64) []float64 {
	var out []float64
	var periods []float64
	for _, node := range n.nodes {
		if p := node.Period; p > 0 && !slices.Contains(periods, p) {
			periods = append(periods, p)
		}
	}
	for _, p := range periods {
		for k := 0; float64(k)*p < end*(1-1e-12); k++ {
			out = append(out, float64(k)*p)
		}
	}
	slices.Sort(out)
	return slices.CompactFunc(out, func(a, b float64) bool { return math.Abs(b-a) <= 1e-9*b })
}

// Place returns the index of a continuous node's first state, and their number.
func (n *Network) Place(i int) (first, count int) { return n.first[i], n.nodes[i].Block.States() }

// Sampled reports whether a node samples.
func (n *Network) Sampled(i int) bool { return n.nodes[i].Period > 0 }

// Memory returns the states of the sampled blocks and the signals that they hold. SetMemory restores it.
func (n *Network) Memory() []float64 {
	m := slices.Clone(n.memory)
	for i, node := range n.nodes {
		if node.Period > 0 {
			m = append(m, n.out[i])
		}
	}
	return m
}

// SetMemory restores the result of Memory.
func (n *Network) SetMemory(m []float64) error {
	if want := len(n.Memory()); len(m) != want {
		return fmt.Errorf("control: %d values of memory, want %d", len(m), want)
	}
	m = m[copy(n.memory, m):]
	for i, node := range n.nodes {
		if node.Period > 0 {
			n.out[i], m = m[0], m[1:]
		}
	}
	return nil
}
