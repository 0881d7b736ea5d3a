package attempt

// Attempts on other machines: the transfer of files there and back, and the loss of a machine.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// mostLost is how many machines may be lost under a run: the run itself may be the cause.
const mostLost = 2

// fetchTime is the time limit for fetching the files of a run.
const fetchTime = 30 * time.Minute

// lostVerdict returns the verdict on a run whose machine was lost.
func (a *attempt) lostVerdict(machine, text string) verdict {
	v := verdict{class: event.Lost, reason: text, lostOn: machine}
	if n := len(a.may.Lost) + 1; n >= mostLost {
		v.class = event.Crashed
		v.reason = fmt.Sprintf("%d machines were lost while they made it (%s), so no other is tried: %s", n,
			strings.Join(append(a.may.Lost, machine), ", "), text)
	}
	return v
}

// mostOutlasted is how many blocks in a row a run may outlast without a checkpoint.
const mostOutlasted = 2

// cut judges a run that had to leave its machine.
func (a *attempt) cut(v *verdict, done *Attempt) {
	_, kept := checkpoint(a.folder, done.Description)
	if done.Cut = !kept || !done.Resumes || record.Touched(a.folder); !done.Cut {
		return
	}
	t, ok := a.process.Task.(launch.Remote)
	if done.Outlasted = ok && t.Outlasted(a.started); !done.Outlasted || a.may.Outlasted+1 < mostOutlasted {
		return
	}
	v.class = event.Timeout
	v.reason = fmt.Sprintf("needs more than a block's time: %d blocks in a row were over before it had an answer or a "+
		"checkpoint; give blocks a longer `time` in the hosts file", mostOutlasted)
}

// mostElsewhere is the number of attempts up to which a start that fails on one machine is tried on another: the
// program itself may be the cause.
const mostElsewhere = 4

// carry copies the files of a request to the run's machine.
func (a *attempt) carry(ctx context.Context, r plugin.Request, d plugin.Description) (plugin.Request, error) {
	t, ok := a.process.Task.(launch.Remote)
	if !ok {
		return r, nil
	}
	a.stream.byClock(t.Skew)
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Start)
	defer cancel()
	defer a.since(a.Clock.Now(), SpanCarry, 0)
	return t.Carry(ctx, r, d)
}

// fetch copies the files of the run back from its machine.
func (a *attempt) fetch(process *Process, class event.Class) {
	t, ok := process.Task.(launch.Remote)
	if !ok || closedWithin(process.Done(), 0) && t.Ending().Lost {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	defer a.since(a.Clock.Now(), SpanFetch, 0)
	if err := t.Fetch(ctx, a.folder, process.Description, class != event.Converged); err != nil {
		a.stream.fromHost(event.Warning, fmt.Sprintf("not all that the run has left came back: %v", err), nil)
	}
}

// leaving is closed when the run's machine is taken away soon; nil: never.
func (a *attempt) leaving() <-chan struct{} {
	if t, ok := a.process.Task.(launch.Remote); ok {
		return t.Leaving()
	}
	return nil
}

// Runs that an earlier host of the study has left. Their solvers continue for a while without a host. The next host
// attaches to them instead of making the runs again.

// Orphan returns the latest attempt at a task that has a record, but no result, if its host has left it; nil: none was
// left. A run that was steered is not taken over: the commands are in the memory of its host.
func (r *Runner) Orphan(t Task) *Orphan {
	if t.CacheKey == "" || t.Start != nil || t.Branch != nil {
		return nil
	}
	folder := ""
	var rec record.Record
	for n := 1; n < record.MostAttempts; n++ {
		next := filepath.Join(r.Host.Folder(), record.AttemptName(t.Name, n))
		if info, err := os.Lstat(next); err != nil || !info.IsDir() {
			break
		}
		if plugin.HasResult(next) {
			continue
		}
		if found, err := record.Brief(next); err == nil {
			folder, rec = next, found
		}
	}
	if p := rec.Process; folder == "" || rec.Key != t.CacheKey || p.Launcher != r.Host.Launcher.Name() ||
		p.Host.Alive() || record.Touched(folder) {
		return nil
	}
	return &Orphan{Record: rec, Folder: folder}
}
