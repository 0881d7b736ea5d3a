package network

import (
	"fmt"
	"math"
	"math/bits"
)

// Shape describes a regular network.
type Shape struct {
	Name       string // one of Shapes
	Processors int
	Rows       int // of a mesh or a torus
	Columns    int
	Gray       bool    // number the processors of a mesh or a torus in Gray code, else row by row
	Bandwidth  float64 // B/s, of each link
	Latency    float64 // s
}

// shapes are the regular networks.
var shapes = []struct {
	name  string
	build func(s *Shape, b *builder) error
}{
	{"bus", bus}, {"star", star}, {"ring", ring}, {"mesh", mesh}, {"torus", mesh}, {"tree", tree},
	{"hypercube", hypercube}, {"fat-tree", tree}, {"full", full},
}

// Shapes lists the names of shapes:
//
//	bus        one link for each message, whatever its ends: switches P and P+1 are its two ends
//	star       a switch
//	ring       each processor with its two neighbours
//	mesh       rows and columns
//	torus      a mesh whose ends are joined
//	tree       binary; the processors are its leaves
//	hypercube  processors whose numbers differ in one bit are joined
//	fat-tree   a binary tree; a link has the bandwidth of all processors below it (C. E. Leiserson, Fat-trees:
//	           universal networks for hardware-efficient supercomputing, 1985)
//	full       each processor with each other
func Shapes() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.name
	}
	return names
}

// Graph makes the network.
func (s Shape) Graph() (*Graph, error) {
	if s.Processors < 1 || s.Processors > MostNodes/4 {
		return nil, fmt.Errorf("a %s of %d processors; want 1 to %d", s.Name, s.Processors, MostNodes/4)
	}
	if fault := rateFault(s.Bandwidth); fault != "" {
		return nil, fmt.Errorf("a %s with %s", s.Name, fault)
	}
	for _, known := range shapes {
		if known.name == s.Name {
			b := &builder{shape: &s, nodes: s.Processors}
			if err := known.build(&s, b); err != nil {
				return nil, err
			}
			return New(s.Processors, b.nodes, b.links)
		}
	}
	return nil, fmt.Errorf("unknown shape %q", s.Name)
}

// builder collects links.
type builder struct {
	shape *Shape
	nodes int
	links []Link
}

// node adds a switch.
func (b *builder) node() int {
	b.nodes++
	return b.nodes - 1
}

// way adds a link of one direction.
func (b *builder) way(from, to int, bandwidth, latency float64) {
	b.links = append(b.links, Link{int32(from), int32(to), latency, bandwidth})
}

// join adds a link both ways, with a multiple of the shape's bandwidth.
func (b *builder) join(one, other int, times float64) {
	b.way(one, other, b.shape.Bandwidth*times, b.shape.Latency)
	b.way(other, one, b.shape.Bandwidth*times, b.shape.Latency)
}

func bus(s *Shape, b *builder) error {
	begin, end := b.node(), b.node()
	b.way(begin, end, s.Bandwidth, s.Latency)
	for i := range s.Processors {
		b.way(i, begin, math.Inf(1), 0)
		b.way(end, i, math.Inf(1), 0)
	}
	return nil
}

func star(s *Shape, b *builder) error {
	hub := b.node()
	for i := range s.Processors {
		b.join(i, hub, 1)
	}
	return nil
}

func ring(s *Shape, b *builder) error {
	b.line(s.Processors, true, func(i int) int { return i })
	return nil
}

// line joins n nodes in a line, or, closed, in a ring. Two nodes are joined once.
func (b *builder) line(n int, closed bool, node func(i int) int) {
	for i := 0; i+1 < n; i++ {
		b.join(node(i), node(i+1), 1)
	}
	if closed && n > 2 {
		b.join(node(n-1), node(0), 1)
	}
}

// mesh makes a mesh or a torus.
func mesh(s *Shape, b *builder) error {
	rows, columns := s.Rows, s.Columns
	if rows < 1 || columns < 1 || rows > s.Processors || s.Processors != rows*columns {
		return fmt.Errorf("a %s of %d rows and %d columns for %d processors; want as many places", s.Name, rows,
			columns, s.Processors)
	}
	number := func(r, c int) int { return r*columns + c }
	if s.Gray {
		if !isPower(rows) || !isPower(columns) {
			return fmt.Errorf("%d rows and %d columns in Gray code; want powers of two", rows, columns)
		}
		number = func(r, c int) int { return (r^r>>1)*columns + (c ^ c>>1) }
	}
	for r := range rows {
		b.line(columns, s.Name == "torus", func(c int) int { return number(r, c) })
	}
	for c := range columns {
		b.line(rows, s.Name == "torus", func(r int) int { return number(r, c) })
	}
	return nil
}

func isPower(n int) bool { return n > 0 && bits.OnesCount(uint(n)) == 1 }

// tree makes a binary tree, level by level from its leaves. The last node of an odd level rises to the next.
func tree(s *Shape, b *builder) error {
	type top struct{ node, leaves int }
	level := make([]top, s.Processors)
	for i := range level {
		level[i] = top{i, 1}
	}
	times := func(t top) float64 {
		if s.Name == "tree" {
			return 1
		}
		return float64(t.leaves)
	}
	for len(level) > 1 {
		var above []top
		for i := 0; i+1 < len(level); i += 2 {
			parent := top{b.node(), level[i].leaves + level[i+1].leaves}
			b.join(level[i].node, parent.node, times(level[i]))
			b.join(level[i+1].node, parent.node, times(level[i+1]))
			above = append(above, parent)
		}
		if len(level)%2 == 1 {
			above = append(above, level[len(level)-1])
		}
		level = above
	}
	return nil
}

func hypercube(s *Shape, b *builder) error {
	if !isPower(s.Processors) {
		return fmt.Errorf("a hypercube of %d processors; want a power of two", s.Processors)
	}
	for i := range s.Processors {
		for bit := 1; bit < s.Processors; bit <<= 1 {
			if i&bit == 0 {
				b.join(i, i|bit, 1)
			}
		}
	}
	return nil
}

func full(s *Shape, b *builder) error {
	if s.Processors*(s.Processors-1) > MostLinks {
		return fmt.Errorf("a full network of %d processors; at most %d links", s.Processors, MostLinks)
	}
	for i := range s.Processors {
		for j := range i {
			b.join(j, i, 1)
		}
	}
	return nil
}
