package transient

// The file format of checkpoints. checkpoint.go makes them and resumes from them.

import (
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
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/perfmap"
	"github.com/peregrine-sim/peregrine/perfmap/plot"
)

// Checkpoint is the state of a transient between two steps of its integrator. A transient resumed from it, in this
// process or another, gives the same history to the last bit as an uninterrupted transient.
//
// The states alone are not enough for that. Iterations start from the last result, so that the same states, solved from
// another start, differ by rounding. A checkpoint therefore has the starting values of all iterations, the solver's
// Jacobian, the predictor's slopes and the integrator's memory.
type Checkpoint struct {
	Engine  string  // name of the engine
	Case    string  // name of the transient
	T       float64 // its time, s
	Version string  // of the program that wrote it

	inputs string // digest of the run's inputs
	state  checkpointState
}

// checkpointState is the state of a transient. It has slices of numbers, because encoding/gob omits a zero field and
// drops its sign.
type checkpointState struct {
	Integrator    ode.Checkpoint
	Events        []float64 // event functions
	Interval      int       // see transient
	IntervalStart []float64
	NextPoint     int

	Model         []float64 // parameters, values fixed by the design, guesses
	X, U          []float64 // see dynamics
	HaveRates     bool
	Last          []float64 // t, the controls' time, y and f of the last evaluation
	Slopes        []float64 // of the predictor
	Newton        newton.Memory
	StoredAtStart [3]float64 // see dynamics
	Discrete      []float64  // see dynamics.discreteState
	Warnings      []result.Warning
	Watch         watchState
	Work          [2]int // iterations, evaluations
	Worst         int
	Residual      []float64

	Maps []extendedMap // zoomed maps

	T, Values   []float64 // the history, column after column
	Places      map[string][]plot.Mark
	Outside     map[string]*result.Outside
	EdgesPassed []perfmap.Edge
}

// CheckpointError reports a checkpoint that cannot be used.
type CheckpointError struct{ Message string }

func (e *CheckpointError) Error() string { return e.Message }

func unusable(format string, a ...any) error {
	return &CheckpointError{fmt.Sprintf(format, a...)}
}

// checkpointHeader is the first line of a checkpoint's file, JSON. The state follows, written
// by encoding/gob.
type checkpointHeader struct {
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

// checkpointFormat must be raised when checkpointState changes, or a dependency of it, such as the order in which a
// component declares its parameters.
const checkpointFormat = 4

// Write writes the checkpoint.
func (c *Checkpoint) Write(w io.Writer) error {
	var state bytes.Buffer
	if err := gob.NewEncoder(&state).Encode(&c.state); err != nil {
		return err
	}
	first, err := json.Marshal(checkpointHeader{"checkpoint", checkpointFormat, c.Version, c.Engine, c.Case, c.T,
		c.inputs, state.Len(), shaOf(state.Bytes())})
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

// checkpointLimit is the size limit of a checkpoint, most of which is the history.
var checkpointLimit = intake.Limit{What: "a checkpoint", Bytes: 1 << 30}

// ReadCheckpoint reads the output of Write. The error is a *CheckpointError if the input is not a checkpoint, is
// incomplete, or has another format.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	data, err := intake.All(r, checkpointLimit)
	if err != nil {
		return nil, err
	}
	first, state, _ := bytes.Cut(data, []byte{'\n'})
	var h checkpointHeader
	if json.Unmarshal(first, &h) != nil || h.Peregrine != "checkpoint" {
		return nil, unusable("not a checkpoint of peregrine")
	}
	if h.Format != checkpointFormat {
		return nil, unusable("a checkpoint of format %d, by peregrine %s; this program reads format %d: run the case "+
			"from its start", h.Format, h.Version, checkpointFormat)
	}
	if len(state) < h.Bytes {
		return nil, unusable("the checkpoint is cut off: want %d bytes of state, found %d", h.Bytes, len(state))
	}
	if len(state) > h.Bytes || shaOf(state) != h.SHA256 {
		return nil, unusable("the checkpoint is damaged: its state differs from the written one")
	}
	c := &Checkpoint{Engine: h.Engine, Case: h.Case, T: h.T, Version: h.Version, inputs: h.Inputs}
	if err := gob.NewDecoder(bytes.NewReader(state)).Decode(&c.state); err != nil {
		return nil, unusable("the checkpoint cannot be read: %v", err)
	}
	return c, nil
}

// clone copies a checkpoint, so that it shares no data with the running transient.
func (c *Checkpoint) clone() *Checkpoint {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		panic("executive: a checkpoint cannot be written: " + err.Error()) // its types are fixed
	}
	copied, err := ReadCheckpoint(&b)
	if err != nil {
		panic("executive: " + err.Error())
	}
	return copied
}
