package external

// Blades for programs that mesh them themselves: a row of the zoom's geometry as sections or as a surface of triangles.

import (
	"fmt"
	"math"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
)

// blades writes a row of a geometry file; the first one if the name is empty. Lengths are in m, the axis is x, and y
// is up at the angle 0.
func blades(geometry, row, format string) (string, error) {
	g, err := blade.Parse([]byte(geometry))
	if err != nil {
		return "", err
	}
	for _, r := range g.Rows {
		if row != "" && r.Name != row {
			continue
		}
		body, err := g.Solid(r, blade.SolidSections, blade.SolidPoints)
		if err != nil {
			return "", err
		}
		if format == formatSTL {
			return stl(body), nil
		}
		return sections(body), nil
	}
	return "", fmt.Errorf("the geometry %q has no blade row %q", g.Name, row)
}

// sections is a table: number of the section from the hub, x, r, and the angles of both sides, from the leading to
// the trailing edge.
func sections(b *blade.Body) string {
	var text strings.Builder
	text.WriteString("# section x r theta_lower theta_upper\n")
	for k, s := range b.Sections {
		for i := range s.Z {
			fmt.Fprintf(&text, "%d %s %s %s %s\n", k+1, numeric.Text(s.Z[i]), numeric.Text(s.R[i]),
				numeric.Text(s.Lower[i]), numeric.Text(s.Upper[i]))
		}
	}
	return text.String()
}

type point [3]float64

// stl is a closed surface in the ASCII form of STL: both sides from edge to edge, and lids at hub and casing. Normals
// point outwards.
func stl(b *blade.Body) string {
	at := func(k, i int, upper bool) point {
		s := b.Sections[k]
		theta := s.Lower[i]
		if upper {
			theta = s.Upper[i]
		}
		sin, cos := math.Sincos(theta)
		return point{s.Z[i], s.R[i] * cos, s.R[i] * sin}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "solid %s\n", strings.ReplaceAll(b.Name, " ", "_"))
	quad := func(p, q, r, s point) {
		triangle(&text, p, q, r)
		triangle(&text, p, r, s)
	}
	last := len(b.Sections) - 1
	for k := range last {
		for i := range len(b.Sections[k].Z) - 1 {
			quad(at(k, i, true), at(k, i+1, true), at(k+1, i+1, true), at(k+1, i, true))
			quad(at(k, i, false), at(k+1, i, false), at(k+1, i+1, false), at(k, i+1, false))
		}
	}
	for i := range len(b.Sections[0].Z) - 1 {
		quad(at(0, i, false), at(0, i+1, false), at(0, i+1, true), at(0, i, true))
		quad(at(last, i, false), at(last, i, true), at(last, i+1, true), at(last, i+1, false))
	}
	fmt.Fprintf(&text, "endsolid\n")
	return text.String()
}

// triangle writes one, unless two of its corners are one, as at a sharp edge.
func triangle(text *strings.Builder, p, q, r point) {
	if p == q || q == r || r == p {
		return
	}
	var u, v point
	for i := range 3 {
		u[i], v[i] = q[i]-p[i], r[i]-p[i]
	}
	n := point{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	length := math.Sqrt(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])
	if length == 0 {
		return
	}
	fmt.Fprintf(text, "facet normal %g %g %g\nouter loop\n", n[0]/length, n[1]/length, n[2]/length)
	for _, c := range []point{p, q, r} {
		fmt.Fprintf(text, "vertex %s %s %s\n", numeric.Text(c[0]), numeric.Text(c[1]), numeric.Text(c[2]))
	}
	text.WriteString("endloop\nendfacet\n")
}
