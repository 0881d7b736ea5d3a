package record

// Stopping a run from another process, and resuming a paused run. The study's log has one writer, the process that
// started the run. So the other process leaves its command in the run folder, and the writer copies it into the logs:
// at the run's end or, for a paused run, at once. If the writer has died, the command is appended to the study's log at
// once.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	private "github.com/peregrine-sim/peregrine/internal/folder"
	"github.com/peregrine-sim/peregrine/internal/intake"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// CommandRecord is a line of the file commands.jsonl: a command from another process than the host's, or a note that a
// command was not taken.
type CommandRecord struct {
	ID        string     `json:"id,omitempty"` // among the commands of the run
	Verb      steer.Verb `json:"verb,omitempty"`
	By        string     `json:"by,omitempty"` // for people
	Time      time.Time  `json:"time,omitzero"`
	Withdrawn string     `json:"withdrawn,omitempty"` // ID of a command that the solver did not take
	// the answer may depend on it; the solver reports its effect
	Steers bool `json:"steers,omitempty"`
}

// Event returns the event of the command.
func (c CommandRecord) Event() event.Event {
	return event.Event{Kind: event.Command, Name: string(c.Verb), Text: "by " + c.By, Time: c.Time}
}

// Stop commands a run of any process to stop at its next checkpoint, and returns when its solver has accepted the
// command. By names the caller, for the logs of run and study. The error is ErrNotRunning if the run has ended.
func Stop(ctx context.Context, r Run, launchers launch.Registry, by string) error {
	return command(ctx, r, launchers, steer.Stop, by)
}

// Resume resumes a paused run of any process; otherwise it is like Stop. It has no effect on a run that is not paused.
func Resume(ctx context.Context, r Run, launchers launch.Registry, by string) error {
	return command(ctx, r, launchers, steer.Resume, by)
}

func command(ctx context.Context, r Run, launchers launch.Registry, verb steer.Verb, by string) error {
	client, task, err := Attach(ctx, r, launchers)
	if err != nil {
		return err
	}
	defer task.Release()
	// A solver that obeys a stop may end before it answers, so a lost answer counts as obedience. Describe checks first
	// that the solver can be reached.
	if _, err := client.Describe(ctx); err != nil {
		return fmt.Errorf("%v cannot be reached: %w", task.Place(), err)
	}
	now := clock.Real.Now().UTC()
	c := CommandRecord{ID: fmt.Sprintf("%s-%d", process.Self().Tag(), now.UnixNano()), Verb: verb, By: by, Time: now}
	err = plugin.AppendLine(r.Folder, plugin.CommandFile, c) // before the run can end
	given := steer.Command{ID: c.ID, Verb: verb, Now: verb == steer.Stop, By: by, Time: now}
	if failed := client.Give(ctx, given, r.Name); failed != nil {
		// otherwise the logs would report a command that was not taken
		_ = plugin.AppendLine(r.Folder, plugin.CommandFile, CommandRecord{Withdrawn: c.ID})
		if status.Code(failed) != codes.Unavailable && status.Code(failed) != codes.DeadlineExceeded {
			return fmt.Errorf("its solver refuses: %s", status.Convert(failed).Message())
		}
		return fmt.Errorf("%v cannot be reached: %w", task.Place(), failed)
	}
	if r.Orphan {
		err = errors.Join(err, appendToStudy(r, c))
	}
	return err
}

// Intend records that a run is about to get a command, if its answer may depend on the command. So the answer is never
// taken for that of the request alone, even if a process is killed meanwhile.
func (r *Run) Intend(c steer.Command) error {
	switch c.Verb {
	case steer.Set, steer.Poke, steer.CallOf:
		return plugin.AppendLine(r.Folder, plugin.CommandFile,
			CommandRecord{ID: c.ID, Verb: c.Verb, By: c.By, Time: c.Time, Steers: true})
	}
	return nil
}

// ReadCommands returns the commands in a run folder, in their order, without the commands that the solver did not take.
func ReadCommands(folder string) (list []CommandRecord, err error) {
	err = ReadLines(folder, plugin.CommandFile, "the commands to a run", 16<<20, func(c CommandRecord) {
		if c.Withdrawn == "" {
			list = append(list, c)
			return
		}
		list = slices.DeleteFunc(list, func(o CommandRecord) bool { return o.ID == c.Withdrawn })
	})
	return list, err
}

// appendToStudy writes a command into the log of a study that no process works on.
func appendToStudy(r Run, c CommandRecord) error {
	log := studylog.New(clock.Real, func(event.Event) {})
	var busy *studylog.BusyError
	switch err := log.Open(filepath.Dir(r.Folder)); {
	case errors.As(err, &busy):
		return nil // a new process works on the study; the run folder keeps the command
	case err != nil:
		return err
	}
	e := c.Event()
	e.Run, e.Folder = r.Name, r.Folder
	log.Record(e)
	return log.Close()
}

// Touched reports whether the run in a folder may have been steered, by its record and events.
func Touched(folder string) bool {
	changes := func(c steer.Command) bool {
		return slices.Contains([]steer.Verb{steer.Set, steer.Poke, steer.CallOf}, c.Verb)
	}
	if record, err := Brief(folder); err == nil && slices.ContainsFunc(record.Commands, changes) {
		return true
	}
	if commands, err := ReadCommands(folder); err != nil ||
		slices.ContainsFunc(commands, func(c CommandRecord) bool { return c.Steers }) {
		return true
	}
	events, _ := event.Read(filepath.Join(folder, plugin.EventsFile)) // damaged lines are left out
	return slices.ContainsFunc(events, func(e event.Event) bool { return e.Act != nil && e.Act.Changes() })
}

// Files of JSON lines, to which any process may append.

// ReadLines calls each with the lines of a JSON file in a folder; a missing file has none. It skips an incomplete line:
// that is being written, or its writer was killed before acting on it.
func ReadLines[T any](folder, name, what string, limit int64, each func(T)) error {
	data, err := private.ReadFile(filepath.Join(folder, name), intake.Limit{What: what, Bytes: limit})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range bytes.Lines(data) {
		var v T
		if bytes.HasSuffix(line, []byte("\n")) && json.Unmarshal(line, &v) == nil {
			each(v)
		}
	}
	return err
}

// CommandsOf returns the commands that repeat the acts on a run, at the same iterations. The error names an act that
// cannot be repeated.
func CommandsOf(acts []event.Receipt) (list []steer.Command, err error) {
	for _, x := range acts {
		if x.State != event.Applied {
			return nil, fmt.Errorf("command %s was %s and left something changed: it cannot be done again", x.ID,
				x.State)
		}
		c := steer.Command{ID: x.ID, Verb: x.Verb, At: x.Iteration, By: x.By, From: x.From, Time: x.Time}
		for _, d := range x.Effects {
			v := d.New
			if c.Verb == steer.CallOf {
				v = d.Argument
			}
			c.Changes = append(c.Changes, steer.Change{Object: d.Object, Value: v})
		}
		list = append(list, c)
	}
	return list, nil
}
