package config

import "github.com/peregrine-sim/peregrine/config/document"

// Transient holds the further keys of a case of kind transient: how long, what moves
// the engine, and how it is integrated. Times are in s from the start.
type Transient struct {
	Duration   float64
	Schedules  []Schedule
	Integrator string  // one of Integrators; default "rosenbrock"
	RTol       float64 // relative tolerance of a step's error; default 1e-6
	// absolute tolerance of a shaft's speed, rpm; default 1e-3. That of other states is RTol of their size
	ATol float64
	// how the start is found: "auto" (default), "newton" or "rk4", by letting the engine run there
	Steady   string
	Every    float64    // spacing of the history, s; 0: the integrator's steps
	Save     []Quantity // outputs that the history has besides the usual ones
	FlameOut string     // "end" (default) or "continue": what follows a flame that goes out
	Controls bool       // the engine's controls act; default true
	Plot     []Panel    // what is drawn over time; nil: each column of the history by itself
	Pos      document.Pos
}

// Panel is a part of a transient's picture: outputs of one dimension over time.
type Panel []Quantity

// Schedule is a parameter over time: linear between its points, held before the
// first and after the last. Two points at one time make a step.
type Schedule struct {
	Quantity // a parameter; or an output that has a parameter to bring it about, see Output.By
	// Vary is empty for a parameter, which is set. It is the parameter that is varied
	// until the output Path has the scheduled value.
	Vary   string
	T      []float64 // not falling
	Values []float64
	Pos    document.Pos
}
