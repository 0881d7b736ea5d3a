package bladerow

// choked reports whether a quarter of the height or more passes all it can: between the
// blades there some cut from side to side is sonic or faster, seen from the row, except in
// the cells at the blades, so that the exit pressure no longer acts on the flow ahead.
func (l *level) choked() bool {
	full := 0
	for k := range l.n[2] {
		for i := l.grid.le; i < l.grid.te; i++ {
			if l.sonic(i, k) {
				full++
				break
			}
		}
	}
	return 4*full >= l.n[2]
}

// sonic reports whether the row of cells (i, ., k) is, but for a twelfth of the pitch at
// either blade, which the blade's boundary layer may fill.
func (l *level) sonic(i, k int) bool {
	across := l.grid.node(i, 0, k).sub(l.grid.node(i, l.n[1], k)).norm()
	for j := range l.n[1] {
		x := l.grid.centre(i, j, k)
		if min(x.sub(l.grid.node(i, 0, k)).norm(), x.sub(l.grid.node(i, l.n[1], k)).norm()) < across/12 {
			continue
		}
		q := l.state(l.at(i, j, k))
		w := vec{q[1] + l.omega*x[1], q[2] - l.omega*x[0], q[3]}
		if w.dot(w) < l.gamma*q[4]/q[0] {
			return false
		}
	}
	return true
}
