package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/printable"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/internal/regex"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// NotRun is the class of a job that was not run: its request was refused, or the study ended before.
const NotRun event.Class = "not_run"

// repeatable are the classes that the same request gives every time.
var repeatable = []event.Class{event.Converged, event.NotConverged, event.Diverged, event.Unphysical, event.Stalled}

// Repeatable reports whether a class is the same each time the request is run. Such outcomes are cached. The other
// classes are accidents, which justify a new run.
func Repeatable(c event.Class) bool { return slices.Contains(repeatable, c) }

// Answer is how a run ended, its answer and its origin: of an outcome, and in the cache as JSON.
type Answer struct {
	plugin.Result               // finite values; only a class unless the solver itself reported it
	Solver        string        `json:"solver"` // name and version
	Fidelity      string        `json:"fidelity"`
	Study         string        `json:"study"`
	Component     string        `json:"component,omitempty"`
	Run           string        `json:"run"`                // name of the last attempt
	Folder        string        `json:"folder"`             // of the last attempt, on the machine that made it
	Wall          time.Duration `json:"wall_ns"`            // of the last attempt, with start and stop of its process
	Halted        bool          `json:"halted,omitempty"`   // the monitor stopped it or rejected its answer
	Sum           string        `json:"solution,omitempty"` // hash of the solution in the folder; empty: none
	// difference from the answer of another run of the same request; empty: none is known
	Unlike string `json:"unlike,omitempty"`
}

// AnswerOf returns the answer in a run folder, from the end of the run.
func AnswerOf(end plugin.Ending, folder string) Answer {
	return Answer{Result: end.Result, Solver: end.Solver, Fidelity: end.Fidelity,
		Study: filepath.Base(filepath.Dir(folder)), Run: filepath.Base(folder), Folder: folder, Wall: end.Wall,
		Sum: end.Solution}
}

// Outcome is the answer of a job, or its failure.
type Outcome struct {
	Job Job
	Answer
	Maker    Maker // of the last attempt
	Attempts int   // 0: from the cache, or not run
	Cached   bool
	Stopped  bool  // on a person's command, as by `runs stop`
	Alike    int   // failures of its request by its cause, which is the request or the solver; 0: another cause
	Beyond   bool  // depends on more than its key: on other runs, or on rules or a solver that have changed
	Changed  error // the solver's files were changed or written during the run: its answer may be another program's
	Err      error // the reason why the job has no answer; nil if the class is converged

	Verdict json.RawMessage // of the rules on a run from the cache, see Rules; nil: none is kept
	Key     string          // of the answer in the cache; empty: it is not cached
	Steered []event.Receipt // acts by command; with them the answer does not belong to the request alone

	Solution *Solution  // from which other runs can start; nil: none, or it was steered
	Further  *Solution  // from which the same request continues with more orders; nil: none
	Ended    *event.Ref // the event that reported its end; nil: not recorded
	Next     *Job       // the policy's next job, with another request; nil: none
}

// NewOutcome returns the outcome of a job that ended without a result of its solver.
func NewOutcome(j Job, class event.Class, err error) Outcome {
	return Outcome{Job: j, Answer: Answer{Result: plugin.Result{Class: class}}, Err: err}
}

// OK reports whether the outcome is an answer.
func (o *Outcome) OK() bool { return o.Class == event.Converged }

// Lasting reports whether the outcome is of a repeatable class and depends on its key alone. Rules in the key may have
// halted it (keyed).
func (o *Outcome) Lasting(keyed bool) bool {
	return Repeatable(o.Class) && (!o.Halted || keyed) && !o.Beyond
}

// LeftOut returns the outcome without its answer, as if the run had failed; by is the pattern of the command that
// excluded it.
func (o *Outcome) LeftOut(by string) Outcome {
	out := *o
	out.Class, out.Message, out.Steered = event.BadOutput, "said to be unusable by command, as "+by, nil
	out.Err = out.Failure(out.Message, nil)
	return out
}

// SolverFailed reports whether the solver, its limits or its description are the likely cause of a failure: not the
// request, which has a repeatable class, and not the end of its process or its machine from outside.
func (o *Outcome) SolverFailed() bool {
	return !Repeatable(o.Class) && o.Class != NotRun && o.Class != event.Killed && o.Class != event.Lost
}

// Cause is a class of failure and its reason without the numbers in it, which differ from run to run.
func Cause(class event.Class, reason string) string {
	return string(class) + ": " + figures().ReplaceAllString(reason, "")
}

var figures = regex.Lazy(`[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// Reason states why an outcome is no answer: in the solver's words if there are any, which are the same if the outcome
// comes from the cache.
func (o *Outcome) Reason() string {
	var failed *RunError
	switch {
	case o.Message != "":
		return o.Message
	case errors.As(o.Err, &failed):
		return failed.Reason
	case o.Err != nil:
		return o.Err.Error()
	}
	return ""
}

// Failure returns the error of an outcome that is no answer.
func (o *Outcome) Failure(reason string, err error) error {
	return &RunError{Run: o.Run, Folder: o.Folder, Class: o.Class, Reason: reason, Err: err}
}

// RunError reports a failed run.
type RunError struct {
	Run    string
	Folder string
	Class  event.Class
	Reason string
	Err    error // may be nil
}

func (e *RunError) Error() string {
	text := fmt.Sprintf("run %s: %s: %s", e.Run, e.Class, printable.Cell(e.Reason))
	if e.Folder != "" { // it has begun
		text += "; see " + e.Folder
	}
	return text
}

func (e *RunError) Unwrap() error { return e.Err }

// AbortError reports why a study ended early: a failure whose policy is Abort, or a solver
// that cannot be started.
type AbortError struct {
	Job string
	Err error
}

func (e *AbortError) Error() string {
	return fmt.Sprintf("the study ends with job %s: %v", e.Job, e.Err)
}
func (e *AbortError) Unwrap() error { return e.Err }

// ErrStudyEnded is the error of a job that was not run before the study ended.
var ErrStudyEnded = errors.New("not run: the study had ended")

// Unlike is a run whose answer differs from the answer of another run of the same request.
type Unlike struct{ Run, What string }

// Who computed an answer. This is not in the cache key, which has the solver's identity: the same program gives the
// same answer on any machine. If two answers differ after all, it shows what else differed.

// Maker is the machine and the program that computed an answer. Unknown fields are empty.
type Maker struct {
	Machine string               `json:"machine,omitempty"` // node; empty: the host's machine
	Block   string               `json:"block,omitempty"`   // of nodes, by its owner's name for it; empty: none
	Facts   process.MachineFacts `json:"facts,omitzero"`
	// contents of the files named by the solver's command; see launch.Contents
	Program []string `json:"program,omitempty"`
}

// ContentsOf hashes the files named by a command while its process starts: the first hash of an executable of 60 MB
// takes a tenth of a second.
func ContentsOf(command []string) func() []string {
	found := make(chan []string, 1)
	go func() { // ends with its result
		contents, _ := launch.Contents(command) // a missing program does not start either
		found <- contents
	}()
	return sync.OnceValue(func() []string { return <-found })
}

// MakerAt returns the maker of the runs of a program at a location.
func MakerAt(at launch.Location, contents []string) Maker {
	return Maker{Machine: at.Machine, Block: at.Block, Facts: at.Facts, Program: contents}
}

// Sum is the SHA-256 of the program's files together, in short: of its executable and of scripts among its arguments.
// Empty: not known.
func (m Maker) Sum() string {
	var sums []string
	for _, part := range m.Program {
		if sum, file := strings.CutPrefix(part, "file "); file {
			sums = append(sums, sum[:min(len(sum), shortSum)])
		}
	}
	return strings.Join(sums, " ")
}

// shortSum is how many digits of a hash people compare.
const shortSum = 12

// String describes the machine and the program in a line.
func (m Maker) String() string {
	var parts []string
	for _, text := range []string{m.Machine, m.Facts.String()} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if m.Block != "" {
		parts = append(parts, "block "+m.Block)
	}
	if sum := m.Sum(); sum != "" {
		parts = append(parts, "program "+sum)
	}
	return strings.Join(parts, ", ")
}
