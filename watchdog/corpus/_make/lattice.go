package main

// Meshes: a lattice of blocks in the plane, one cell thick, with holes and curved lines.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lattice is a plane mesh of blocks between the lines x[i] and y[j]; place may bend it.
type lattice struct {
	x, y   []float64
	nx, ny []int    // cells between the lines
	gx, gy []string // expansion between the lines; nil: uniform
	hole   func(i, j int) bool
	place  func(x, y float64) (float64, float64) // nil: not bent
	patch  func(i, j int, side byte) string      // of the side w, e, s, n of the block i, j
	kind   map[string]string                     // of a patch; default "type patch;"
	depth  float64                               // 0: 0.1
}

// blockMesh returns system/blockMeshDict.
func (l *lattice) blockMesh() string {
	m := meshText{lattice: l, faces: map[string][]string{}}
	for i := range l.x {
		for j := range l.y {
			for k := range 2 { // unused vertices are harmless, so all are numbered
				fmt.Fprintf(&m.vertices, "    %s\n", l.point(l.x[i], l.y[j], k))
			}
		}
	}
	for i := range l.nx {
		for j := range l.y {
			if l.place != nil && (!l.solid(i, j) || !l.solid(i, j-1)) {
				m.line(i, j)
			}
		}
		for j := range l.ny {
			if !l.solid(i, j) {
				m.block(i, j)
			}
		}
	}
	return m.dictionary()
}

// solid reports whether a place of the lattice has no flow.
func (l *lattice) solid(i, j int) bool {
	return i < 0 || j < 0 || i >= len(l.nx) || j >= len(l.ny) || l.hole != nil && l.hole(i, j)
}

// point returns a point of the side k, 0 or 1.
func (l *lattice) point(x, y float64, k int) string {
	if l.place != nil {
		x, y = l.place(x, y)
	}
	return fmt.Sprintf("(%.9g %.9g %.9g)", x, y, float64(k)*cmp.Or(l.depth, 0.1))
}

func (l *lattice) vertex(i, j, k int) int { return (i*len(l.y)+j)*2 + k }

// meshText gathers the lists of a blockMeshDict.
type meshText struct {
	*lattice
	vertices, edges, blocks, sides strings.Builder
	faces                          map[string][]string // by patch
}

// line adds the bent line from i, j to i+1, j.
func (m *meshText) line(i, j int) {
	for k := range 2 {
		fmt.Fprintf(&m.edges, "    polyLine %d %d (", m.vertex(i, j, k), m.vertex(i+1, j, k))
		const parts = 24
		for n := 1; n < parts; n++ {
			m.edges.WriteString(m.point(m.x[i]+(m.x[i+1]-m.x[i])*float64(n)/parts, m.y[j], k))
		}
		m.edges.WriteString(")\n")
	}
}

// block adds a block and the faces where it ends.
func (m *meshText) block(i, j int) {
	var low, high []string
	for _, c := range [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}} {
		low = append(low, fmt.Sprint(m.vertex(c[0], c[1], 0)))
		high = append(high, fmt.Sprint(m.vertex(c[0], c[1], 1)))
	}
	fmt.Fprintf(&m.blocks, "    hex (%s %s) (%d %d 1) simpleGrading (%s %s 1)\n",
		strings.Join(low, " "), strings.Join(high, " "), m.nx[i], m.ny[j], grading(m.gx, i), grading(m.gy, j))
	fmt.Fprintf(&m.sides, " (%s) (%s)", strings.Join(low, " "), strings.Join(high, " "))
	for _, s := range []struct {
		side   byte
		di, dj int
		a, b   int
	}{{'w', -1, 0, 0, 3}, {'e', 1, 0, 1, 2}, {'s', 0, -1, 0, 1}, {'n', 0, 1, 3, 2}} {
		if m.solid(i+s.di, j+s.dj) {
			name := m.patch(i, j, s.side)
			m.faces[name] = append(m.faces[name],
				fmt.Sprintf("(%s %s %s %s)", low[s.a], low[s.b], high[s.b], high[s.a]))
		}
	}
}

func (m *meshText) dictionary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "convertToMeters 1;\nvertices (\n%s);\nedges (\n%s);\nblocks (\n%s);\nboundary (\n",
		m.vertices.String(), m.edges.String(), m.blocks.String())
	for _, name := range slices.Sorted(maps.Keys(m.faces)) {
		fmt.Fprintf(&b, "    %s { %s faces (%s); }\n", name, cmp.Or(m.kind[name], "type patch;"),
			strings.Join(m.faces[name], " "))
	}
	fmt.Fprintf(&b, "    sides { type empty; faces (%s); }\n);\nmergePatchPairs ();\n", m.sides.String())
	return dictionary("dictionary", "blockMeshDict", b.String())
}

func grading(g []string, i int) string {
	if g == nil || g[i] == "" {
		return "1"
	}
	return g[i]
}

// bothEnds returns an expansion that makes cells smaller towards both ends by a factor.
func bothEnds(factor float64) string {
	return fmt.Sprintf("((0.5 0.5 %g) (0.5 0.5 %g))", factor, 1/factor)
}
