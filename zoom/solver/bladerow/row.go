package bladerow

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Row is one row of blades. Its hub turns with it, its casing stands.
type Row struct {
	Body *blade.Body
	N    float64 // rpm, 0 or more
}

// rows lists all rows of a case, in the order in which the flow meets them.
func (c *Case) rows() []Row {
	return append([]Row{{c.Body, c.N}}, c.Behind...)
}

// checkRows reports the first fault of the rows.
func (c *Case) checkRows() error {
	for n, r := range c.rows() {
		field := func(name string) string {
			if n == 0 {
				return name
			}
			return fmt.Sprintf("Behind[%d].%s", n-1, name)
		}
		if r.Body == nil {
			return march.Bad(field("Body"), "missing")
		}
		if err := r.Body.Check(); err != nil {
			return &march.InputError{Field: field("Body"), Err: err}
		}
		if !(r.N >= 0) || math.IsInf(r.N, 0) {
			return march.Bad(field("N"), "%g rpm; want 0 or more", r.N)
		}
		if n == 0 {
			continue
		}
		before := c.rows()[n-1].Body
		z := (last(before.Sections[0].Z) + r.Body.Sections[0].Z[0]) / 2
		if r.Body.Sections[0].Z[0] <= last(before.Sections[0].Z) {
			return march.Bad(field("Body"), "row %q begins at z = %.4g m, not behind row %q, which ends at %.4g m",
				r.Body.Name, r.Body.Sections[0].Z[0], before.Name, last(before.Sections[0].Z))
		}
		for _, w := range [][2]float64{
			{before.Hub.At(z), r.Body.Hub.At(z)}, {before.Casing.At(z), r.Body.Casing.At(z)},
		} {
			if math.Abs(w[0]-w[1]) > 1e-6*w[0] {
				return march.Bad(field("Body"),
					"rows %q and %q have different walls between them, at z = %.4g m: radius %.6g and %.6g m",
					before.Name, r.Body.Name, z, w[0], w[1])
			}
		}
		if (r.Body.TipGap > 0) != (before.TipGap > 0) && r.Body.TipGap > 0 {
			return march.Bad(field("Body"),
				"row %q has a tip gap and row %q before it none; give the gap to the first row, or to all",
				r.Body.Name, before.Name)
		}
	}
	return nil
}

func last(x []float64) float64 { return x[len(x)-1] }

// passages lays the meshes of all rows. Between two rows they end on one surface, half
// way from the trailing edges to the leading edges, with the same cells over the span.
func (c *Case) passages() ([]*passage, error) {
	rows := c.rows()
	if len(rows) == 1 {
		p, err := newPassage(c.Body, c.Settings.Mesh)
		return []*passage{p}, err
	}
	height := heights(c.Body, c.Settings.Mesh, tipLine(c.Body, c.Settings.Mesh))
	le, te := make([][]float64, len(rows)), make([][]float64, len(rows))
	for n, r := range rows {
		ends, err := r.Body.Stations([]float64{0, 1})
		if err != nil {
			return nil, err
		}
		for k := range c.Settings.Mesh.Span + 1 {
			le[n] = append(le[n], meeting(r.Body, &ends[0], height(k)))
			te[n] = append(te[n], meeting(r.Body, &ends[1], height(k)))
		}
	}
	var out []*passage
	for n, r := range rows {
		lay := layout{height: height}
		if n > 0 {
			lay.in = between(te[n-1], le[n])
		}
		if n < len(rows)-1 {
			lay.out = between(te[n], le[n+1])
		}
		p, err := lay.passage(r.Body, c.Settings.Mesh)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
