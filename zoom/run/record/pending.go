package record

// Commands for runs that are yet to start, and the hold of a whole study. They are in a file of the study's folder. Any
// process may append to it; it is read before each run starts. A run applies the commands whose pattern matches its
// name, in their order.

import (
	"fmt"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// PendingFile is the file of a study's folder.
const PendingFile = "future.jsonl"

// StartPoint is the name of the sync point at which the runs of a held study begin.
const StartPoint = "start"

// Pending is a command for the runs of a study whose names match a pattern, and that are yet to start.
type Pending struct {
	Runs string `json:"runs"`
	steer.Command
}

// Keep appends the command to the file in a study's folder.
func (f Pending) Keep(study string) error { return plugin.AppendLine(study, PendingFile, f) }

// ReadPending reads the commands of a study's folder.
func ReadPending(study string) (list []Pending, err error) {
	err = ReadLines(study, PendingFile, "the commands for runs that are yet to start", 16<<20,
		func(f Pending) { list = append(list, f) })
	return list, err
}

// HoldStart makes future runs of a study begin held, until the study is released. With held false it cancels this.
func HoldStart(study string, held bool, by string, now time.Time) error {
	list, err := ReadPending(study)
	if err != nil {
		return err
	}
	stands := slices.ContainsFunc(PendingOf(list, StartPoint),
		func(c steer.Command) bool { return c.Verb == steer.Sync && c.Name == StartPoint })
	if held == stands {
		return nil
	}
	c := steer.Command{ID: fmt.Sprintf("%s-%d", process.Self().Tag(), now.UnixNano()), Verb: steer.Release,
		Name: StartPoint, By: by, Time: now}
	if held {
		c.Verb = steer.Sync
	}
	return Pending{Runs: "*", Command: c}.Keep(study)
}

// PendingOf returns the commands with which a run starts. A release or resume cancels an earlier hold, and is returned
// too: a kept command is also sent to running runs, and each run applies it once, by ID.
func PendingOf(list []Pending, run string) (commands []steer.Command) {
	for _, f := range list {
		if !Matches(f.Runs, run) {
			continue
		}
		commands = slices.DeleteFunc(commands, func(c steer.Command) bool { return ends(f.Command, c) })
		commands = append(commands, f.Command)
	}
	return commands
}

// Holds reports whether a command holds its run.
func Holds(c steer.Command) bool { return c.Verb == steer.Pause || c.Verb == steer.Sync }

// EndOf returns the release or resume with which a study cancelled a hold that it kept; false: the hold was not
// cancelled.
func EndOf(list []Pending, run string, c steer.Command) (end steer.Command, ended bool) {
	kept := false
	for _, f := range list {
		switch {
		case !Matches(f.Runs, run):
		case f.ID == c.ID:
			kept = true
		case kept && ends(f.Command, c):
			return f.Command, true
		}
	}
	return end, false
}

// ends reports whether one command cancels the hold of another.
func ends(end, c steer.Command) bool {
	if end.At > 0 || end.When != "" || c.At > 0 || c.When != "" {
		return false // one of them has a later time
	}
	switch {
	case c.Verb == steer.Pause:
		return end.Verb == steer.Resume || end.Verb == steer.Release && end.Name == ""
	case c.Verb == steer.Sync:
		return end.Verb == steer.Release && (end.Name == "" || end.Name == c.Name)
	}
	return false
}

var holding = []steer.Verb{steer.Pause, steer.Resume, steer.Step, steer.Sync, steer.Release}

// Holding reports whether a verb holds runs or resumes them.
func Holding(v steer.Verb) bool { return slices.Contains(holding, v) }
