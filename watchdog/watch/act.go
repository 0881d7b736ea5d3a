package watch

// Actions of rules on runs that others started. A solver is stopped by the files that it reads while it runs, if its
// format says how, else by SIGTERM to the processes that hold its files open; values of its input files are set. What
// was done is noted in the finding.

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/process"
	"github.com/peregrine-sim/peregrine/watchdog/rule"
)

// CanAct reports whether a watch can carry out an action.
func CanAct(verb string) bool { return verb == rule.Stop || verb == rule.Change }

// find reports the findings of rules in a run, and carries out their actions: on that run or, of a rule on several, on
// those that have not ended.
func (f *follower) find(r *run, found []rule.Finding, now time.Time) {
	for i := range found {
		x := &found[i]
		if !f.options.Act || !x.Acts || !CanAct(x.Action) {
			continue
		}
		var done []string
		for _, on := range f.runs {
			switch {
			case on.final || !slices.Contains(x.On, on.name) && (on != r || len(x.On) > 0):
			case on.grows:
				done = append(done, f.act(on, x))
			default:
				waits := *x
				waits.On = []string{on.name}
				on.deeds.waits = append(on.deeds.waits, waits)
				done = append(done, "waits until "+on.name+" goes on")
			}
		}
		x.Done = strings.Join(done, "; ")
	}
	r.find(found, now, f.say)
}

// act carries out the action of a finding on a run, and returns what was done.
func (f *follower) act(r *run, x *rule.Finding) (done string) {
	var err error
	most := cmp.Or(x.Most, rule.UsualMost)
	if r.deeds.count == nil {
		r.deeds.count = map[string]int{}
	}
	switch r.deeds.count[x.Rule]++; {
	case r.deeds.count[x.Rule] > most:
		err = fmt.Errorf("the rule has acted %d times, its limit (most)", most)
	case x.Action == rule.Stop:
		if done, err = f.stop(r); err == nil {
			r.deeds.stopped = x.Rule
		}
	default:
		done, err = r.set(x.Does.Values)
	}
	if err != nil {
		return "not done: " + err.Error()
	}
	return done
}

// inputs opens the input files of a run, in the folder of its case; nil: its format does not allow to act by them.
func (r *run) inputs() (*inputs, error) {
	i := slices.IndexFunc(r.sources, func(s *source) bool { return s.preset != nil && s.preset.Act != nil })
	if i < 0 {
		return nil, nil
	}
	folder := r.folder
	if log := r.log(); log != nil && log.origin.Case != "" {
		here, _ := os.Hostname() // without a name it is no log's host
		info, gone := os.Stat(log.origin.Case)
		if gone == nil && info.IsDir() && here != "" && log.origin.Host == here {
			folder = log.origin.Case
		}
	}
	return openInputs(r.sources[i].preset.Act, folder)
}

// stop ends a run, and returns how.
func (f *follower) stop(r *run) (done string, err error) {
	if by := r.deeds.stopped; by != "" {
		return "", fmt.Errorf("rule %s has stopped it", by)
	}
	in, unread := r.inputs()
	if in != nil && unread == nil {
		defer func() { _ = in.root.Close() }() // its files are closed
		if in.Stop == nil {
			unread = errors.New("its format names nothing that stops it")
		} else if unread = in.unread(); unread == nil {
			done, r.deeds.undo, err = in.stop()
			return done, err
		}
	}
	if done, err = f.stopWriters(r); err != nil {
		return "", errors.Join(err, unread)
	}
	return done, nil
}

// stopWriters asks the processes to end that hold a file of the run open for writing.
func (f *follower) stopWriters(r *run) (done string, err error) {
	files, asked := f.options.Written(), []string{}
	for _, s := range r.sources {
		info, err := os.Stat(s.path)
		if err != nil {
			continue
		}
		for _, id := range files[process.FileOf(info)] {
			name := fmt.Sprintf("process %d", id.PID)
			if id == process.Self() || slices.Contains(asked, name) {
				continue
			}
			if err := process.EndWriter(id); err != nil {
				return "", err
			}
			asked = append(asked, name)
		}
	}
	if len(asked) == 0 {
		return "", errors.New("no process of this machine holds its files open")
	}
	return "SIGTERM to " + strings.Join(asked, ", ") + ", which writes its files", nil
}

// set sets values of a run.
func (r *run) set(values map[string]float64) (done string, err error) {
	in, err := r.inputs()
	switch {
	case err != nil:
		return "", err
	case in == nil:
		return "", errors.New("the format of its files names no values to set")
	}
	defer func() { _ = in.root.Close() }() // its files are closed
	if in.Set == nil {
		return "", errors.New("the format of its files names no values to set")
	}
	if err := in.unread(); err != nil {
		return "", err
	}
	return in.change(values)
}

// putBack undoes the change of a file that stopped a run which has ended: the next start would stop at once.
func (r *run) putBack(warn func(string)) {
	if r.deeds.undo == nil {
		return
	}
	in, err := r.inputs()
	if err == nil {
		err = r.deeds.undo(in)
		_ = in.root.Close() // its files are closed
	}
	if err != nil {
		warn(fmt.Sprintf("%s: what stopped the run stays: %v", r.name, err))
	}
	r.deeds.undo = nil
}
