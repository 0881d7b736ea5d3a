package bladerow

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/solver/average"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// Averages are the 1-D states that stand for the flow through inlet and exit plane, and
// what the rows did, for each purpose of an average; see package average.
type Averages struct {
	Inlet, Exit average.Mean
	Row         map[average.Averaging]average.Performance
	Power       float64 // of the walls that turn, W
	MassError   float64 // as in Result
	EnergyError float64
}

// Averages averages both planes of a result, face by face. It fails if the run ended
// without a flow or, naming the face, if it runs backwards through a plane.
func (s *Solver) Averages(r *march.Result) (*Averages, error) {
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

// plane gathers the faces of the plane i of all passages.
func (l *level) plane(i int, gas march.Gas) average.Plane {
	var p average.Plane
	blades := 2 * math.Pi / l.grid.pitch
	for k := range l.n[2] {
		for j := range l.n[1] {
			f, area, v := l.through(l.at(i, j, k), gas)
			p.DW, p.DA = append(p.DW, f*blades*l.ref.rho*l.ref.v), append(p.DA, area*blades)
			p.Pt, p.Tt, p.Ps = append(p.Pt, v[0]*l.ref.p), append(p.Tt, v[1]*l.ref.t), append(p.Ps, v[2]*l.ref.p)
			p.Alpha = append(p.Alpha, math.Atan2(v[6], math.Hypot(v[4], v[5])))
		}
	}
	return p
}

// Write writes the averages as JSON, SI units, angles in rad.
func (a *Averages) Write(w io.Writer) error {
	type state struct {
		W     float64                       `json:"W"`
		A     float64                       `json:"A"`
		Tt    float64                       `json:"Tt"`
		Pt    map[average.Averaging]float64 `json:"Pt"`
		Ps    float64                       `json:"Ps"`
		Alpha float64                       `json:"alpha"`
	}
	type row struct {
		PR      float64 `json:"PR"`
		TR      float64 `json:"TR"`
		Eff     float64 `json:"eff"`
		EffPoly float64 `json:"effPoly"`
	}
	of := func(m *average.Mean) state { return state{m.W, m.A, m.Tt, m.Pt, m.Ps, m.Alpha} }
	rows := map[average.Averaging]row{}
	for how, p := range a.Row {
		rows[how] = row{p.PR, p.TR, p.Eff, p.EffPoly}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{
		"inlet": of(&a.Inlet), "exit": of(&a.Exit), "row": rows,
		"power": a.Power, "mass_error": a.MassError, "energy_error": a.EnergyError,
	})
}
