package march

import (
	"errors"
	"fmt"
	"math"
)

// Gas is a perfect gas.
type Gas struct {
	Gamma float64 // ratio of specific heats
	R     float64 // gas constant, J/(kg K)
}

// Cp returns the specific heat at constant pressure, J/(kg K).
func (g Gas) Cp() float64 { return g.Gamma * g.R / (g.Gamma - 1) }

// Check reports the first fault of a gas.
func (g Gas) Check() *InputError {
	if !(g.Gamma > 1 && g.Gamma < 2) {
		return Bad("Gas.Gamma", "%g; want between 1 and 2", g.Gamma)
	}
	if !(g.R > 0) || math.IsInf(g.R, 0) {
		return Bad("Gas.R", "%g J/(kg K); want more than 0", g.R)
	}
	return nil
}

// Inlet holds the flow at the inlet plane as profiles over the span. One value in each list, with Span nil, is a
// uniform inlet.
type Inlet struct {
	Span  []float64 // fraction of the inlet's area, counted from the hub, 0..1, increasing
	Pt    []float64 // total pressure, Pa
	Tt    []float64 // total temperature, K
	Alpha []float64 // swirl angle atan(Vtheta/Vm), rad, positive with the rotation; nil: none
}

// Check reports the first fault of an inlet.
func (in *Inlet) Check() *InputError {
	n := max(len(in.Span), 1)
	if len(in.Span) == 1 {
		return Bad("Inlet.Span", "1 value; give none (uniform) or at least 2")
	}
	for k, s := range in.Span {
		if !(s >= 0 && s <= 1) || k > 0 && s <= in.Span[k-1] {
			return Bad("Inlet.Span", "value %d is %g; want increasing fractions from 0 to 1", k+1, s)
		}
	}
	for _, f := range []struct {
		name string
		v    []float64
		unit string
	}{{"Pt", in.Pt, "Pa"}, {"Tt", in.Tt, "K"}} {
		if len(f.v) != n {
			return Bad("Inlet."+f.name, "%d values; want %d", len(f.v), n)
		}
		for k, v := range f.v {
			if !(v > 0) || math.IsInf(v, 0) {
				return Bad("Inlet."+f.name, "value %d is %g %s; want more than 0", k+1, v, f.unit)
			}
		}
	}
	if len(in.Alpha) != 0 && len(in.Alpha) != n {
		return Bad("Inlet.Alpha", "%d values; want %d or none", len(in.Alpha), n)
	}
	for k, a := range in.Alpha {
		if !(math.Abs(a) < 80*math.Pi/180) {
			return Bad("Inlet.Alpha", "value %d is %g deg; want between -80 and 80", k+1, a*180/math.Pi)
		}
	}
	return nil
}

// Height is where Exit.Ps holds.
type Height string

const (
	Hub    Height = "hub"
	Mid    Height = "mid" // half the height; the default
	Casing Height = "casing"
)

// Check sets the default, and reports a place that is none.
func (p *Height) Check() *InputError {
	switch *p {
	case "":
		*p = Mid
	case Hub, Mid, Casing:
	default:
		return Bad("Exit.At", "%q; want hub, mid or casing", *p)
	}
	return nil
}

// TopPt returns the highest total pressure, Pa.
func (in *Inlet) TopPt() float64 {
	top := 0.0
	for _, p := range in.Pt {
		top = max(top, p)
	}
	return top
}

// InputError is a fault of a solver's case, found before anything is computed.
type InputError struct {
	Solver string
	Field  string // such as "Inlet.Pt" or "Settings.NR"
	Err    error
}

func (e *InputError) Error() string { return e.Solver + ": " + e.Field + ": " + e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// Bad returns the fault of a field. Named adds the solver.
func Bad(field, format string, args ...any) *InputError {
	return &InputError{Field: field, Err: fmt.Errorf(format, args...)}
}

// Named sets the solver's name in an InputError. Other errors stay as they are.
func Named(solver string, err error) error {
	if e, ok := errors.AsType[*InputError](err); ok {
		e.Solver = solver
	}
	return err
}
