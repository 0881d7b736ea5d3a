package main

// The order of a kernel's steps. Written one after the other as in Go, most wait for the
// one before, and a processor looks too few steps ahead to find others to do meanwhile.

import "slices"

// latency is about what the steps take, in cycles (AMD Zen 3 and 4; Intel's are alike).
var latency = map[operation]int{
	opStore: 1, opAdd: 3, opSub: 3, opMul: 3, opDiv: 13, opSqrt: 20, opShort: 7, opMax: 1, opMin: 1,
	opAnd: 1, opOr: 1, opXor: 1, opUnordered: 1, opLess: 1, opBlend: 1,
}

// schedule puts the steps into an order in which few wait: of those that could start, that
// first from which the longest way leads to the end. It looks ahead no more than window
// steps of the order they were written in, so that not too many results are alive at once.
// What window is best, if any, was measured.
func (k *kernel) schedule() {
	if k.window == 0 {
		return
	}
	height := map[*value]int{} // of the longest way to the end
	for _, v := range slices.Backward(k.steps) {
		height[v] += latency[v.op]
		for _, a := range v.args {
			height[a] = max(height[a], height[v])
		}
	}
	left := slices.Clone(k.steps)
	ready := map[*value]int{} // when a result is there
	waits := map[*value]bool{}
	for _, v := range left {
		waits[v] = true
	}
	var order []*value
	for cycle := 0; len(left) > 0; {
		best, start := -1, 0
		for n, v := range left[:min(k.window, len(left))] {
			if slices.ContainsFunc(v.args, func(a *value) bool { return waits[a] }) {
				continue
			}
			at := cycle
			for _, a := range v.args {
				at = max(at, ready[a])
			}
			if best < 0 || at < start || at == start && height[v] > height[left[best]] {
				best, start = n, at
			}
		}
		v := left[best]
		order, left = append(order, v), slices.Delete(left, best, best+1)
		delete(waits, v)
		ready[v] = start + latency[v.op]
		if cycle = max(cycle, start); len(order)%2 == 0 { // two additions or products a cycle
			cycle++
		}
	}
	k.steps = order
	k.count()
}

// count finds where each value is used.
func (k *kernel) count() {
	for _, v := range k.steps {
		for _, a := range v.args {
			a.uses = nil
		}
	}
	for n, v := range k.steps {
		for _, a := range v.args {
			a.uses = append(a.uses, n)
		}
	}
}
