package run

// Going back. A run may be made once more from one of its named checkpoints, with other settings or not: as the next attempt of its job, while
// what was made first stays as evidence. What had been done to the first up to the checkpoint is part of what the second answers for.

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

	"github.com/peregrine-sim/peregrine/components/steer"
	"github.com/peregrine-sim/peregrine/internal/spell"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// rewindFile is where a run folder says that the run goes on from one of its checkpoints.
const rewindFile = "rewind.json"

// Rewinding is from which checkpoint a run goes on, and what is changed there.
type Rewinding struct {
	ID         string         `json:"id"`
	Checkpoint string         `json:"checkpoint"` // its name
	Changes    []steer.Change `json:"changes,omitempty"`
	By         string         `json:"by,omitempty"`
	From       string         `json:"from,omitempty"`
	Time       time.Time      `json:"time"`
}

// CheckpointError reports a checkpoint that a run has not.
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

// Rewind notes that a run goes on from a checkpoint when it ends: have it stop then. The error is a [*CheckpointError] if there is no such one.
func (r *Run) Rewind(w Rewinding) error {
	if _, err := startOf(r.Folder, w); err != nil {
		return err
	}
	return plugin.WriteFile(r.Folder, rewindFile, w)
}

// rewound is where a run begins that goes on from a checkpoint of another.
type rewound struct {
	Rewinding
	of       string // name of the run
	path     string // of the solution
	at       int64  // iteration
	branch   bool   // the first one goes on, too
	key      string // of a branch: that of the first one's request in the cache
	program  string // of a branch: sum of the first one's program
	acts     []event.Act
	commands []steer.Command // by which it has what the first had there, and the changes
	stood    map[string]bool // IDs of the commands that held the first one
}

// againMark begins the IDs of commands that bring a run to where another one was.
const againMark = "again "

// startOf returns where a run begins that goes on from a checkpoint of the run in a folder.
func startOf(folder string, w Rewinding) (*rewound, error) { return startAt(folder, w, "", 0) }

// startAt is startOf where the checkpoint as it was at an iteration is kept in another file of the folder; empty: the last one of its name, in its own.
func startAt(folder string, w Rewinding, file string, at int64) (*rewound, error) {
	events, err := event.Read(filepath.Join(folder, plugin.EventsFile))
	if err != nil && len(events) == 0 {
		return nil, err
	}
	r := &rewound{Rewinding: w, of: filepath.Base(folder), at: -1, stood: map[string]bool{}}
	var known []string
	for _, e := range events {
		a := e.Act
		switch {
		case a == nil || steer.State(a.State) != steer.Applied:
		case Holding(steer.Verb(a.Verb)):
			r.stood[a.ID] = true
		case steer.Verb(a.Verb) == steer.Checkpoint:
			known = append(known, a.Name)
			if a.Name == w.Checkpoint && (file == "" || a.Iteration == at) {
				r.path, r.at = filepath.Join(folder, cmp.Or(file, a.File)), a.Iteration
			}
		}
	}
	if r.at < 0 {
		return nil, &CheckpointError{r.of, w.Checkpoint, known}
	}
	if _, err := os.Stat(r.path); err != nil {
		return nil, fmt.Errorf("checkpoint %q of run %s is not in its folder: %w; a run keeps its last ones, and one on another machine brings them when it has ended", w.Checkpoint, r.of, err)
	}
	if record, err := ReadRecord(folder); err == nil && record.Parent != nil { // it was made from a checkpoint itself
		r.acts = slices.Clone(record.Parent.Acts)
	}
	for _, a := range ownActs(events) {
		if a.Iteration <= r.at {
			r.acts = append(r.acts, a)
		}
	}
	return r, r.again()
}

// ownActs are those on which a run's answer may depend, without those that bring it to where another one was.
func ownActs(events []event.Event) (acts []event.Act) {
	for _, e := range events {
		if e.Act != nil && e.Act.Changes() && !strings.HasPrefix(e.Act.ID, againMark) {
			acts = append(acts, *e.Act)
		}
	}
	return acts
}

// parent is what the record of a run says that begins there; nil: it begins at its beginning.
func (r *rewound) parent() *Parent {
	if r == nil {
		return nil
	}
	return &Parent{Run: r.of, Checkpoint: r.Checkpoint, Iteration: r.at, Branch: r.branch, ID: r.ID, Acts: r.acts, Key: r.key}
}

// again makes the commands.
func (r *rewound) again() error {
	commands, err := CommandsOf(r.acts)
	if err != nil {
		return err
	}
	for _, c := range commands {
		c.ID, c.At = againMark+c.ID, 0
		r.commands = append(r.commands, c)
	}
	if len(r.Changes) > 0 {
		r.commands = append(r.commands, steer.Command{ID: r.ID, Verb: steer.Set, Changes: r.Changes, By: r.By, From: r.From, Time: r.Time})
	}
	return nil
}

// BranchVerb is the verb of the act by which the answer of a branch is marked, which nobody asked for by a request.
const BranchVerb = "branch"

// branched is that act.
func (r *rewound) branched() event.Act {
	return event.Act{ID: r.ID, State: string(steer.Applied), Verb: BranchVerb, Name: r.Checkpoint, Iteration: r.at, By: r.By, From: r.From, Time: r.Time}
}

// rewoundFrom returns where the next attempt begins if the one in a folder is to be made again from a checkpoint; nil: it is not.
func rewoundFrom(folder string) (*rewound, error) {
	var w Rewinding
	err := plugin.ReadFile(folder, rewindFile, &w)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return startOf(folder, w)
}

// steered is what an answer of such an attempt depends on: what was done to the first up to the checkpoint, and to the second from there.
func (r *rewound) steered(own []event.Act) []event.Act {
	if r == nil {
		return own
	}
	all := slices.Clone(r.acts)
	if r.branch {
		all = append(all, r.branched())
	}
	for _, a := range own {
		if !strings.HasPrefix(a.ID, againMark) {
			all = append(all, a)
		}
	}
	return all
}
