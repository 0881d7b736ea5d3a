package model

import (
	"errors"

	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// steering is that of one transient.
type steering struct {
	registry *steer.Registry
	close    func()
	time     steer.Gauge
	steps    int64
	pending  map[*input]float64 // values that inputs take at the end of the present step
	changed  []*input           // inputs that have been, in the order of their first change
	at       float64            // time of the last change, s; meaningful if changed is not empty
}

// errSteered ends an advance of the integrator for a change of the inputs.
var errSteered = errors.New("an input was changed")
