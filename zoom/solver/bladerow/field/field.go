// Package field is the three-dimensional flow through blade rows at the nodes of its mesh: cuts and means through it,
// the pressure on blades, and its files (PLOT3D, VTK).
package field

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/zoom/solver/bladerow/mesh"
	"github.com/peregrine-sim/peregrine/zoom/solver/march"
)

// The flow for output: a mesh with a state at each node, in SI units. All output is made
// from Fields, so that a run's files can be drawn as well as a solver's flow.

// Passage describes the blade row and the gas of a Field.
type Passage struct {
	Row    string  `json:"row"` // name of the blade row
	Blades int     `json:"blades"`
	N      float64 `json:"N"`     // speed of the row, rpm
	Gamma  float64 `json:"gamma"` // ratio of specific heats
	R      float64 `json:"R"`     // gas constant, J/(kg K)
	// of the inlet, to which entropy is referred and PLOT3D files are made dimensionless, Pa
	Pt float64 `json:"Pt"`
	Tt float64 `json:"Tt"` // K
	LE int     `json:"LE"` // node line (i) of the leading edge
	TE int     `json:"TE"` // node line of the trailing edge
}

// EndState is the operating point of a run that has ended.
type EndState struct {
	Status     march.Status `json:"status"`
	Iterations int          `json:"iterations"`
	W          float64      `json:"W"` // inlet mass flow, kg/s
	PR         float64      `json:"PR"`
	TR         float64      `json:"TR"`
	Eff        float64      `json:"eff"`
}

// Field is the flow in one passage at the mesh's nodes. Axes and omega are those of Grid, which turns with the row; the
// velocity is the absolute velocity.
type Field struct {
	*mesh.Grid
	Passage
	Rho        []float64 // density, kg/m3
	Vx, Vy, Vz []float64 // velocity, m/s
	Ps         []float64 // static pressure, Pa

	Run *EndState // nil: not known
}

// Omega returns the speed of the row, rad/s.
func (p *Passage) Omega() float64 { return p.N * math.Pi / 30 }

// Pitch returns the angle between two blades, rad.
func (p *Passage) Pitch() float64 { return 2 * math.Pi / float64(p.Blades) }

// Gas returns the gas.
func (p *Passage) Gas() march.Gas { return march.Gas{Gamma: p.Gamma, R: p.R} }

// State is the flow at a node in the terms of turbomachinery. Angles are against the
// meridional direction, positive with the rotation.
type State struct {
	Z, Radius, Theta     float64 // m, m, rad
	Rho, Ps, Ts          float64 // kg/m3, Pa, K
	Vz, Vr, Vtheta, Vm   float64 // m/s
	Wtheta               float64 // Vtheta seen from the row, m/s
	Pt, Tt, PtRel, TtRel float64 // totals, absolute and seen from the row, Pa and K
	MN, MNRel            float64 // Mach numbers, likewise
	Alpha, Beta          float64 // flow angles, likewise, rad
	Entropy              float64 // above that of the inlet's mean total state, J/(kg K)
}

// At returns the state at a node, by its index.
func (f *Field) At(n int) State {
	x, y := f.X[n], f.Y[n]
	s := State{Z: f.Z[n], Radius: math.Hypot(x, y), Theta: math.Atan2(y, x), Rho: f.Rho[n], Ps: f.Ps[n], Vz: f.Vz[n]}
	gas := f.Gas()
	cp, e := gas.Cp(), f.Gamma/(f.Gamma-1)
	s.Ts = s.Ps / (s.Rho * f.R)
	s.Vr, s.Vtheta = (f.Vx[n]*x+f.Vy[n]*y)/s.Radius, (f.Vy[n]*x-f.Vx[n]*y)/s.Radius
	f.derive(&s)
	v2, w2 := s.Vm*s.Vm+s.Vtheta*s.Vtheta, s.Vm*s.Vm+s.Wtheta*s.Wtheta
	s.Tt, s.TtRel = s.Ts+v2/(2*cp), s.Ts+w2/(2*cp)
	s.Pt, s.PtRel = s.Ps*math.Pow(s.Tt/s.Ts, e), s.Ps*math.Pow(s.TtRel/s.Ts, e)
	s.Entropy = cp*math.Log(s.Ts/f.Tt) - f.R*math.Log(s.Ps/f.Pt)
	return s
}

// derive sets the values that follow from velocity, radius and static temperature.
func (f *Field) derive(s *State) {
	s.Vm, s.Wtheta = math.Hypot(s.Vz, s.Vr), s.Vtheta-f.Omega()*s.Radius
	a := math.Sqrt(f.Gamma * f.R * s.Ts)
	s.MN, s.MNRel = math.Hypot(s.Vm, s.Vtheta)/a, math.Hypot(s.Vm, s.Wtheta)/a
	s.Alpha, s.Beta = math.Atan2(s.Vtheta, s.Vm), math.Atan2(s.Wtheta, s.Vm)
}

// Quantity is a value that follows from the state at a node.
type Quantity struct {
	Name, Unit string
	Doc        string
	Of         func(s *State) float64
}

// Quantities lists the quantities in function files and VTK files, by the symbols of SAE AS6502.
func Quantities() []Quantity {
	return []Quantity{
		{"Ps", "Pa", "static pressure", func(s *State) float64 { return s.Ps }},
		{"Ts", "K", "static temperature", func(s *State) float64 { return s.Ts }},
		{"Pt", "Pa", "total pressure", func(s *State) float64 { return s.Pt }},
		{"Tt", "K", "total temperature", func(s *State) float64 { return s.Tt }},
		{"Pt_rel", "Pa", "total pressure seen from the row", func(s *State) float64 { return s.PtRel }},
		{"MN", "", "Mach number", func(s *State) float64 { return s.MN }},
		{"MN_rel", "", "Mach number seen from the row", func(s *State) float64 { return s.MNRel }},
		{"Vm", "m/s", "meridional velocity", func(s *State) float64 { return s.Vm }},
		{
			"Vtheta", "m/s", "circumferential velocity, positive with the rotation",
			func(s *State) float64 { return s.Vtheta },
		},
		{"alpha", "rad", "flow angle against the meridional direction", func(s *State) float64 { return s.Alpha }},
		{"beta", "rad", "flow angle seen from the row", func(s *State) float64 { return s.Beta }},
		{"entropy", "J/(kg K)", "entropy above the inlet's", func(s *State) float64 { return s.Entropy }},
	}
}

// Values returns a quantity at all nodes.
func (f *Field) Values(q Quantity) []float64 {
	out := make([]float64, len(f.X))
	for n := range out {
		s := f.At(n)
		out[n] = q.Of(&s)
	}
	return out
}

// PassageFile describes the flow in a run's PLOT3D files.
const PassageFile = "passage.json"

// flowLimit is the size limit of each file of a flow: a grid of 10 million nodes has 240 MB.
var flowLimit = intake.Limit{What: "a flow", Bytes: 2 << 30}

// Passages is the content of PassageFile.
type Passages struct {
	Run  *EndState `json:"run"`
	Rows []Passage `json:"rows"` // in the order of the grid's blocks
}

// ReadFields reads a flow, a Field a row, from the folder of a run: GridFile, FlowFile
// and PassageFile.
func ReadFields(dir string) ([]*Field, error) {
	text, err := intake.Read(filepath.Join(dir, PassageFile), flowLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: it is no folder of a finished bladerow run", dir, PassageFile)
	}
	if err != nil {
		return nil, err
	}
	var p Passages
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, PassageFile), err)
	}
	if len(p.Rows) == 0 {
		return nil, fmt.Errorf("%s names no row", filepath.Join(dir, PassageFile))
	}
	var fields []*Field
	for n := range p.Rows {
		if err := p.Rows[n].check(); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", filepath.Join(dir, PassageFile), n+1, err)
		}
		fields = append(fields, &Field{Passage: p.Rows[n], Run: p.Run})
	}
	for _, part := range []struct {
		name string
		read func([]byte, []*Field) error
	}{{march.GridFile, ReadGrids}, {march.FlowFile, ReadFlows}} {
		data, err := intake.Read(filepath.Join(dir, part.name), flowLimit)
		if err != nil {
			return nil, err
		}
		if err := part.read(data, fields); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, part.name), err)
		}
	}
	for _, f := range fields {
		if f.LE < 1 || f.TE <= f.LE || f.TE >= f.NI {
			return nil, fmt.Errorf("%s: row %q: edges at node lines %d and %d of %d", filepath.Join(dir, PassageFile),
				f.Row, f.LE, f.TE, f.NI+1)
		}
	}
	return fields, nil
}

func (p *Passage) check() error {
	if err := p.Gas().Check(); err != nil {
		return march.Named("bladerow", err)
	}
	if p.Blades < 2 || !(p.Pt > 0) || !(p.Tt > 0) || !numeric.Finite(p.N) {
		return fmt.Errorf("%d blades, Pt %g Pa, Tt %g K, N %g rpm; want at least 2 blades and positive totals",
			p.Blades, p.Pt, p.Tt, p.N)
	}
	return nil
}
