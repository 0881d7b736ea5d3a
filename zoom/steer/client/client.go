package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/run/record"
	"github.com/peregrine-sim/peregrine/zoom/steer"
)

// Client reaches the runs of studies below a work folder.
type Client struct {
	Work      string
	Launchers launch.Registry
	Clock     clock.Clock
	By        string // the person who gives its commands
	From      string // where: machine and program
}

// Reached holds the runs of an address that are in progress, each with a connection. Close it.
type Reached struct {
	Address Address // with the whole name of the study
	Folder  string  // of the study
	Runs    []*Run

	// Quick is for programs that need no present values. Wanted then reads only the values to which wishes are
	// relative, and its changes omit the values seen. Reading the values of a held run takes a quarter of a second.
	Quick bool

	client *Client
}

// Run is a run in progress, the study as a whole, or a transient of the executive.
type Run struct {
	record.Run
	client *Client
	solver *plugin.Client
	task   link
	whole  bool // no run: the study, or a transient
}

// link is a connection to a process.
type link interface {
	Release()
	Done() <-chan struct{} // closed when the process has ended, as far as known
}

// toStudy is a link to the process that works on a study.
type toStudy struct{ conn *grpc.ClientConn }

func (l toStudy) Release()              { _ = l.conn.Close() }
func (l toStudy) Done() <-chan struct{} { return nil }

// Reach connects to the runs of an address that are in progress; there may be none. It fails if no study has the name,
// or if a run cannot be reached. If no run has the name, it returns an [*UnknownRunError] with an empty result, since
// the run may start later.
func (c *Client) Reach(ctx context.Context, a Address) (*Reached, error) {
	a, err := a.resolve(c.Work)
	if err != nil {
		return nil, err
	}
	reached := &Reached{Address: a, Folder: c.folder(a), client: c}
	if a.one() { // it may not be a run
		err := reached.attachExecutive(a.Runs)
		if err != nil || len(reached.Runs) > 0 || a.Runs == record.StudyAddress {
			return reached, err
		}
	}
	going, err := record.Active(ctx, reached.Folder, c.Launchers, a.Pattern())
	if err == nil && len(going) == 0 {
		return reached, a.checkRun(reached.Folder)
	}
	if err == nil {
		err = reached.attach(ctx, going)
	}
	if err != nil {
		reached.Close()
		return nil, err
	}
	return reached, nil
}

// Resolve returns the address with the whole name of the study. The address may have only the beginning of the name.
func (c *Client) Resolve(a Address) (Address, error) { return a.resolve(c.Work) }

// folder returns the folder of an address's study.
func (c *Client) folder(a Address) string { return filepath.Join(c.Work, a.Study) }

// attach connects to runs. A run that has ended meanwhile is left out.
func (r *Reached) attach(ctx context.Context, going []record.Run) error {
	r.Runs = make([]*Run, len(going))
	err := together(len(going), func(i int) error {
		solver, task, err := record.Attach(ctx, going[i], r.client.Launchers)
		switch {
		case err == nil:
			r.Runs[i] = &Run{Run: going[i], client: r.client, solver: solver, task: task}
		case !errors.Is(err, record.ErrNotRunning):
			return err
		}
		return nil
	})
	r.Runs = slices.DeleteFunc(r.Runs, func(r *Run) bool { return r == nil })
	return err
}

// together calls a function with the numbers below n, all at the same time, and returns the errors.
func together(n int, do func(i int) error) error {
	problems := make([]error, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() { problems[i] = do(i) })
	}
	calls.Wait()
	return errors.Join(problems...)
}

// attachExecutive connects to the study as a whole or a transient, if the executive works on it.
func (r *Reached) attachExecutive(name string) error {
	solver, conn, err := record.AttachStudy(r.Folder, name)
	if errors.Is(err, record.ErrNotRunning) {
		return nil
	}
	if err == nil {
		r.Runs = append(r.Runs, &Run{Run: record.Run{Study: r.Address.Study, Name: name, Folder: r.Folder},
			client: r.client, solver: solver, task: toStudy{conn}, whole: true})
	}
	return err
}

// AddTransients connects to the transients in progress too, if the address names the whole study: to hold or resume a
// study includes its transients.
func (r *Reached) AddTransients() error {
	if r.Address.Runs != "" {
		return nil
	}
	names, err := record.Transients(r.Folder)
	for _, name := range names {
		err = errors.Join(err, r.attachExecutive(name))
	}
	return err
}

// Close closes the connections. The runs go on.
func (r *Reached) Close() {
	for _, one := range r.Runs {
		one.task.Release()
	}
}

// each calls a function for every run, all at the same time, and returns the errors.
func (r *Reached) each(do func(i int, one *Run) error) error {
	return together(len(r.Runs), func(i int) error {
		one := r.Runs[i]
		if err := do(i, one); err != nil {
			return fmt.Errorf("run %s/%s: %w", one.Study, one.Name, err)
		}
		return nil
	})
}

// Objects returns the present objects of each run, by number; nil for a run that has ended meanwhile.
func (r *Reached) Objects(ctx context.Context) ([][]steer.Listed, error) { return r.objects(ctx, true) }

// objects is Objects. Without look the values are the last ones seen.
func (r *Reached) objects(ctx context.Context, look bool) ([][]steer.Listed, error) {
	lists := make([][]steer.Listed, len(r.Runs))
	err := r.each(func(i int, one *Run) (err error) {
		lists[i], err = one.objects(ctx, look)
		return err
	})
	return lists, err
}

// watchTime is the interval at which a run reads watched values.
const watchTime = 100 * time.Millisecond

// Watch calls update with all objects of each run, then with each change, one call at a time, until all have ended or
// ctx ends. The values of the named objects, or of all, are read ten times a second.
func (r *Reached) Watch(ctx context.Context, names []string, update func(*Run, steer.Update)) error {
	var one sync.Mutex
	return r.each(func(_ int, of *Run) error {
		err := of.begun(ctx, func() error {
			return of.solver.Watch(ctx, of.Name, names, watchTime, func(u steer.Update) {
				one.Lock()
				defer one.Unlock()
				update(of, u)
			})
		})
		if errors.Is(err, record.ErrNotRunning) || of.over() || ctx.Err() != nil {
			return nil
		}
		return err
	})
}

// objects returns the present objects of the run; nil: it has ended meanwhile. Values that can be read only at safe
// points are from the next safe point, if look is set and it comes soon.
func (r *Run) objects(ctx context.Context, look bool) ([]steer.Listed, error) {
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	var now map[int64]steer.Listed // nil: no update has come yet
	err := r.begun(ctx, func() error {
		var late *clock.Timer
		defer func() {
			if late != nil {
				late.Stop()
			}
		}()
		return r.solver.Objects(ctx, r.Name, func(u steer.Update) {
			wait := settleTime
			if now == nil {
				now, wait = map[int64]steer.Listed{}, lookTime
			} else {
				late.Stop()
			}
			for _, o := range u.Objects {
				now[o.Number] = o
			}
			for _, gone := range u.Gone {
				delete(now, gone)
			}
			if !look {
				wait = 0
			}
			late = r.client.Clock.AfterFunc(wait, enough)
		})
	})
	switch {
	case now == nil && errors.Is(err, record.ErrNotRunning):
		return nil, nil
	case now == nil:
		return nil, err
	}
	list := make([]steer.Listed, 0, len(now))
	for _, number := range slices.Sorted(maps.Keys(now)) {
		list = append(list, now[number])
	}
	return list, nil
}

const (
	lookTime   = 250 * time.Millisecond // for the next safe point
	settleTime = 20 * time.Millisecond  // without a further update the list is complete
)

// startTime is how long a recorded run may take to begin.
const startTime = 30 * time.Second

// soon is the time between two tries of a client.
const soon = 10 * time.Millisecond

// begun makes a call to the run. It repeats the call while the process is not making the run: a run's record exists
// shortly before it begins, and its result shortly after it has ended. The error is ErrNotRunning if the run has ended.
func (r *Run) begun(ctx context.Context, call func() error) error {
	for end := r.client.Clock.Now().Add(startTime); ; {
		err := call()
		if !errors.Is(err, plugin.ErrNotRunning) {
			return err
		}
		if r.over() || r.client.Clock.Now().After(end) {
			return record.ErrNotRunning
		}
		if clock.Sleep(ctx, r.client.Clock, soon) != nil {
			return ctx.Err()
		}
	}
}
