package external

// The steps of a run: commands, one after the other.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
)

// patience is the time from SIGTERM to a step until it is killed. It is shorter than the host's.
const patience = 1500 * time.Millisecond

// errLate is the cause of the end of a step that took too long.
var errLate = errors.New("it did not end in time")

// failedStep is how a step failed.
type failedStep struct {
	class   event.Class
	message string
}

// run runs a step, and calls began, which may be nil, when its program runs. It returns how it failed, nil if it did
// not; the error says that it could not be started.
func (s *step) run(ctx context.Context, d *Description, folder *runFolder, words []string, emit func(event.Event),
	began func(*process.Running)) (*failedStep, error) {
	log, err := folder.root.OpenFile(s.log, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the program has written it
	command := process.Command{Words: words, Folder: folder.path, Environment: d.variables(), Output: log,
		Patience: patience, Began: began}
	if s.input != "" {
		if command.Input, err = folder.open(s.input); err != nil {
			return nil, err
		}
		defer func() { _ = command.Input.Close() }()
	}
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if s.time > 0 {
		late := clock.Real.AfterFunc(s.time, func() { cancel(errLate) })
		defer late.Stop()
	}
	emit(event.Event{Kind: event.Message, Text: "step " + s.name + ": " + strings.Join(words, " ")})
	ended, cut := make(chan struct{}), make(chan struct{})
	go func() { // ends with the program
		defer close(cut)
		hosting.Shorten(log, plugin.LogLimit, clock.Real, ended)
	}()
	state, err := command.Run(limited)
	close(ended)
	<-cut
	switch {
	case err != nil:
		return nil, fmt.Errorf("step %s: %w", s.name, err)
	case ctx.Err() != nil:
		return &failedStep{event.Killed, fmt.Sprintf("%v; step %s was ended", context.Cause(ctx), s.name)}, nil
	case limited.Err() != nil:
		return &failedStep{event.Timeout, fmt.Sprintf("step %s did not end within %v", s.name, s.time)}, nil
	case !state.Success():
		return &failedStep{event.Crashed, fmt.Sprintf("step %s: %s%s", s.name, state, folder.lastWords(s.log))}, nil
	}
	return nil, nil
}

// lastWords are the end of a log, for people.
func (f *runFolder) lastWords(log string) string {
	const most = 400
	text, err := f.read(log)
	if err != nil {
		return ""
	}
	if text = text[max(0, len(text)-most):]; len(text) == 0 {
		return "; it printed nothing"
	}
	return "; it printed: " + strings.ToValidUTF8(strings.TrimSpace(string(text)), "?")
}
