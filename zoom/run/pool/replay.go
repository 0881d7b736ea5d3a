package pool

// Replay: the same run with the same commands at the same iterations. A steered answer is reproduced to the last bit.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/branch"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// ReplayMark ends the name of a job that replays another job.
const ReplayMark = "-replay"

// Replayed is the result of a replay.
type Replayed struct {
	Run        string // its name
	Folder     string
	Class      event.Class
	Commands   int    // number of commands given
	Iterations int    // reports that were compared
	Difference string // the first difference from the original run; empty: they agree to the last bit
}

// Replay runs the request of a run in the host's study once more, in a new folder, with the same commands at the same
// iterations. The error is the reason why the run cannot be replayed.
func Replay(ctx context.Context, host *attempt.Host, program launch.Program, name string) (Replayed, error) {
	folder := filepath.Join(host.Folder(), name)
	was, err := record.Read(folder)
	if err != nil {
		return Replayed{}, err
	}
	before, err := recorded(folder)
	if err != nil {
		return Replayed{}, err
	}
	request := was.Request
	fromBeginning := checkpointLost(was.Parent, request)
	if fromBeginning {
		request.Texts = maps.Clone(request.Texts)
		delete(request.Texts, plugin.InRestart)
		sinceCheckpoint := slices.DeleteFunc(before.acts,
			func(x event.Receipt) bool { return strings.HasPrefix(x.ID, branch.RepeatMark) })
		before.acts = slices.Concat(was.Parent.Acts, sinceCheckpoint)
	}
	if request.Commands, err = before.commands(); err != nil {
		return Replayed{}, fmt.Errorf("run %s: %w", name, err)
	}
	pool := &Pool{Workers: 1, Runner: attempt.Runner{
		Host: host, Program: program, Study: filepath.Base(host.Folder()), Limits: attempt.Limits{Hung: -1}, Bare: true,
	}}
	out, err := pool.Run(ctx, []run.Job{{Name: record.JobOf(name) + ReplayMark, Request: request}})
	if err != nil {
		return Replayed{}, err
	}
	o := out[0]
	done := Replayed{Run: o.Run, Folder: o.Folder, Class: o.Class, Commands: len(request.Commands),
		Iterations: len(before.iterations)}
	after, err := recorded(o.Folder)
	if err != nil {
		return done, errors.Join(o.Err, err)
	}
	if fromBeginning {
		after.since(was.Parent.Iteration)
	}
	if done.Difference = before.differs(after); done.Difference != "" && o.Solver != was.Process.Solver {
		done.Difference = fmt.Sprintf("its solver was %s, and is %s: %s", was.Process.Solver, o.Solver, done.Difference)
	}
	return done, nil
}

// checkpointLost reports whether the checkpoint from which a run began was removed. Then the run is replayed from the
// parent's first iteration, with the parent's commands.
func checkpointLost(p *record.Parent, r plugin.Request) bool {
	if p == nil || r.Texts[plugin.InRestart] == "" {
		return false
	}
	_, err := os.Stat(r.Texts[plugin.InRestart])
	return err != nil
}

// account is the record of a run in its folder: its iterations, its commands and its end.
type account struct {
	iterations []event.Event
	acts       []event.Receipt
	ending     plugin.Ending
}

func recorded(folder string) (a account, err error) {
	if err := plugin.ReadFile(folder, plugin.ResultFile, &a.ending); err != nil {
		return a, err
	}
	events, err := event.Read(filepath.Join(folder, plugin.EventsFile))
	for _, e := range events {
		switch {
		case e.Kind == event.Iteration && e.Source == event.Plugin:
			a.iterations = append(a.iterations, e)
		case e.Act != nil && (e.Act.Changes() || stops(e.Act)):
			a.acts = append(a.acts, *e.Act)
		}
	}
	return a, err
}

// since drops the reports up to and including an iteration.
func (a *account) since(iteration int64) {
	a.iterations = slices.DeleteFunc(a.iterations,
		func(e event.Event) bool { return int64(e.Values["iteration"]) <= iteration })
}

// stops reports whether an act ended its run.
func stops(a *event.Receipt) bool {
	return steer.Verb(a.Verb) == steer.Stop && a.State == event.Applied
}

// commands returns the commands that repeat the recorded acts.
func (a *account) commands() (list []steer.Command, err error) {
	if list, err = record.CommandsOf(a.acts); err != nil {
		return nil, err
	}
	stopped := slices.ContainsFunc(list, func(c steer.Command) bool { return c.Verb == steer.Stop })
	if !stopped && !run.Repeatable(a.ending.Class) {
		return nil, fmt.Errorf("it was ended from outside, %s: that cannot be replayed", a.ending.Class)
	}
	return list, nil
}

// differs describes the first difference of two accounts; empty: they agree to the last bit.
func (a *account) differs(b account) string {
	for i := range min(len(a.acts), len(b.acts)) {
		if x, y := a.acts[i], b.acts[i]; x.ID != y.ID || x.Iteration != y.Iteration {
			return fmt.Sprintf("command %s was done at iteration %d, and %s at %d", x.ID, x.Iteration, y.ID,
				y.Iteration)
		}
	}
	if len(a.acts) != len(b.acts) {
		return fmt.Sprintf("%d commands were done, and %d", len(a.acts), len(b.acts))
	}
	for i := range min(len(a.iterations), len(b.iterations)) {
		if what := reportsDiffer(&a.iterations[i], &b.iterations[i]); what != "" {
			return fmt.Sprintf("report %d: %s", i+1, what)
		}
	}
	if len(a.iterations) != len(b.iterations) {
		return fmt.Sprintf("%d iterations were reported, and %d", len(a.iterations), len(b.iterations))
	}
	return run.Difference(&a.ending.Result, &b.ending.Result)
}

func reportsDiffer(a, b *event.Event) string {
	x, y := plugin.Result{Numbers: a.Values, Arrays: a.Arrays}, plugin.Result{Numbers: b.Values, Arrays: b.Arrays}
	if what := run.Difference(&x, &y); what != "" || slices.Equal(a.NonFinite, b.NonFinite) {
		return what
	}
	return fmt.Sprintf("%v and %v are not finite", a.NonFinite, b.NonFinite)
}
