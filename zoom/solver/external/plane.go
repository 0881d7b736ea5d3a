package external

// Averaging planes: surfaces of a flow field, as a program writes them cell by cell, and their averages. Total pressure
// follows from each cell's own velocity, so the frame is changed cell by cell, before averaging:
//
//	c = w + speed,   Tt = Ts + |c|^2/(2 cp),   Pt = Ps (Tt/Ts)^(gamma/(gamma - 1)),   cp = R gamma/(gamma - 1)
//
// c is the absolute velocity, w that relative to blades that move at the speed; both have the same axial and radial
// part. The gas is perfect.

import (
	"fmt"
	"math"

	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// plane is where the values of its cells stand.
type plane struct {
	name     string
	ps, ts   output
	velocity [3]*output // axial, tangential, radial; nil: it is 0
	area     output
	gamma, r *expression

	frame string  // frame of the tangential velocity
	speed *output // of a relative frame
}

const (
	frameAbsolute = "absolute"
	frameRelative = "relative"

	averageMass = "mass"
	averageArea = "area"
)

// Quantities of a plane.
const (
	planeW          = "W"
	planePs         = "Ps"
	planeTs         = "Ts"
	planePt         = "Pt"
	planeTt         = "Tt"
	planeAxial      = "axial"
	planeTangential = "tangential"
	planeAlpha      = "alpha"
)

var quantities = []string{planeW, planePs, planeTs, planePt, planeTt, planeAxial, planeTangential, planeAlpha}

// sources returns the outputs that the plane reads.
func (p *plane) sources() (list []*output) {
	for _, s := range append([]*output{&p.ps, &p.ts, &p.area, p.speed}, p.velocity[:]...) {
		if s != nil {
			list = append(list, s)
		}
	}
	return list
}

// field holds the values read of a plane, SI.
type field struct {
	ps, ts, area []float64
	velocity     [3][]float64
	flow         []float64 // of mass through each cell, kg/s
	gamma, r     float64
	speed        float64 // of the tangential velocity's frame
}

// field reads a plane, once for all outputs.
func (a *answers) field(p *plane, env environment) (*field, error) {
	if f := a.fields[p]; f != nil {
		return f, nil
	}
	f := &field{}
	var err error
	if f.ps, err = a.values(&p.ps, env); err != nil {
		return nil, err
	}
	cells := len(f.ps)
	read := func(o *output) ([]float64, error) {
		v, err := a.values(o, env)
		if err != nil {
			return nil, err
		}
		if len(v) != cells && len(v) != 1 {
			return nil, fmt.Errorf("%s has %d values, %s %d", o.Name, len(v), p.ps.Name, cells)
		}
		for len(v) < cells {
			v = append(v, v[0])
		}
		return v, nil
	}
	if f.ts, err = read(&p.ts); err != nil {
		return nil, err
	}
	for i, o := range p.velocity {
		if f.velocity[i] = make([]float64, cells); o != nil {
			if f.velocity[i], err = read(o); err != nil {
				return nil, err
			}
		}
	}
	if f.area, err = a.values(&p.area, env); err != nil {
		return nil, err
	}
	if len(f.area) == 1 { // that of the plane
		whole := f.area[0]
		f.area = make([]float64, cells)
		for i := range f.area {
			f.area[i] = whole / float64(cells)
		}
	}
	if len(f.area) != cells {
		return nil, fmt.Errorf("%s has %d values, %s %d", p.area.Name, len(f.area), p.ps.Name, cells)
	}
	if err := f.scalars(a, p, env); err != nil {
		return nil, err
	}
	for i := range f.ps {
		f.flow = append(f.flow, f.ps[i]/(f.r*f.ts[i])*f.velocity[0][i]*f.area[i])
	}
	a.fields[p] = f
	return f, nil
}

// scalars reads the gas and the speed of the frame.
func (f *field) scalars(a *answers, p *plane, env environment) error {
	gamma, err := env.value(p.gamma)
	if err != nil {
		return err
	}
	r, err := env.value(p.r)
	if err != nil {
		return err
	}
	f.gamma, f.r = gamma.(float64), r.(float64)
	if p.speed == nil {
		return nil
	}
	v, err := a.values(p.speed, env)
	if err != nil {
		return err
	}
	if len(v) != 1 {
		return fmt.Errorf("%s has %d values, want one", p.speed.Name, len(v))
	}
	f.speed = v[0]
	return nil
}

// of returns an output of the plane: its average, or the values of all cells.
func (f *field) of(o *output) []float64 {
	speed := f.speed
	if o.frame == frameRelative {
		speed = 0
	}
	tangential := make([]float64, len(f.ps))
	for i := range tangential {
		tangential[i] = f.velocity[1][i] + speed
	}
	if o.Shape == plugin.Profile {
		return f.cells(o.quantity, tangential)
	}
	switch o.quantity {
	case planeW:
		return []float64{total(f.flow)}
	case planeAlpha: // of the mean velocity
		return []float64{math.Atan2(f.mean(tangential, o.average), f.mean(f.velocity[0], o.average))}
	}
	return []float64{f.mean(f.cells(o.quantity, tangential), o.average)}
}

// cells returns the values of a quantity in all cells.
func (f *field) cells(quantity string, tangential []float64) []float64 {
	switch quantity {
	case planeW:
		return f.flow
	case planePs:
		return f.ps
	case planeTs:
		return f.ts
	case planeAxial:
		return f.velocity[0]
	case planeTangential:
		return tangential
	}
	power := f.gamma / (f.gamma - 1)
	list := make([]float64, len(f.ps))
	for i := range list {
		axial, radial := f.velocity[0][i], f.velocity[2][i]
		tt := f.ts[i] + (axial*axial+tangential[i]*tangential[i]+radial*radial)/(2*f.r*power)
		switch quantity {
		case planeTt:
			list[i] = tt
		case planePt:
			list[i] = f.ps[i] * math.Pow(tt/f.ts[i], power)
		case planeAlpha:
			list[i] = math.Atan2(tangential[i], axial)
		}
	}
	return list
}

func (f *field) mean(values []float64, by string) (sum float64) {
	weights := f.flow
	if by == averageArea {
		weights = f.area
	}
	for i, v := range values {
		sum += v * weights[i]
	}
	return sum / total(weights)
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
