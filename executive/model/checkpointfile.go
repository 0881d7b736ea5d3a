package model

// A checkpoint as a file. checkpoint.go takes one from a transient and goes on from one.

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/peregrine-sim/peregrine/executive/newton"
	"github.com/peregrine-sim/peregrine/executive/ode"
	"github.com/peregrine-sim/peregrine/executive/result"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// Checkpoint is a transient between two steps of its integrator, from which it goes
// on, in this process or another, as if it had not been stopped: its history is the same
// to the last bit.
//
// That takes more than the states. Iterations within the equations start from where
// the last ones ended, so that the same state reached from elsewhere differs by rounding:
// of all of them the starting values are kept, with the solver's Jacobian, the
// predictor's slopes and whatever the integrator remembers.
type Checkpoint struct {
	Engine  string  // name of the engine
	Case    string  // name of the transient
	T       float64 // where it stands, s
	Version string  // of the program that wrote it

	inputs string // what the run depends on, as a digest
	state  standing
}

// standing is the state of a transient. Slices of numbers, because encoding/gob takes
// a zero field for one that is not there and drops its sign.
type standing struct {
	Integrator ode.Checkpoint
	Events     []float64 // event functions
	Interval   int       // see transient
	From       []float64
	Next       int

	Model    []float64 // parameters, what the design fixed, guesses
	X, U     []float64 // see dynamics
	Known    bool
	Last     []float64 // t, the time that controls were told, y and f of the last evaluation
	Slopes   []float64 // of the predictor
	Newton   newton.Memory
	Held     [3]float64 // see dynamics.start
	Changed  []float64  // see dynamics.memory
	Told     []result.Warning
	Seen     sight
	Work     [2]int // iterations, evaluations
	Worst    int
	Residual []float64

	Grown []grown // zoomed maps

	T, Values []float64 // the history, its columns one after the other
	Places    map[string][]plot.Point
	Outside   map[string]*result.Outside
	Passed    []perfmap.Edge
}

// CheckpointError tells of a checkpoint that cannot be used.
type CheckpointError struct{ Message string }

func (e *CheckpointError) Error() string { return e.Message }

func unusable(format string, a ...any) error {
	return &CheckpointError{fmt.Sprintf(format, a...)}
}

// head is the first line of a checkpoint's file, JSON; the state follows, as
// encoding/gob writes it.
type head struct {
	Peregrine string  `json:"peregrine"` // "checkpoint"
	Format    int     `json:"format"`
	Version   string  `json:"version"`
	Engine    string  `json:"engine"`
	Case      string  `json:"case"`
	T         float64 `json:"t"`
	Inputs    string  `json:"inputs"`
	Bytes     int     `json:"bytes"`  // of the state
	SHA256    string  `json:"sha256"` // of the state
}

// checkpointFormat is raised when standing or what it holds changes, such as the order in
// which a component declares its parameters.
const checkpointFormat = 2

// Write writes the checkpoint.
func (c *Checkpoint) Write(w io.Writer) error {
	var state bytes.Buffer
	if err := gob.NewEncoder(&state).Encode(&c.state); err != nil {
		return err
	}
	first, err := json.Marshal(head{"checkpoint", checkpointFormat, c.Version, c.Engine, c.Case, c.T, c.inputs, state.Len(), shaOf(state.Bytes())})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s\n", first); err != nil {
		return err
	}
	_, err = state.WriteTo(w)
	return err
}

func shaOf(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// ReadCheckpoint reads what Write wrote. What is none, not whole or of another format
// is a *CheckpointError.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	in := bufio.NewReader(r)
	first, err := in.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return nil, err
	}
	var h head
	if json.Unmarshal(first, &h) != nil || h.Peregrine != "checkpoint" {
		return nil, unusable("not a checkpoint of peregrine")
	}
	if h.Format != checkpointFormat {
		return nil, unusable("a checkpoint of format %d, by peregrine %s; this program reads format %d: run the case from its start", h.Format, h.Version, checkpointFormat)
	}
	state, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if len(state) < h.Bytes {
		return nil, unusable("the checkpoint is cut off: of %d bytes of its state %d are there", h.Bytes, len(state))
	}
	if len(state) > h.Bytes || shaOf(state) != h.SHA256 {
		return nil, unusable("the checkpoint is damaged: its state is not the one that was written")
	}
	c := &Checkpoint{Engine: h.Engine, Case: h.Case, T: h.T, Version: h.Version, inputs: h.Inputs}
	if err := gob.NewDecoder(bytes.NewReader(state)).Decode(&c.state); err != nil {
		return nil, unusable("the checkpoint cannot be read: %v", err)
	}
	return c, nil
}

// clone shares nothing with a transient that goes on.
func (c *Checkpoint) clone() *Checkpoint {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		panic("executive: a checkpoint cannot be written: " + err.Error()) // its types are fixed
	}
	again, err := ReadCheckpoint(&b)
	if err != nil {
		panic("executive: " + err.Error())
	}
	return again
}
