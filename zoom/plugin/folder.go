package plugin

// The run folder is the truth about a run: whoever finds one knows what was
// asked, who computed it, what happened and how it ended, with no process left
// to ask. Usually the host writes all but the solver's own files; a plugin that
// has lost its host goes on where the host stopped, in the same form.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Files of a run folder.
const (
	RequestFile = "request.json" // what was asked for, with defaults filled in
	ProcessFile = "process.json" // who computes it
	EventsFile  = event.LogName  // one event a line
	LogFile     = "solver.log"   // standard output and error of the plugin
	ResultFile  = "result.json"  // how it ended, and the answer; there once the run has ended
	KeyFile     = "key.json"     // under which key the answer belongs into a cache; may be absent
)

// InRestart is the input of a solver that can go on from a file which a run of the
// same request left (the solver describes that file with SolutionFormat).
const InRestart = "restart"

// Ending is how a run ended, as in ResultFile.
type Ending struct {
	Result
	NonFinite []string      `json:"non_finite,omitempty"` // names whose value was NaN or infinite
	Ended     time.Time     `json:"ended"`
	Wall      time.Duration `json:"wall_ns"` // of the run; with start and stop of its process if the host wrote it
	WrittenBy event.Source  `json:"written_by"`
	Solver    string        `json:"solver,omitempty"` // name and version
	Fidelity  string        `json:"fidelity,omitempty"`
}

// NewEnding sorts out what JSON cannot hold.
func NewEnding(r Result, started, now time.Time, by event.Source, d Description) Ending {
	finite, bad := r.Finite()
	return Ending{
		Result: finite, NonFinite: bad, Ended: now.UTC(), Wall: now.Sub(started),
		WrittenBy: by, Solver: d.Name + " " + d.Version, Fidelity: d.Fidelity,
	}
}

// WriteFile writes v as JSON in one step: a reader finds the old file or the
// new one, never half of one, also after a crash of the machine.
func WriteFile(folder, name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, folder, err)
	}
	return atomic.WriteFile(filepath.Join(folder, name), append(text, '\n'), atomic.Sync)
}

// ReadFile reads what WriteFile wrote.
func ReadFile(folder, name string, v any) error {
	path := filepath.Join(folder, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
