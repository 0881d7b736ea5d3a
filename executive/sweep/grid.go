package sweep

// Lattice is the number of values along each axis of a grid. Rows are numbered with the last
// axis changing fastest.
type Lattice []int

// Size is the number of rows.
func (g Lattice) Size() int {
	n := 1
	for _, k := range g {
		n *= k
	}
	return n
}

// At sets place to the index along each axis of a row.
func (g Lattice) At(index int, place []int) {
	for i := len(g) - 1; i >= 0; i-- {
		place[i] = index % g[i]
		index /= g[i]
	}
}

// Index returns the row at a place.
func (g Lattice) Index(place []int) int {
	n := 0
	for i, k := range g {
		n = n*k + place[i]
	}
	return n
}

// chunks cuts the grid into pieces for workers. Within a piece, each point differs from the previous point by one step
// along one axis: the order is a reflected Gray code. The axes marked in first change slowest. The pieces depend on the
// grid only.
func (g Lattice) chunks(first []bool) [][]int {
	// Each piece starts from the base, which may be far away, so that few pieces save work. Many pieces keep many cores
	// busy to the end.
	const pieces, shortest, longest = 32, 8, 64
	order := g.neighbours(first)
	size := max(shortest, min(longest, (len(order)+pieces-1)/pieces))
	var list [][]int
	for len(order) > 0 {
		n := min(size, len(order))
		list = append(list, order[:n])
		order = order[n:]
	}
	return list
}

// neighbours lists all rows so that each is a neighbour of the previous row.
func (g Lattice) neighbours(first []bool) []int {
	var axes []int // slowest first
	for _, want := range []bool{true, false} {
		for i := range g {
			if first[i] == want {
				axes = append(axes, i)
			}
		}
	}
	place, step := make([]int, len(g)), make([]int, len(g))
	for i := range step {
		step[i] = 1
	}
	order := make([]int, 0, g.Size())
	for {
		order = append(order, g.Index(place))
		i := len(axes) - 1
		for ; i >= 0; i-- {
			a := axes[i]
			if next := place[a] + step[a]; next >= 0 && next < g[a] {
				place[a] = next
				break
			}
			step[a] = -step[a]
		}
		if i < 0 {
			return order
		}
	}
}
