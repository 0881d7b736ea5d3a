// Package blade describes the inside of a turbomachine: the walls of the flow path and the blade rows between them,
// made of section tables. It holds shapes only; the flow solvers that use them (axisymmetric and blade to blade) each
// make their own mesh from it.
package blade

import "fmt"

// Geometry is a flow path with its blade rows, in the order of the flow.
type Geometry struct {
	Name        string
	Source      string // where the numbers come from
	Hub, Casing *Curve // wall radius over axial distance, m
	Rows        []*Row
}

// Ends returns the axial range that both walls cover, m.
func (g *Geometry) Ends() (first, last float64) {
	h0, h1 := g.Hub.Range()
	c0, c1 := g.Casing.Range()
	return max(h0, c0), min(h1, c1)
}

// Check reports the first contradiction of the geometry: walls that cross or touch, rows outside the flow path or
// within each other.
func (g *Geometry) Check() error {
	if g.Hub == nil || g.Casing == nil {
		return fmt.Errorf("geometry %q: hub and casing are both needed", g.Name)
	}
	first, last := g.Ends()
	if !(last > first) {
		return fmt.Errorf("geometry %q: hub and casing share no axial range", g.Name)
	}
	const n = 400
	for k := 0; k <= n; k++ {
		z := first + (last-first)*float64(k)/n
		hub, casing := g.Hub.At(z), g.Casing.At(z)
		if !(hub >= 0) {
			return fmt.Errorf("geometry %q: hub radius %g m at z = %g m; want 0 or more", g.Name, hub, z)
		}
		if !(casing > hub) {
			return fmt.Errorf("geometry %q: hub (%.6g m) is not below casing (%.6g m) at z = %.6g m", g.Name, hub,
				casing, z)
		}
	}
	front := first
	for _, row := range g.Rows {
		if h := g.Casing.At(row.StackZ) - g.Hub.At(row.StackZ); !(row.TipGap >= 0 && row.TipGap < 0.5*h) {
			return fmt.Errorf("row %q: tip gap %g m; want 0 to half of the span, which is %.6g m", row.Name,
				row.TipGap, h)
		}
		for k := 0; k <= 10; k++ {
			t := float64(k) / 10
			z := row.StackZ
			radius := g.Hub.At(z) + t*(g.Casing.At(z)-g.Hub.At(z))
			le, te := row.Edge(true, radius), row.Edge(false, radius)
			if le <= front {
				return fmt.Errorf(
					"row %q: leading edge at z = %.6g m (radius %.6g m) is not behind %.6g m, where the flow path or "+
						"the row before it ends",
					row.Name, le, radius, front)
			}
			if te >= last {
				return fmt.Errorf(
					"row %q: trailing edge at z = %.6g m (radius %.6g m) is not ahead of the end of the flow path, "+
						"%.6g m",
					row.Name, te, radius, last)
			}
		}
		front = row.Edge(false, g.Casing.At(row.StackZ))
	}
	return nil
}
