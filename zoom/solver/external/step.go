package external

// The steps of a run: commands, one after the other.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
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

// run runs a step, and calls began, which may be nil, when its program runs. It returns the step's failure, nil if it
// succeeded. The error reports that the step could not be started.
func (s *step) run(ctx context.Context, d *Description, folder *runFolder, words []string, emit func(event.Event),
	began func(*process.Running)) (*failedStep, error) {
	log, err := folder.root.OpenFile(s.log, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the program has written it
	command := process.Exec{Words: words, Folder: folder.path, Environment: d.variables(), Output: log,
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

// lastWords returns the end of a log, for people.
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

// The signs of a run's end in its files. They take precedence over the exit status: a solver that reached its last
// iteration ends with 0, and a solver with an answer may crash when it cleans up.

// found returns the first sign of a list that is found in the files of a run, and the line; nil: none is.
func (a *answers) found(list []sign, logs []string) (*sign, string) {
	for i := range list {
		s := &list[i]
		names := logs
		if s.file != "" {
			name, err := a.newest(s.file)
			if err != nil {
				continue
			}
			names = []string{name}
		}
		for _, name := range names {
			text, err := a.folder.read(name)
			if err != nil {
				continue
			}
			if at := s.regexp.FindIndex(text); at != nil {
				return s, name + ": " + lineAt(text, at[0])
			}
		}
	}
	return nil, ""
}

// lineAt returns the line of a text that contains a byte.
func lineAt(text []byte, at int) string {
	const most = 200
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := bytes.Cut(text[begin:], []byte("\n"))
	return strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), most)])), "?")
}

// judge returns the result of a run whose steps have ended; failed is the failure of the last step, nil if it
// succeeded.
func (d *Description) judge(a *answers, env environment, logs []string, failed *failedStep) plugin.Result {
	if failed != nil && (failed.class == event.Killed || failed.class == event.Timeout) {
		return plugin.Result{Class: failed.class, Message: failed.message}
	}
	if s, line := a.found(d.failure, logs); s != nil {
		return plugin.Result{Class: s.class, Message: line}
	}
	good, _ := a.found(d.success, logs)
	switch {
	case good == nil && failed != nil:
		return plugin.Result{Class: failed.class, Message: failed.message}
	case good == nil && len(d.success) > 0:
		return plugin.Result{
			Class: event.NotConverged, Message: "it ended without a line of success, such as one that matches " +
				asWritten(d.success[0].regexp),
		}
	}
	r, missing := a.all(d.outputs, env)
	r.Class = event.Converged
	var needed []error
	for _, err := range missing {
		if gone, ok := err.(*absent); !ok || d.required(gone.name) {
			needed = append(needed, err)
		}
	}
	if len(needed) > 0 {
		r.Class, r.Message = event.BadOutput, fmt.Sprintf("it ended well without an answer: %s", listed(needed))
	}
	return r
}

func (d *Description) required(output string) bool {
	for _, o := range d.outputs {
		if o.Name == output {
			return o.Required
		}
	}
	return true
}

// asWritten returns an expression in the form of the description.
func asWritten(e *regexp.Regexp) string {
	return strings.TrimSuffix(strings.TrimPrefix(e.String(), "(?m:"), ")")
}
