package branch

// Rewinding. A run may continue from one of its named checkpoints, with the same or other settings, as the next attempt
// at its job. The first attempt's folder stays as evidence. The answer of the second attempt also depends on the
// commands to the first up to the checkpoint.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// RewindFile is the file of a run folder that holds a Rewinding.
const RewindFile = "rewind.json"

// Rewinding names the checkpoint from which a run continues, and the settings that change there.
type Rewinding struct {
	ID         string         `json:"id"`
	Checkpoint string         `json:"checkpoint"` // its name
	Changes    []steer.Change `json:"changes,omitempty"`
	By         string         `json:"by,omitempty"`
	From       string         `json:"from,omitempty"`
	Time       time.Time      `json:"time"`
}

// CheckpointError reports that a run has no checkpoint of a name.
type CheckpointError struct {
	Run, Name string
	Known     []string
}

func (e *CheckpointError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("run %s has no checkpoint: save one by `peregrine steer checkpoint`", e.Run)
	}
	return fmt.Sprintf("run %s has no checkpoint %q%s", e.Run, e.Name, spell.Hint(e.Name, e.Known))
}

// Rewind records in a run folder that the next attempt continues from a checkpoint. The caller then stops the run. The
// error is a [*CheckpointError] if the checkpoint does not exist.
func Rewind(folder string, w Rewinding) error {
	if _, err := startOf(folder, w); err != nil {
		return err
	}
	return plugin.WriteFile(folder, RewindFile, w)
}

// Start is the start of a run at a checkpoint of another run, its parent.
type Start struct {
	Rewinding
	Of       string // name of the parent
	path     string // of the checkpoint's file
	At       int64  // iteration
	branch   bool   // the parent continues too
	Key      string // of a branch: the cache key of the parent's request
	Program  string // of a branch: checksum of the parent's program
	acts     []event.Receipt
	commands []steer.Command // bring the run to the parent's settings at the checkpoint, and make the changes
	Stood    map[string]bool // IDs of the commands that held the parent
}

// RepeatMark begins the IDs of the commands that repeat the parent's commands.
const RepeatMark = "again "

// startOf returns the start of a run that continues from a checkpoint of the run in a folder.
func startOf(folder string, w Rewinding) (*Start, error) { return startAt(folder, w, "", 0) }

// startAt is startOf for a checkpoint that was written more than once: file is the copy made at iteration at. With an
// empty file it is the last checkpoint with the name.
func startAt(folder string, w Rewinding, file string, at int64) (*Start, error) {
	events, err := event.Read(filepath.Join(folder, plugin.EventsFile))
	if err != nil && len(events) == 0 {
		return nil, err
	}
	r := &Start{Rewinding: w, Of: filepath.Base(folder), At: -1, Stood: map[string]bool{}}
	var known []string
	for _, e := range events {
		a := e.Act
		switch {
		case a == nil || a.State != event.Applied:
		case record.Holding(steer.Verb(a.Verb)):
			r.Stood[a.ID] = true
		case steer.Verb(a.Verb) == steer.Checkpoint:
			known = append(known, a.Name)
			if a.Name == w.Checkpoint && (file == "" || a.Iteration == at) {
				r.path, r.At = filepath.Join(folder, cmp.Or(file, a.File)), a.Iteration
			}
		}
	}
	if r.At < 0 {
		return nil, &CheckpointError{r.Of, w.Checkpoint, known}
	}
	if _, err := os.Stat(r.path); err != nil {
		return nil, fmt.Errorf("checkpoint %q of run %s is not in its folder: %w; a run keeps its last ones, and one "+
			"on another machine brings them when it has ended", w.Checkpoint, r.Of, err)
	}
	if record, err := record.Brief(folder); err == nil && record.Parent != nil { // it was made from a checkpoint itself
		r.acts = slices.Clone(record.Parent.Acts)
	}
	for _, a := range AnswerActs(events) {
		if a.Iteration <= r.At {
			r.acts = append(r.acts, a)
		}
	}
	return r, r.makeCommands()
}

// AnswerActs returns the acts on which a run's answer may depend, without acts repeated from its parent.
func AnswerActs(events []event.Event) (acts []event.Receipt) {
	for _, e := range events {
		if e.Act != nil && e.Act.Changes() && !strings.HasPrefix(e.Act.ID, RepeatMark) {
			acts = append(acts, *e.Act)
		}
	}
	return acts
}

// Parent is the entry in the run's record; nil: the run does not start at a checkpoint.
func (r *Start) Parent() *record.Parent {
	if r == nil {
		return nil
	}
	return &record.Parent{Run: r.Of, Checkpoint: r.Checkpoint, Iteration: r.At, Branch: r.branch, ID: r.ID,
		Acts: r.acts, Key: r.Key}
}

// makeCommands sets the commands with which the run begins: the parent's commands, then the changes.
func (r *Start) makeCommands() error {
	commands, err := record.CommandsOf(r.acts)
	if err != nil {
		return err
	}
	for _, c := range commands {
		c.ID, c.At = RepeatMark+c.ID, 0
		r.commands = append(r.commands, c)
	}
	if len(r.Changes) > 0 {
		r.commands = append(r.commands, steer.Command{ID: r.ID, Verb: steer.Set, Changes: r.Changes, By: r.By,
			From: r.From, Time: r.Time})
	}
	return nil
}

// Verb is the verb of the act that marks the answer of a branch, which was made without a request of its own.
const Verb = "branch"

// branched returns the act that marks a branch.
func (r *Start) branched() event.Receipt {
	return event.Receipt{ID: r.ID, State: event.Applied, Verb: Verb, Name: r.Checkpoint, Iteration: r.At,
		By: r.By, From: r.From, Time: r.Time}
}

// Rewound returns the start of the next attempt if the folder of the present attempt has a Rewinding; nil: it has none.
func Rewound(folder string) (*Start, error) {
	var w Rewinding
	err := plugin.ReadFile(folder, RewindFile, &w)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return startOf(folder, w)
}

// Steered returns the acts on which the answer depends: the parent's up to the checkpoint, and the given acts of this
// run.
func (r *Start) Steered(acts []event.Receipt) []event.Receipt {
	if r == nil {
		return acts
	}
	all := slices.Clone(r.acts)
	if r.branch {
		all = append(all, r.branched())
	}
	for _, a := range acts {
		if !strings.HasPrefix(a.ID, RepeatMark) {
			all = append(all, a)
		}
	}
	return all
}

// WithRestart returns a request that starts from a checkpoint.
func WithRestart(r plugin.Request, path string) plugin.Request {
	texts := map[string]string{plugin.InRestart: path}
	for name, text := range r.Texts {
		if name != plugin.InRestart {
			texts[name] = text
		}
	}
	r.Texts = texts
	return r
}

// Request returns the request of an attempt that begins at another attempt's checkpoint. A nil Start returns the
// request unchanged.
func (r *Start) Request(of plugin.Request) plugin.Request {
	if r == nil {
		return of
	}
	of = WithRestart(of, r.path)
	of.Commands = slices.Concat(r.commands, of.Commands)
	return of
}
