package external

// The steps of a run: commands, one after the other.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
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

// run runs a step whose output is to be printed, and calls began, which may be nil, when its program runs. It returns
// the step's failure, nil if it succeeded. All processes that it has started have ended then. The error reports that
// the step could not be started.
func (s *step) run(ctx context.Context, d *Description, folder *runFolder, printed *printout, words []string,
	emit func(event.Event), began func(*process.Running)) (*failedStep, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }() // all was read
	command := process.Exec{Words: words, Folder: folder.path, Environment: append(d.variables(),
		plugin.MarksVariable+"="+filepath.Join(folder.path, plugin.MarksFile)), Output: to,
		Patience: patience, Began: began, Whole: true}
	if s.input != "" {
		if command.Input, err = folder.open(s.input); err != nil {
			_ = to.Close() // nothing was written
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
	finish := printed.follow(from)
	state, err := command.Run(limited)
	_ = to.Close() // the programs have written it
	finish()
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

// found returns the first sign of a list that is found in the files of a run, and the line; nil: none is. The error is
// the reason why a sign may be there that was not found.
func (a *answers) found(list []sign) (_ *sign, line string, doubt error) {
	for i := range list {
		s := &list[i]
		name, err := a.newest(s.file)
		switch gone := new(missingFile); {
		case s.file == "":
		case errors.As(err, &gone):
			continue
		case err != nil:
			doubt = errors.Join(doubt, err)
			continue
		}
		for _, p := range a.printed {
			if s.file != "" && name != p.name {
				continue
			}
			if line, shown := p.lines[s]; shown {
				return s, p.name + ": " + line, nil
			}
			doubt = errors.Join(doubt, p.doubt)
		}
		if s.file == "" || a.printout(name) != nil {
			continue
		}
		line, err := a.folder.shows(s, name)
		if line != "" {
			return s, name + ": " + line, nil
		}
		doubt = errors.Join(doubt, err)
	}
	return nil, "", doubt
}

// judge returns the result of a run whose steps have ended; failed is the failure of the last step, nil if it
// succeeded.
func (d *Description) judge(a *answers, env environment, failed *failedStep) plugin.Result {
	if failed != nil && (failed.class == event.Killed || failed.class == event.Timeout) {
		return plugin.Result{Class: failed.class, Message: failed.message}
	}
	bad, line, badDoubt := a.found(d.failure)
	if bad != nil {
		return plugin.Result{Class: bad.class, Message: line}
	}
	good, _, goodDoubt := a.found(d.success)
	if good == nil && failed != nil {
		return plugin.Result{Class: failed.class, Message: failed.message}
	}
	doubt := errors.Join(badDoubt, goodDoubt)
	for _, p := range a.printed {
		doubt = errors.Join(doubt, p.doubt)
	}
	switch {
	case doubt != nil: // the absence of a sign, or the presence of files, shows nothing
		return plugin.Result{Class: event.BadOutput, Message: "how it ended is not certain: " + oneLine(doubt)}
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

// oneLine returns the text of joined errors, each once.
func oneLine(err error) string {
	lines := strings.Split(err.Error(), "\n")
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "; ")
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
