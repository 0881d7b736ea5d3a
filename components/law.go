package components

import (
	"fmt"

	"github.com/peregrine-sim/peregrine/internal/numeric"
	"github.com/peregrine-sim/peregrine/perfmap"
)

// Law supplies parameters of a component, otherwise constant, as functions of its operating point: a nozzle's discharge
// and thrust coefficients over its pressure ratio, from a model of a flow solver's runs. It is a pointer to an
// immutable value: its identity shows on which law a model was solved.
type Law interface {
	// Values sets the parameters at a place, and returns the exceeded bounds of the runs: bounds of Nc are of the first
	// coordinate, bounds of X of the second.
	Values(place, values []float64) perfmap.Edge
	// Scaling sets the law's parameters at the design place; the law is scaled by them.
	Scaling(place, values []float64)
	// Name is the model's name, for results.
	Name() string
}

// LawUse is a component's use of a law, of at most two coordinates and two parameters. A law is scaled to the design
// point, at which the component has the given parameters:
//
//	value = given law(place)/law(place of the design)
//
// or absolute: value = law(place). At design, and without a law, the parameters are the given ones.
type LawUse struct {
	Place, Values []string // names of the coordinates, and of the parameters

	fits  func() error // see Fits; nil: they do
	ideal func() bool  // see Ideal; nil: no

	law      Law
	absolute bool
	at, des  [2]float64 // places of the last evaluation and of the design
	given    [2]float64 // parameters of the design
	scale    [2]float64 // one over the law's values at the design
	edge     perfmap.Edge
}

// pair holds coordinates or parameters of a law; the second may be unused.
type pair = [2]float64

// look returns the parameters at a place, from the given ones.
func (u *LawUse) look(mode Mode, place, given pair) pair {
	u.at, u.edge = place, 0
	if mode == Design {
		u.des, u.given = place, given
		return given
	}
	if u.law == nil {
		return given
	}
	var v pair
	u.edge = u.law.Values(u.at[:len(u.Place)], v[:len(u.Values)])
	if u.absolute {
		return v
	}
	return pair{given[0] * v[0] * u.scale[0], given[1] * v[1] * u.scale[1]}
}

// Set makes a law the component's. It fails if the law is to be scaled and has a value of 0 or less at the design
// point, or the component has.
func (u *LawUse) Set(l Law, absolute bool) error {
	u.law, u.absolute = l, absolute
	if absolute {
		return nil
	}
	var v pair
	l.Scaling(u.des[:len(u.Place)], v[:len(u.Values)])
	for i, name := range u.Values {
		u.scale[i] = 1 / v[i]
		if !(v[i] > 0) || !(u.given[i] > 0) || !numeric.Finite(u.scale[i]) {
			return fmt.Errorf(
				"%s cannot be scaled: at the design point %s is %.4g, and the component's is %.4g; take scale: "+
					"absolute", l.Name(), name, v[i], u.given[i])
		}
	}
	return nil
}

// Law returns the law or nil, and whether it is absolute.
func (u *LawUse) Law() (l Law, absolute bool) { return u.law, u.absolute }

// Fits reports parameters of the component that contradict a law.
func (u *LawUse) Fits() error {
	if u.fits == nil {
		return nil
	}
	return u.fits()
}

// Ideal reports whether a nozzle's thrust coefficient refers to full expansion.
func (u *LawUse) Ideal() bool { return u.ideal != nil && u.ideal() }

// At is where the last evaluation was. A coordinate that the law does not have is 0.
func (u *LawUse) At() [2]float64 { return u.at }

// Design returns the design place and its parameters.
func (u *LawUse) Design() (place, values [2]float64) { return u.des, u.given }

// Edge returns the bounds that the last evaluation passed.
func (u *LawUse) Edge() perfmap.Edge { return u.edge }

// Law declares that a flow solver may give some parameters over some coordinates; see LawUse.
func (d *Declaration) Law(u *LawUse, place, values []string) {
	u.Place, u.Values = place, values
	d.LawUse = u
	d.Zoomable()
	for i := range place {
		d.Fix(&u.des[i])
	}
	for i := range values {
		d.Fix(&u.given[i])
	}
}
