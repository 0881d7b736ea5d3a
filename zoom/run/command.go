package run

// Stopping a run from another process, and letting one go on that was paused. The study's log has one writer, the process that
// started the run. So the other process leaves a record of its command in the run folder,
// and the first one writes it into the logs, at the run's end or, of one that is paused, at once. If that process has died, nobody writes the
// study's log, and the command is appended to it at once.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	studylog "github.com/peregrine-sim/peregrine/watchdog/log"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/launch"
)

// commandRecord is the file command.json: a command from another process than the host's.
type commandRecord struct {
	Verb plugin.Verb `json:"verb"`
	By   string      `json:"by"` // for people
	Time time.Time   `json:"time"`
}

// event returns the event of the command.
func (c commandRecord) event() event.Event {
	return event.Event{Kind: event.Command, Name: string(c.Verb), Text: "by " + c.By, Time: c.Time}
}

// Stop commands a run of any process to stop at its next checkpoint, and returns when its
// solver has accepted the command. By names who does that, for the logs of run and study.
// The error is ErrNotRunning if the run has ended.
func Stop(ctx context.Context, r Run, launchers launch.Registry, by string) error {
	return command(ctx, r, launchers, plugin.Stop, by)
}

// Resume lets a run of any process go on that was paused; otherwise as Stop. A run that is not paused goes on as it did.
func Resume(ctx context.Context, r Run, launchers launch.Registry, by string) error {
	return command(ctx, r, launchers, plugin.Resume, by)
}

func command(ctx context.Context, r Run, launchers launch.Registry, verb plugin.Verb, by string) error {
	client, task, err := Attach(ctx, r, launchers)
	if err != nil {
		return err
	}
	defer task.Release()
	c := commandRecord{Verb: verb, By: by, Time: clock.Real.Now().UTC()}
	err = plugin.WriteFile(r.Folder, plugin.CommandFile, c) // before the run can end
	if failed := client.Control(ctx, plugin.Command{Run: r.Name, Verb: c.Verb}); failed != nil {
		_ = os.Remove(filepath.Join(r.Folder, plugin.CommandFile)) // the logs would say that the run was commanded
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

// appendToStudy writes a command into the log of a study that no process works on.
func appendToStudy(r Run, c commandRecord) error {
	log := studylog.New(clock.Real, func(event.Event) {})
	var busy *studylog.BusyError
	switch err := log.Open(filepath.Dir(r.Folder)); {
	case errors.As(err, &busy):
		return nil // a new process works on the study; the run folder keeps the command
	case err != nil:
		return err
	}
	e := c.event()
	e.Run, e.Folder = r.Name, r.Folder
	log.Record(e)
	return log.Close()
}
