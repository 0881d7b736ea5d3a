package bladerow

// The flow of a solver, as fields and files.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/convert"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/blade"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/field"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Fields returns the flow on the marched mesh, a Field a row. A node's state is the mean of the cells around it, ghost
// cells included: on a boundary that is the boundary state, and both periodic sides agree.
func (s *Solver) Fields() []*field.Field {
	var out []*field.Field
	for n, r := range s.c.rows() {
		l := s.rows[n][s.at]
		f := &field.Field{Grid: l.grid.Grid, Passage: field.Passage{
			Row: r.Body.Name, Blades: r.Body.Blades, N: r.N, Gamma: s.c.Gas.Gamma, R: s.c.Gas.R,
			Pt: l.ref.p, Tt: l.ref.t, LE: l.grid.LE, TE: l.grid.TE,
		}}
		scales := [5]float64{l.ref.rho, l.ref.v, l.ref.v, l.ref.v, l.ref.p}
		for v, to := range []*[]float64{&f.Rho, &f.Vx, &f.Vy, &f.Vz, &f.Ps} {
			*to = l.atNodes(l.q[v], scales[v])
		}
		out = append(out, f)
	}
	return out
}

// atNodes returns the mean of the eight cells around each node, times scale.
func (l *level) atNodes(cell []float64, scale float64) []float64 {
	g := l.grid
	out := make([]float64, len(g.X))
	j, k := l.stride[1], l.stride[2]
	for c := range out {
		n := c % (g.NI + 1)
		m := c / (g.NI + 1)
		a := l.at(n, m%(g.NJ+1), m/(g.NJ+1))
		sum := cell[a] + cell[a-1] + cell[a-j] + cell[a-1-j] + cell[a-k] + cell[a-1-k] + cell[a-j-k] + cell[a-1-j-k]
		out[c] = 0.125 * scale * sum
	}
	return out
}

// WriteGrid writes the grid of the mesh that the flow is on.
func (s *Solver) WriteGrid(w io.Writer) error { return field.WriteGrid(w, s.Fields()) }

// WriteFlow writes the flow on it.
func (s *Solver) WriteFlow(w io.Writer) error { return field.WriteFlow(w, s.Fields()) }

// Lay lays the mesh of a blade row without computing a flow, and measures it: the Field has nodes only. It fails with
// the first cell of no positive volume (a GridError), or if the flow path is too short for the mesh.
func Lay(b *blade.Body, set mesh.Mesh) (*field.Field, Quality, error) {
	if err := b.Check(); err != nil {
		return nil, Quality{}, err
	}
	p, err := mesh.NewPassage(b, set)
	if err != nil {
		return nil, Quality{}, err
	}
	q, err := qualityOf(p)
	if err != nil {
		return nil, Quality{}, fmt.Errorf("blade row %q: %w", b.Name, err)
	}
	return &field.Field{Grid: p.Grid, Passage: field.Passage{Row: b.Name, Blades: b.Blades, LE: p.LE, TE: p.TE}}, q, nil
}

// Quality describes a mesh.
type Quality struct {
	Cells     int
	MinVolume float64 // m3
	// largest deviation from 90 deg of the corners between i- and j-lines, or k-lines and others, rad
	MaxSkew   float64
	MaxAspect float64 // longest over shortest edge of a cell
	MaxGrowth float64 // largest ratio of volumes of neighbouring cells
}

// qualityOf measures the mesh; it fails with the first cell of no positive volume.
func qualityOf(p *mesh.Passage) (Quality, error) {
	sh := newShape(p.NI, p.NJ, p.NK)
	m := newMetric(&sh, p.Extended(-p.Pitch))
	if err := m.check(&sh); err != nil {
		return Quality{}, err
	}
	q := Quality{Cells: p.NI * p.NJ * p.NK, MinVolume: math.Inf(1)}
	for k := range p.NK {
		for j := range p.NJ {
			for i := range p.NI {
				c := sh.at(i, j, k)
				q.MinVolume = min(q.MinVolume, m.vol[c])
				for d, n := range [3]int{i, j, k} {
					if n > 0 {
						r := m.vol[c] / m.vol[c-sh.stride[d]]
						q.MaxGrowth = max(q.MaxGrowth, r, 1/r)
					}
				}
				o := p.Vertex(i, j, k)
				e := [3]mesh.Vec{p.Vertex(i+1, j, k).Sub(o), p.Vertex(i, j+1, k).Sub(o), p.Vertex(i, j, k+1).Sub(o)}
				l := [3]float64{e[0].Norm(), e[1].Norm(), e[2].Norm()}
				q.MaxAspect = max(q.MaxAspect, max(l[0], l[1], l[2])/min(l[0], l[1], l[2]))
				for a := range 3 {
					b := (a + 1) % 3
					q.MaxSkew = max(q.MaxSkew, math.Abs(math.Asin(max(-1, min(1, e[a].Dot(e[b])/(l[a]*l[b]))))))
				}
			}
		}
	}
	return q, nil
}

// Averages holds the 1-D states of the flow through inlet and exit plane, and the performance of the rows, for each
// purpose of an average; see package average.
type Averages struct {
	Inlet, Exit average.Mean
	Row         map[average.Averaging]average.Performance
	Power       float64 // of the walls that turn, W
	MassError   float64 // as in Result
	EnergyError float64
}

// Averages averages both planes of a result, face by face. It fails if the run ended without a flow or if the flow
// through a plane is reversed; the error names the face.
func (s *Solver) Averages(r *march.Result) (*Averages, error) {
	defer s.steering.Enter(march.AverageRegion)()
	if len(r.Inlet.R) == 0 || len(r.Exit.R) == 0 {
		return nil, fmt.Errorf("bladerow: the run ended (%s) without a flow to average", r.Status)
	}
	first, last, gas := s.levels[s.at], s.last(), s.c.Gas
	fluid := average.Perfect{Gamma: gas.Gamma, Rgas: gas.R}
	a := &Averages{Row: map[average.Averaging]average.Performance{}, Power: r.Power, MassError: r.MassError,
		EnergyError: r.EnergyError}
	for _, p := range []struct {
		name string
		l    *level
		i    int
		to   *average.Mean
	}{{"inlet", first, 0, &a.Inlet}, {"exit", last, last.n[0], &a.Exit}} {
		m, err := average.Of(p.l.plane(p.i, gas), fluid, first.ref.p)
		if err != nil {
			return nil, fmt.Errorf("bladerow: %s: %w", p.name, err)
		}
		*p.to = m
	}
	for how := range a.Inlet.Pt {
		row, err := average.Perform(a.Inlet, a.Exit, fluid, how)
		if err != nil {
			return nil, fmt.Errorf("bladerow: %w", err)
		}
		a.Row[how] = row
	}
	return a, nil
}

// Write writes the averages as JSON, SI units, angles in rad.
func (a *Averages) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{
		"inlet": a.Inlet, "exit": a.Exit, "row": a.Row,
		"power": a.Power, "mass_error": a.MassError, "energy_error": a.EnergyError,
	})
}

// The flow over the span, averaged over the pitch, as a survey behind a rotor measures it.

// Profile is the flow over the span at one plane, row of cells by row of cells from the hub: Pt, Tt, velocities
// mass-averaged over the pitch, angles of the mean velocities.
type Profile struct {
	Span, R        []float64 // fraction of the height, radius [m]
	Mass           []float64 // fraction of the mass flow below
	Pt, Tt, Ps     []float64 // Pa, K, Pa
	Vz, Vr, Vtheta []float64 // m/s
	// absolute and relative flow angle against the meridional direction, rad, positive with the rotation
	Alpha, Beta []float64
	// over the inlet, where the same fraction of the mass flow passes below; 1 at the inlet itself
	PR, TR []float64
	Eff    []float64 // adiabatic, of PR and TR; 0 where TR is 1 to 1e-6
}

// Profiles returns the flow over the span at the inlet and the exit plane of a result.
// It fails if the run ended without a flow.
func (s *Solver) Profiles(r *march.Result) (inlet, exit *Profile, err error) {
	if len(r.Inlet.R) == 0 || len(r.Exit.R) == 0 {
		return nil, nil, fmt.Errorf("bladerow: the run ended (%s) without a flow to average", r.Status)
	}
	first, last := s.levels[s.at], s.last()
	inlet = first.profile(r.Inlet, 0)
	exit = last.profile(r.Exit, last.n[0])
	gas := s.c.Gas
	for _, p := range []*Profile{inlet, exit} {
		for k, m := range p.Mass {
			before := march.Station{Pt: profileAt(inlet.Mass, inlet.Pt, m), Tt: profileAt(inlet.Mass, inlet.Tt, m)}
			here := march.Station{Pt: p.Pt[k], Tt: p.Tt[k]}
			p.PR, p.TR = append(p.PR, here.Pt/before.Pt), append(p.TR, here.Tt/before.Tt)
			p.Eff = append(p.Eff, march.Efficiency(&before, &here, gas))
		}
	}
	return inlet, exit, nil
}

// profile returns the profile of the plane i, seen from the level's row.
func (l *level) profile(st *march.Station, i int) *Profile {
	hub, casing := l.nodeRadius(i, 0), l.nodeRadius(i, l.n[2])
	p := &Profile{R: st.R, Mass: st.Mass, Pt: st.PtCell, Tt: st.TtCell, Ps: st.Ps, Vz: st.Vz, Vr: st.Vr,
		Vtheta: st.Vtheta}
	omega := l.omega * l.ref.v
	for k, r := range st.R {
		vm := math.Hypot(st.Vz[k], st.Vr[k])
		p.Span = append(p.Span, (r-hub)/(casing-hub))
		p.Alpha = append(p.Alpha, math.Atan2(st.Vtheta[k], vm))
		p.Beta = append(p.Beta, math.Atan2(st.Vtheta[k]-omega*r, vm))
	}
	return p
}

// Write writes a profile as text, a line a row of cells under a line of names; angles
// in degrees.
func (p *Profile) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	columns := p.columns()
	b.WriteString("#")
	for _, c := range columns {
		b.WriteString(" " + c.name)
	}
	b.WriteString("\n")
	for k := range p.Span {
		for n, c := range columns {
			if n > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(b, "%.8g", (*c.v)[k]/c.unit)
		}
		b.WriteString("\n")
	}
	return b.Flush()
}

// column is a column of a profile's file.
type column struct {
	name string
	v    *[]float64
	unit float64 // in SI
}

func (p *Profile) columns() []column {
	const degree = math.Pi / 180
	return []column{
		{"span", &p.Span, 1}, {"R[m]", &p.R, 1}, {"mass", &p.Mass, 1}, {"Pt[Pa]", &p.Pt, 1}, {"Tt[K]", &p.Tt, 1},
		{"Ps[Pa]", &p.Ps, 1},
		{"Vz[m/s]", &p.Vz, 1}, {"Vr[m/s]", &p.Vr, 1}, {"Vtheta[m/s]", &p.Vtheta, 1}, {"alpha[deg]", &p.Alpha, degree},
		{"beta[deg]", &p.Beta, degree},
		{"PR", &p.PR, 1}, {"TR", &p.TR, 1}, {"eff", &p.Eff, 1},
	}
}

// ReadProfile reads the output of Write, or a survey in that form: a line of names behind #, which must contain span,
// then a line of numbers for each place. Missing columns are nil.
func ReadProfile(r io.Reader) (*Profile, error) {
	p := &Profile{}
	var to []column
	scan := bufio.NewScanner(r)
	for line := 1; scan.Scan(); line++ {
		words := strings.Fields(scan.Text())
		switch {
		case len(words) == 0:
		case to == nil:
			var err error
			if to, err = p.named(words); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		case len(words) != len(to):
			return nil, fmt.Errorf("line %d: %d numbers for %d names", line, len(words), len(to))
		default:
			for k, w := range words {
				v, err := strconv.ParseFloat(w, 64)
				if err != nil || !numeric.Finite(v) {
					return nil, fmt.Errorf("line %d: %s is %q; want a number", line, to[k].name, w)
				}
				*to[k].v = append(*to[k].v, v*to[k].unit)
			}
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(p.Span) == 0 {
		return nil, fmt.Errorf("no profile: want a line of names behind #, and numbers below")
	}
	return p, nil
}

// named finds the columns that a line of names means.
func (p *Profile) named(words []string) ([]column, error) {
	known := p.columns()
	names := convert.All(known, func(c column) string { return c.name })
	words[0] = strings.TrimPrefix(words[0], "#")
	if words[0] == "" {
		words = words[1:]
	}
	var to []column
	for _, w := range words {
		k := slices.Index(names, w)
		if k < 0 || slices.ContainsFunc(to, func(c column) bool { return c.name == w }) {
			return nil, fmt.Errorf("%q is no name, or there twice; want some of %s", w, strings.Join(names, ", "))
		}
		to = append(to, known[k])
	}
	if !slices.Contains(words, "span") {
		return nil, fmt.Errorf("no column span among %s", strings.Join(words, ", "))
	}
	return to, nil
}
