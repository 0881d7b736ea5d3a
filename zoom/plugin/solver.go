package plugin

// The interface that the author of a solver implements, and its arguments and results.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/sensor"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Solver computes one operating point at a time.
type Solver interface {
	// Describe returns the solver's description. It is called before each run and must be
	// quick.
	Describe() Description

	// Run solves the request and writes its files into Request.Folder only. It calls emit from one goroutine as it
	// proceeds, at least with kind event.Iteration and the values "iteration" and "residual". This package sets study,
	// run, sequence, time and source, and moves values that are not finite to NonFinite.
	//
	// When ctx ends, Run returns within seconds with the values of its next checkpoint and class event.Killed, or
	// another that fits better; context.Cause(ctx) is the reason. A run that did not converge returns a Result with its
	// class, not an error. An error means that the run could not begin; its class becomes event.Crashed. An error of
	// the machine, such as a full disk, ends the study.
	Run(ctx context.Context, req Request, emit func(event.Event)) (Result, error)
}

// Controller is a Solver that does not steer, but has inputs or settings that may be set during a run: the Controls of
// its description. SetControl is called from another goroutine than Run, with a value that the description allows.
// (This package stops every solver by ending the context of Run.)
type Controller interface {
	SetControl(name string, value float64) error
}

// Request holds the inputs and settings of one operating point.
type Request struct {
	Study   string               `json:"study"`
	Run     string               `json:"run"`
	Folder  string               `json:"folder"` // absolute path of the run folder
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`
	Texts   map[string]string    `json:"texts,omitempty"`

	// Commands are given to Steer before the run begins, of a solver that steers.
	Commands []steer.Command `json:"commands,omitempty"`

	// Rules are the rules that the run judges itself, as text; see package zoom/steer/insitu. This package judges them
	// for a solver that steers.
	Rules string `json:"-"`

	// Steer is the run's registry; a nil registry is never armed. A solver whose description has Steers adds its
	// objects, and then calls Armed and Obey at its safe points, the first time before its first iteration.
	Steer *steer.Registry `json:"-"`

	// Sensors are the sensors in the description, for a solver that steers; nil: no sensor is read.
	Sensors Sensors `json:"-"`
}

// Sensors observe a run. Each thread of the solver asks for its own.
type Sensors interface {
	Sensor(name, thread, block string) sensor.Taker
	Region(name, thread, block string) sensor.Area
	Channel(name, thread, peer string, typ int64) *sensor.Channel
	Fork(name, thread, child string)
	Join(name, thread, child string)
	Mark(name, thread string) *sensor.Mark
}

// Result is how a run ended, and its values.
type Result struct {
	Class   event.Class          `json:"class"`
	Message string               `json:"message,omitempty"` // why, for people
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`

	// MachineFault reports that the run failed because of the machine, for example a full disk. Other runs would fail
	// too.
	MachineFault bool `json:"machine_fault,omitempty"`
}

var (
	// ErrStopped is the cause of a run's context after a stop command.
	ErrStopped = errors.New("stopped on request")
	// ErrHostLost is the cause of a run's context after the host died.
	ErrHostLost = errors.New("the host has ended")
	// ErrNotRunning answers a command when no run is in progress.
	ErrNotRunning = errors.New("no run is under way")
)
