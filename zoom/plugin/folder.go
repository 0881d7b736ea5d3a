package plugin

// The run folder is the complete record of a run: its request, its process, its events and
// its result. Usually the host writes all but the solver's files; a plugin that has lost its
// host continues these files in the same form.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/peregrine-sim/peregrine/internal/atomic"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// Files of a run folder.
const (
	// while it runs: the request, with defaults filled in; the cache key of the answer; the process and its address
	RequestFile = "request.json"
	// events, one per line; the first has what all share and when times begin; most lack their source
	EventsFile = event.LogName
	// standard output and error of the plugin; may be missing if the run printed no text
	LogFile     = "solver.log"
	ResultFile  = "result.json"    // the class, the answer and the request; written at the end of the run
	CommandFile = "commands.jsonl" // commands of other processes, one per line; may be missing
)

// AppendLine appends v as a line of JSON to a file of a run folder. Several processes may do so. If a process was
// killed, or found the disk full, while writing a line, AppendLine ends the incomplete line first: otherwise the two
// would be one unreadable line.
func AppendLine(folder, name string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := private.Edit(filepath.Join(folder, name), os.O_APPEND)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if cutOff(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// cutOff reports whether the last line of a file has no end.
func cutOff(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// OpenLog opens the log in a run folder for appending.
func OpenLog(folder string) (*os.File, error) {
	return private.Edit(filepath.Join(folder, LogFile), os.O_APPEND)
}

// LogLimit is how many bytes of a plugin's output are usually kept. A longer log loses its middle.
const LogLimit = 64 << 20

// EnvLogLimit is the environment variable with the limit of a run's output, bytes, for a solver that writes logs of its
// own.
const EnvLogLimit = "PEREGRINE_RUN_LOG_LIMIT"

// EventLimit is the usual limit of a run's events in its folder, bytes: some 200,000 of them.
const EventLimit = 64 << 20

// Inputs that name a file of another run, described by the solver with SolutionFormat.
const (
	// InRestart is the solution of a run of the same request, or of a request with only fewer "orders". The run
	// continues from it like an uninterrupted run: with its history, and to the same answer to the last bit.
	InRestart = "restart"
	// InNeighbour is the solution of a run of another request of the same solver, settings and geometry. The run takes
	// only its flow, as the initial guess. The history for its convergence begins anew, and the answer is that of a run
	// without it, within the error that it states.
	InNeighbour = "neighbour"
)

// Ending is the content of ResultFile: how a run ended, and its answer.
type Ending struct {
	Result
	NonFinite []string  `json:"non_finite,omitempty"` // names whose value was NaN or infinite
	Ended     time.Time `json:"ended"`
	// of the run; includes start and stop of its process if the host wrote it
	Wall time.Duration `json:"wall_ns"`
	// processor time of its process and the processes it waited for; 0: unknown
	CPU time.Duration `json:"cpu_ns,omitempty"`
	// most that its process held, in all its runs, bytes; 0: unknown
	Memory    int64        `json:"memory,omitempty"`
	WrittenBy event.Source `json:"written_by"`
	Solver    string       `json:"solver,omitempty"` // name and version
	Fidelity  string       `json:"fidelity,omitempty"`
	Solution  string       `json:"solution,omitempty"` // hash of the solution of a converged run
	// acts by command on which the answer may depend, in their order
	Steered []event.Receipt `json:"steered,omitempty"`

	// Record is the content of RequestFile, which has been removed; nil: it was not, as no host wrote the ending.
	Record json.RawMessage `json:"record,omitempty"`
}

// NewEnding returns the ending of a result, without the values that are not finite, which JSON cannot hold.
func NewEnding(r Result, started, now time.Time, by event.Source, d Description) Ending {
	finite, bad := r.Finite()
	return Ending{
		Result: finite, NonFinite: bad, Ended: now.UTC(), Wall: now.Sub(started),
		WrittenBy: by, Solver: d.Name + " " + d.Version, Fidelity: d.Fidelity,
	}
}

// syncedFrom is the least duration of a run whose record is synced to the disk at its end. Syncing takes several
// milliseconds, more than all other work for a short run. The system writes by itself within half a minute. So a crash
// of the machine loses at most the short runs of that time, which are repeated as fast.
const syncedFrom = time.Second

// Lasting reports whether a run took so long that its files are made to survive a crash of the machine.
func Lasting(wall time.Duration) bool { return wall >= syncedFrom }

// WriteResult writes ResultFile.
func WriteResult(folder string, e Ending) error {
	if Lasting(e.Wall) {
		return writeFile(folder, ResultFile, e, atomic.Sync)
	}
	return writeFile(folder, ResultFile, e)
}

// HasResult reports whether the run in a folder has left a result. A crash of the machine empties a result that was
// written shortly before.
func HasResult(folder string) bool {
	info, err := os.Stat(filepath.Join(folder, ResultFile))
	return err == nil && info.Size() > 0
}

// WriteFirstResult is WriteResult if the run has no result yet; false: the earlier result is kept. A process that may
// have been given up, so that another attempt was begun, uses it to write its result.
func WriteFirstResult(folder string, e Ending) (first bool, err error) {
	options := []atomic.Option{atomic.First}
	if Lasting(e.Wall) {
		options = append(options, atomic.Sync)
	}
	err = writeFile(folder, ResultFile, e, options...)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// WriteFile writes v as JSON in one step: a reader finds the old file or the new file, never a part. It is for runs in
// progress, which a crash of the machine ends. A file not yet on the disk is then cut short or zero; ReadFile reports
// it as damaged.
func WriteFile(folder, name string, v any) error { return writeFile(folder, name, v) }

func writeFile(folder, name string, v any, options ...atomic.Option) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", name, folder, err)
	}
	return private.Write(filepath.Join(folder, name), append(text, '\n'), options...)
}

// ReadFile reads a file of WriteFile into v.
func ReadFile(folder, name string, v any) error {
	path := filepath.Join(folder, name)
	text, err := private.ReadFile(path, intake.Limit{What: name, Bytes: 256 << 20})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", path, err)
	}
	return nil
}
