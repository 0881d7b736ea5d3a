package bladerow

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Model selects the equations.
type Model string

const (
	Euler Model = "euler"

	// Helical is the Reynolds-averaged Navier-Stokes equations with air's viscosity and Spalart
	// and Allmaras's turbulence, whose production grows with helicity.
	Helical Model = "spalart-helicity"

	Spalart Model = "spalart" // the same without helicity

	// MixingLength has Prandtl's mixing length instead: a sixth less time, a cruder answer.
	MixingLength Model = "mixing-length"
)

// Settings steer the solver; zero values mean the defaults.
type Settings struct {
	Mesh  mesh.Mesh
	Model Model // default Helical
	// meshes of the start and of the multigrid cycle, each of every other node of the next; default 3
	Levels        int
	CFL           float64 // Courant number of the implicit scheme, default 50
	MaxIterations int     // on the finest mesh, default 3000
	Tolerance     float64 // orders of magnitude the residual must drop from its greatest value, default 3
	Steady        float64 // the flow's relative change over 50 iterations that counts as steady, default 1e-4
	MassError     float64 // |W_in - W_out|/W_in that counts as closed, default 1e-3
	Every         int     // iterations between two reports, default 20
	Workers       int     // goroutines, default 1; the answer does not depend on it
}

// Case is a flow to be computed: a row of blades, and the rows behind it, each joined to the previous row by a mixing
// plane. Blades turn with the hub under them; the rest of the hub and the casing are at rest.
type Case struct {
	Body     *blade.Body
	Gas      march.Gas
	Inlet    march.Inlet
	Exit     march.Exit
	N        float64 // speed of the row, rpm, 0 or more
	Behind   []Row
	Settings Settings
}

func (s Settings) withDefaults() Settings {
	s.Mesh = s.Mesh.WithDefaults()
	s.Model = cmp.Or(s.Model, Helical)
	s.Levels, s.MaxIterations = cmp.Or(s.Levels, 3), cmp.Or(s.MaxIterations, 3000)
	s.Every, s.Workers = cmp.Or(s.Every, 20), cmp.Or(s.Workers, 1)
	s.CFL, s.Tolerance = cmp.Or(s.CFL, 50), cmp.Or(s.Tolerance, 3)
	s.Steady, s.MassError = cmp.Or(s.Steady, 1e-4), cmp.Or(s.MassError, 1e-3)
	return s
}

// check reports the first fault of a case whose settings have their defaults.
func (c *Case) check() error {
	if err := c.checkRows(); err != nil {
		return err
	}
	if err := c.Gas.Check(); err != nil {
		return err
	}
	if err := c.Inlet.Check(); err != nil {
		return err
	}
	if err := c.checkExit(); err != nil {
		return err
	}
	return c.checkSettings()
}

func (c *Case) checkExit() error {
	e := &c.Exit
	if err := e.Check(); err != nil {
		return err
	}
	top := c.Inlet.TopPt()
	fastest := 0.0
	for _, r := range c.rows() {
		fastest = max(fastest, r.N)
	}
	if fastest == 0 && e.Ps >= top {
		return march.Bad("Exit.Ps", "%g Pa is not below the inlet's total pressure, %g Pa, and the row stands", e.Ps,
			top)
	}
	// The tip's whole dynamic head, doubled: no row holds more.
	tip := fastest * math.Pi / 30 * c.Body.Casing.At(c.Body.Sections[0].Z[0])
	if limit := top * (1 + 2*tip*tip/(c.Gas.R*c.Inlet.Tt[0])); e.Ps >= limit {
		return march.Bad("Exit.Ps",
			"%g Pa against a total pressure of %g Pa at the inlet; at this speed no row holds more than %.3g Pa", e.Ps,
			top, limit)
	}
	return nil
}

func (c *Case) checkSettings() error {
	s := &c.Settings
	if models := []Model{Euler, Helical, Spalart, MixingLength}; !slices.Contains(models, s.Model) {
		return march.Bad("Settings.Model", "%q; want one of %v", s.Model, models)
	}
	if s.Levels < 1 || s.Levels > 4 {
		return march.Bad("Settings.Levels", "%d; want 1 to 4", s.Levels)
	}
	unit := 1 << (s.Levels - 1)
	for _, f := range []struct {
		name string
		v    int
	}{{"Upstream", s.Mesh.Upstream}, {"Blade", s.Mesh.Blade}, {"Downstream", s.Mesh.Downstream},
		{"Pitch", s.Mesh.Pitch}, {"Span", s.Mesh.Span}} {
		if f.v < 4*unit || f.v%unit != 0 || f.v > 1024 {
			return march.Bad("Settings.Mesh."+f.name, "%d; want a multiple of %d from %d to 1024", f.v, unit, 4*unit)
		}
	}
	if g := s.Mesh.Gap; c.Body.TipGap > 0 && (g < unit || g%unit != 0 || s.Mesh.Span-g < 4*unit) {
		return march.Bad("Settings.Mesh.Gap", "%d of %d cells; want a multiple of %d that leaves %d for the blade", g,
			s.Mesh.Span, unit, 4*unit)
	}
	if c := s.Mesh.Closing; c < unit || c%unit != 0 || s.Mesh.Downstream-c < 2*unit {
		return march.Bad("Settings.Mesh.Closing", "%d of %d cells; want a multiple of %d that leaves %d for the wake",
			c, s.Mesh.Downstream, unit, 2*unit)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Front", s.Mesh.Front}, {"Rear", s.Mesh.Rear}, {"Wall", s.Mesh.Wall}, {"Edge", s.Mesh.Edge}, {"CFL", s.CFL},
		{"Tolerance", s.Tolerance}, {"Steady", s.Steady}, {"MassError", s.MassError}} {
		if !(f.v > 0) || math.IsInf(f.v, 0) {
			return march.Bad("Settings."+f.name, "%g; want more than 0", f.v)
		}
	}
	if s.MaxIterations < 1 || s.Every < 1 || s.Workers < 1 {
		return march.Bad("Settings", "MaxIterations %d, Every %d, Workers %d; want at least 1", s.MaxIterations,
			s.Every, s.Workers)
	}
	return nil
}

// Row is a row of blades. Its hub turns with it, its casing is at rest.
type Row struct {
	Body *blade.Body
	N    float64 // rpm, 0 or more
}

// rows lists all rows of a case, in the order of the flow.
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

// passages lays the meshes of all rows. Between two rows they end on a common surface, half way from the trailing edges
// to the leading edges, with the same cells over the span.
func (c *Case) passages() ([]*mesh.Passage, error) {
	rows := c.rows()
	if len(rows) == 1 {
		p, err := mesh.NewPassage(c.Body, c.Settings.Mesh)
		return []*mesh.Passage{p}, err
	}
	height := mesh.Heights(c.Body, c.Settings.Mesh, mesh.TipLine(c.Body, c.Settings.Mesh))
	le, te := make([][]float64, len(rows)), make([][]float64, len(rows))
	for n, r := range rows {
		ends, err := r.Body.Stations([]float64{0, 1})
		if err != nil {
			return nil, err
		}
		for k := range c.Settings.Mesh.Span + 1 {
			le[n] = append(le[n], mesh.Meeting(r.Body, &ends[0], height(k)))
			te[n] = append(te[n], mesh.Meeting(r.Body, &ends[1], height(k)))
		}
	}
	var out []*mesh.Passage
	for n, r := range rows {
		lay := mesh.Layout{Height: height}
		if n > 0 {
			lay.In = mesh.Between(te[n-1], le[n])
		}
		if n < len(rows)-1 {
			lay.Out = mesh.Between(te[n], le[n+1])
		}
		p, err := lay.Passage(r.Body, c.Settings.Mesh)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}
