package bladerow

// What a survey behind a rotor shows: the flow over the span, averaged over the pitch.

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Profile is the flow over the span at one plane, row of cells by row of cells from the
// hub: Pt, Tt, velocities mass-averaged over the pitch, angles of the mean velocities.
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

// profile is that of the plane i, seen from the level's row.
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

// column is one of a profile's file.
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

// ReadProfile reads what Write wrote, or a survey in that form: below a line of names
// behind #, of which span must be one, a line of numbers for each place. Columns that
// are not there stay nil.
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
	var names []string
	for _, c := range known {
		names = append(names, c.name)
	}
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
