package picture

import "math"

// mostOnCircle is the number of processes up to which a picture without a network has them on a circle.
const mostOnCircle = 24

// layout returns the places of processors and switches: a grid for a mesh and a torus, levels for trees, a line for a
// bus, rows for many processes without a network, and a circle for others, whose switches are on a smaller one.
func layout(n *Network, processes int) [][2]float64 {
	if n == nil && processes > mostOnCircle {
		return rows(processes)
	}
	if n == nil {
		return circle(processes, 1)
	}
	switch n.shape.Name {
	case "mesh", "torus":
		return n.grid()
	case "tree", "fat-tree":
		return n.levels()
	case "bus":
		return n.line()
	}
	switches := n.Graph.Nodes - n.Graph.Processors
	inner := 0.0 // a single switch is in the middle
	if switches > 1 {
		inner = 0.55
	}
	return append(circle(n.Graph.Processors, 1), circle(switches, inner)...)
}

// rows places processes in rows of a picture that is wider than high, with room for their names. Every second row is
// half a place aside, so that fewer lines between processes pass below others.
func rows(n int) (list [][2]float64) {
	const apart = 1.35
	columns := int(math.Ceil(math.Sqrt(1.2 * float64(n))))
	for i := range n {
		x := float64(i%columns) + 0.5*float64(i/columns%2)
		list = append(list, [2]float64{apart * x, float64(i / columns)})
	}
	return list
}

func circle(n int, radius float64) (list [][2]float64) {
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		list = append(list, [2]float64{radius * sin, -radius * cos})
	}
	return list
}

// grid places the processors of a mesh. In Gray code the processor of row r has the number r xor r/2.
func (n *Network) grid() [][2]float64 {
	list := make([][2]float64, n.Graph.Processors)
	for r := range n.shape.Rows {
		for c := range n.shape.Columns {
			row, column := r, c
			if n.shape.Gray {
				row, column = r^r>>1, c^c>>1
			}
			list[row*n.shape.Columns+column] = [2]float64{float64(c), float64(r)}
		}
	}
	return list
}

// levels places the leaves of a tree in a line, and each switch above the middle of the nodes below it, whose numbers
// are lower than its own.
func (n *Network) levels() [][2]float64 {
	list := make([][2]float64, n.Graph.Nodes)
	for i := range list {
		if i < n.Graph.Processors {
			list[i] = [2]float64{float64(i), 0}
			continue
		}
		below, level := 0.0, 0.0
		links, _ := n.Graph.From(i)
		for _, l := range links {
			if int(l.To) < i {
				list[i][0] += list[l.To][0]
				level = min(level, list[l.To][1])
				below++
			}
		}
		list[i] = [2]float64{list[i][0] / max(1, below), level - 0.8}
	}
	return list
}

// line places the processors of a bus in a line, and the ends of the bus below them.
func (n *Network) line() [][2]float64 {
	p := n.Graph.Processors
	list := make([][2]float64, n.Graph.Nodes)
	for i := range p {
		list[i] = [2]float64{float64(i), 0}
	}
	for i := p; i < len(list); i++ {
		list[i] = [2]float64{float64(p)*float64(i-p) - 0.5, 1}
	}
	return list
}
