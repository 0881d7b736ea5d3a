package attempt

// A runner makes attempts at tasks. Each has its own folder, and a new process or an idle one.

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/config/recording"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/live"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
)

// Runner has the common settings of a pool's attempts. Its fields are set before the first attempt.
type Runner struct {
	Host    *Host
	Program launch.Program
	Study   string       // name in events and requests
	Terms   plugin.Terms // how a plugin behaves when this process dies
	Limits  Limits

	Logger  *slog.Logger   // for debugging; default: no log
	Clock   clock.Clock    // for limits and the time of events; default: the real clock
	Pulse   clock.Clock    // shows by its ticks that this process was suspended; default: the real clock
	Live    *live.Settings // may change the limits of all runs while the study is under way; nil: they are fixed
	Monitor Monitor        // may stop runs; may be nil
	// Anew makes interrupted runs start from their beginning, not from their last checkpoint. It is set if Monitor may
	// end a run because of events before the checkpoint, which Monitor would not see otherwise.
	Anew bool
	// Fresh gives every run a new process, even if the solver is reusable.
	Fresh bool
	// Bare withholds from runs the commands that the study keeps for future runs.
	Bare bool
	// Trace selects what runs record, before the commands that the study keeps; nil: nothing.
	Trace *recording.Trace

	// Deliver records an event and passes it to observers and to Monitor. It returns the recorded event, the monitor's
	// reason to stop the run, or nil, and its orders.
	Deliver func(event.Event) (event.Event, *Halt, []Instruction)

	// Recall passes an event to Monitor that an earlier host has recorded.
	Recall func(event.Event)

	mu          sync.Mutex
	interrupted map[string]string // folders of interrupted runs by cache key; nil: not read yet
}

// SetDefaults completes the settings.
func (r *Runner) SetDefaults() {
	r.Limits, r.Clock, r.Pulse = r.Limits.withDefaults(), clock.Or(r.Clock), clock.Or(r.Pulse)
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
}

// takeInterrupted returns the folder of the latest run of a key if it was interrupted, and forgets it.
func (r *Runner) takeInterrupted(ctx context.Context, key string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.interrupted == nil {
		r.interrupted = map[string]string{}
		runs, err := record.ListRuns(ctx, filepath.Dir(r.Host.Folder()), r.Host.launchers)
		if err != nil { // without the list no run is restarted
			return ""
		}
		slices.SortStableFunc(runs, func(a, b record.Run) int { return a.Started.Compare(b.Started) })
		for _, one := range runs { // the latest wins
			if one.MayRun() || one.Key == "" {
				continue
			}
			delete(r.interrupted, one.Key) // a later run has used the earlier checkpoint
			if slices.Contains(interruptedClasses, one.Class) {
				r.interrupted[one.Key] = one.Folder
			}
		}
	}
	folder := r.interrupted[key]
	delete(r.interrupted, key)
	return folder
}
