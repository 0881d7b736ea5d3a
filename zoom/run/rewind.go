package run

// Going back. A run may be made once more from one of its named checkpoints, with other settings or not: as the next attempt of its job, while
// what was made first stays as evidence. What had been done to the first up to the checkpoint is part of what the second answers for.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/components/steer"
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
	return fmt.Sprintf("run %s has no checkpoint %q; it has %q", e.Run, e.Name, e.Known)
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
	acts     []event.Act
	commands []steer.Command // by which it has what the first had there, and the changes
	stood    map[string]bool // IDs of the commands that held the first one
}

// againMark begins the IDs of commands that bring a run to where another one was.
const againMark = "again "

// startOf returns where a run begins that goes on from a checkpoint of the run in a folder.
func startOf(folder string, w Rewinding) (*rewound, error) {
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
			if a.Name == w.Checkpoint {
				r.path, r.at = filepath.Join(folder, a.File), a.Iteration
			}
		}
	}
	if r.at < 0 {
		return nil, &CheckpointError{r.of, w.Checkpoint, known}
	}
	for _, e := range events {
		if e.Act != nil && e.Act.Changes() && e.Act.Iteration <= r.at {
			r.acts = append(r.acts, *e.Act)
		}
	}
	return r, r.again()
}

// again makes the commands.
func (r *rewound) again() error {
	commands, err := commandsOf(r.acts)
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
	for _, a := range own {
		if len(a.ID) < len(againMark) || a.ID[:len(againMark)] != againMark {
			all = append(all, a)
		}
	}
	return all
}
