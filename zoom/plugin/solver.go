package plugin

// What an author of a solver writes, and the values that pass to and fro.

import (
	"context"
	"errors"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Solver computes one operating point at a time.
type Solver interface {
	// Describe says what the solver takes, gives and writes. It is called
	// before each run and must be quick.
	Describe() Description

	// Run solves for the request and writes its files into Request.Folder and
	// nowhere else. It calls emit as it goes, from one goroutine, at least with kind
	// event.Iteration and the values "iteration" and "residual"; study, run, sequence, time and
	// source are filled in, and values that are not finite are sorted out.
	//
	// When ctx ends, Run returns at the next checkpoint with what it has, within seconds: class
	// event.Killed, or another if it can say so; context.Cause(ctx) tells why.
	// An answer that did not converge is a Result with its class, not an error.
	// An error says that no attempt could be made, and becomes class
	// event.Crashed.
	Run(ctx context.Context, req Request, emit func(event.Event)) (Result, error)
}

// Controller is a Solver that takes commands other than stop, which the kit
// does for every solver by ending the context of Run. Control is called from
// another goroutine than Run and returns when the command has been taken.
type Controller interface {
	Control(ctx context.Context, c Command) error
}

// Request asks for one operating point.
type Request struct {
	Study   string               `json:"study"`
	Run     string               `json:"run"`
	Folder  string               `json:"folder"` // absolute path of the run folder
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`
	Texts   map[string]string    `json:"texts,omitempty"`
}

// Result is how a run ended and what it gave.
type Result struct {
	Class   event.Class          `json:"class"`
	Message string               `json:"message,omitempty"` // why, for people
	Numbers map[string]float64   `json:"numbers,omitempty"`
	Arrays  map[string][]float64 `json:"arrays,omitempty"`
}

// Verb is what a Command asks for.
type Verb string

const (
	Pause      Verb = "pause"      // hold after the present iteration
	Resume     Verb = "resume"     //
	Stop       Verb = "stop"       // end at the next checkpoint with what is there
	Checkpoint Verb = "checkpoint" // write a state from which a run can go on
	Set        Verb = "set"        // change parameter Name to Value
)

// Command acts on the run that goes on.
type Command struct {
	Verb  Verb
	Name  string  // of Set: one of Description.Controls
	Value float64 // of Set, SI
}

var (
	// ErrStopped is the cause of a run's context after a stop command.
	ErrStopped = errors.New("stopped on request")
	// ErrHostLost is the cause of a run's context after the host died.
	ErrHostLost = errors.New("the host is gone")
	// ErrNotRunning answers a command that came while nothing ran.
	ErrNotRunning = errors.New("no run goes on")
)
