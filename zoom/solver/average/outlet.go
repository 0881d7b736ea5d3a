package average

// The performance of a machine for each of its outlet streams: a fan's flow divides into core and bypass, and both
// receive different work.

import (
	"fmt"
	"math"
	"slices"
)

// Split cuts a plane at cumulative fractions of its mass flow, counted from the hub: Split(p, 0.223) gives a core of
// 22.3 % of the flow and a bypass. A cell on a cut is divided between both streams. Fractions rise, each between 0 and
// 1.
func Split(p Plane, at ...float64) ([]Plane, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	for i, f := range at {
		if !(f > 0 && f < 1) || i > 0 && f <= at[i-1] {
			return nil, &PlaneError{
				-1, fmt.Sprintf("cuts at %v of the mass flow; they must rise, each between 0 and 1", at),
			}
		}
	}
	total := 0.0
	for _, dw := range p.DW {
		total += dw
	}
	out := make([]Plane, len(at)+1)
	stream, sum := 0, 0.0
	for i := range p.DW {
		left := 1.0 // fraction of the cell that is still to be given away
		for stream < len(at) && sum+p.DW[i] > at[stream]*total {
			part := min(max((at[stream]*total-sum)/p.DW[i], 0), 1) - (1 - left)
			if part > 0 {
				out[stream].add(&p, i, part)
				left -= part
			}
			stream++
		}
		if left > 0 {
			out[stream].add(&p, i, left)
		}
		sum += p.DW[i]
	}
	for i := range out {
		if len(out[i].DW) == 0 {
			return nil, &PlaneError{-1, fmt.Sprintf("cuts at %v leave stream %d without flow", at, i)}
		}
	}
	return out, nil
}

// add appends a part of a cell of another plane.
func (p *Plane) add(from *Plane, i int, part float64) {
	p.DW = append(p.DW, part*from.DW[i])
	if from.DA != nil {
		p.DA = append(p.DA, part*from.DA[i])
	}
	p.Pt = append(p.Pt, from.Pt[i])
	p.Tt = append(p.Tt, from.Tt[i])
	if from.Ps != nil {
		p.Ps = append(p.Ps, from.Ps[i])
	}
	if from.Alpha != nil {
		p.Alpha = append(p.Alpha, from.Alpha[i])
	}
}

// Performance is the effect of a machine on a stream.
type Performance struct {
	PR      float64 `json:"PR"`
	TR      float64 `json:"TR"`
	Eff     float64 `json:"eff"`     // isentropic; 0 where no work was done
	EffPoly float64 `json:"effPoly"` // polytropic; 0 where no work was done
	Power   float64 `json:"-"`       // W, into the stream
}

// Perform compares a stream's states before and after a machine, with total pressures averaged for one purpose:
//
//	eff     = (h(T2s) - h1) / (h2 - h1),  Phi(T2s) = Phi(T1) + R ln PR
//	effPoly = R ln PR / (Phi(T2) - Phi(T1))
//
// and their inverses for work taken out.
func Perform(in, out Mean, f Fluid, how Averaging) (Performance, error) {
	p1, p2 := in.Pt[how], out.Pt[how]
	if !(p1 > 0) || !(p2 > 0) {
		return Performance{}, fmt.Errorf(
			"no %s-averaged total pressure: the plane has no areas, or the word is not one of mass, area, work, "+
				"entropy", how)
	}
	r := Performance{PR: p2 / p1, TR: out.Tt / in.Tt, Power: out.W * (out.Ht - in.Ht)}
	phi1, err := f.Phi(in.Tt)
	if err != nil {
		return r, err
	}
	phi2, err := f.Phi(out.Tt)
	if err != nil {
		return r, err
	}
	ideal, err := enthalpyAt(f, phi1+f.R()*math.Log(r.PR))
	if err != nil {
		return r, err
	}
	switch work := out.Ht - in.Ht; {
	case work > 0:
		r.Eff = (ideal - in.Ht) / work
		r.EffPoly = f.R() * math.Log(r.PR) / (phi2 - phi1)
	case work < 0 && r.PR < 1:
		r.Eff = work / (ideal - in.Ht)
		r.EffPoly = (phi2 - phi1) / (f.R() * math.Log(r.PR))
	}
	return r, nil
}

// Stream is an outlet stream of a machine.
type Stream struct {
	Mean
	Performance
	Fraction float64 // of the whole mass flow
}

// Outlet is a machine's exit plane as a 1-D engine uses it.
type Outlet struct {
	Whole   Stream
	Streams []Stream // from the hub
	// Residual is the largest relative difference between the whole and the
	// sum of its streams, of mass flow and of enthalpy flow above the inlet's: round-off,
	// or the cut lost something.
	Residual float64
}

// Streams averages an exit plane as a whole and by streams cut at fractions of the mass flow, and compares each with
// the common inlet.
func Streams(exit Plane, in Mean, f Fluid, how Averaging, at ...float64) (Outlet, error) {
	parts, err := Split(exit, at...)
	if err != nil {
		return Outlet{}, err
	}
	var o Outlet
	var w, h float64
	for i, p := range slices.Concat([]Plane{exit}, parts) {
		s := Stream{}
		if s.Mean, err = Of(p, f, in.Pt[how]); err != nil {
			return o, err
		}
		if s.Performance, err = Perform(in, s.Mean, f, how); err != nil {
			return o, err
		}
		if i == 0 {
			s.Fraction, o.Whole = 1, s
			continue
		}
		s.Fraction = s.W / o.Whole.W
		o.Streams = append(o.Streams, s)
		w += s.W
		h += s.Power
	}
	o.Residual = math.Abs(w/o.Whole.W - 1)
	if scale := o.Whole.W * math.Abs(o.Whole.Ht); scale > 0 {
		o.Residual = max(o.Residual, math.Abs(h-o.Whole.Power)/scale)
	}
	return o, nil
}
