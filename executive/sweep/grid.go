package sweep

// Lattice is the number of values along each axis of a grid. A row's index
// counts with the last axis changing fastest.
type Lattice []int

func (g Lattice) Size() int {
	n := 1
	for _, k := range g {
		n *= k
	}
	return n
}

// At sets the place along each axis of the row with that index.
func (g Lattice) At(index int, place []int) {
	for i := len(g) - 1; i >= 0; i-- {
		place[i] = index % g[i]
		index /= g[i]
	}
}

// Index is the row at a place.
func (g Lattice) Index(place []int) int {
	n := 0
	for i, k := range g {
		n = n*k + place[i]
	}
	return n
}

// chunks cuts the grid into pieces for workers. Within a piece each point has one
// neighbour before it, which differs from it by one step along one axis: the
// order is that of a reflected Gray code, of which the axes marked first change
// slowest. The pieces are a function of the grid alone.
func (g Lattice) chunks(first []bool) [][]int {
	// Few pieces start seldom from afar; many keep many cores busy to the end.
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

// neighbours lists the rows so that each is next to the one before it.
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
