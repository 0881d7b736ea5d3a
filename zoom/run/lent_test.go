package run_test

// Runs on machines that are lent for a time.

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/launchtest"
	"github.com/peregrine-sim/peregrine/zoom/plugin"
	"github.com/peregrine-sim/peregrine/zoom/plugin/mock"
	"github.com/peregrine-sim/peregrine/zoom/run"
	"github.com/peregrine-sim/peregrine/zoom/run/attempt"
	"github.com/peregrine-sim/peregrine/zoom/run/pool"
)

// lent is a launcher of one machine at a time, which is taken away from each start.
type lent struct {
	launch.Launcher
	outlasted []bool // by start: whether the run had nearly all the time of the machine; other starts end by themselves
	starts    int
	needs     []bool          // by placing: whether it needs a whole block
	usual     []time.Duration // ... and how long runs take
	over      chan struct{}   // closed when the solver has used its time
}

func (l *lent) Place(_ context.Context, n launch.Need, _ func(string, string)) (string, func(), error) {
	l.needs, l.usual = append(l.needs, n.Whole), append(l.usual, n.Time())
	return "there", func() {}, nil
}

func (l *lent) Room() (int, <-chan struct{}) { return 1, nil }

func (l *lent) Start(ctx context.Context, o launch.TaskSpec) (launch.Task, error) {
	l.starts, l.over = l.starts+1, make(chan struct{})
	t, err := l.Launcher.Start(ctx, o)
	return &lentTask{t, l.over, l.starts <= len(l.outlasted) && l.outlasted[l.starts-1]}, err
}

type lentTask struct {
	launch.Task
	over      chan struct{}
	outlasted bool
}

func (t *lentTask) Carry(_ context.Context, r plugin.Request, _ plugin.Description) (plugin.Request, error) {
	return r, nil
}

func (t *lentTask) Fetch(context.Context, string, plugin.Description, bool) error { return nil }
func (t *lentTask) Skew() time.Duration                                           { return 0 }
func (t *lentTask) Leaving() <-chan struct{}                                      { return t.over }
func (t *lentTask) Outlasted(time.Time) bool                                      { return t.outlasted }

// long is a solver whose runs use up their machine's time until it has no more such starts. It may leave a checkpoint
// then.
type long struct {
	mock.Mock
	at    *lent
	keeps bool
}

func (l *long) Describe() plugin.Description {
	d := l.Mock.Describe()
	if l.keeps {
		d.WholeState = true
		d.Files = append(d.Files, history.File{Pattern: "state", Format: plugin.SolutionFormat, Doc: "state"})
	}
	return d
}

func (l *long) Run(ctx context.Context, r plugin.Request, _ func(event.Event)) (plugin.Result, error) {
	answer := plugin.Result{Class: event.Converged, Numbers: map[string]float64{"y": 4}}
	if l.at.starts > len(l.at.outlasted) {
		return answer, nil
	}
	if l.keeps {
		if err := os.WriteFile(filepath.Join(r.Folder, "state"), []byte("1 1"), 0o600); err != nil {
			return answer, err
		}
	}
	close(l.at.over)
	<-ctx.Done()
	answer.Class = event.Killed
	return answer, nil
}

// lentPool is a pool of long runs on a lent machine.
func lentPool(t *testing.T, keeps bool, outlasted ...bool) (*pool.Pool, *lent) {
	t.Helper()
	l := &lent{outlasted: outlasted}
	fake := &launchtest.Fake{Solver: func() plugin.Solver { return &long{at: l, keeps: keeps} }}
	host := must.Value(attempt.NewHost(t.TempDir(), launch.Registry{"lent": func(study string) launch.Launcher {
		l.Launcher = must.Value(fake.Registry().Open(launchtest.Name, study))(t)
		return l
	}}, "lent"))(t)
	t.Cleanup(func() { noError(t, host.Close()) })
	return &pool.Pool{
		Policy: run.DefaultPolicy(),
		Runner: attempt.Runner{
			Host: host, Program: launch.Program{Command: []string{"mock"}, Code: "1"}, Study: "test",
		},
	}, l
}

// A run without a checkpoint that has outlasted two blocks in a row ends as a timeout. One that was preempted, or for
// which a block had too little time, continues in a block with as much time as it can have; so does one with
// checkpoints. The next run is likely to take as long as those before it.
func TestRunThatNeedsMoreThanABlock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keeps     bool
		outlasted []bool
		attempts  int
		class     event.Class
	}{
		"no checkpoint":           {false, []bool{true, true, true, true}, 2, event.Timeout},
		"late in its first block": {false, []bool{false, true, true, true}, 3, event.Timeout},
		"preempted":               {false, []bool{false, false, false, false}, 5, event.Converged},
		"ready in its second":     {false, []bool{true}, 2, event.Converged},
		"checkpoints":             {true, []bool{true, true, true, true, true}, 6, event.Converged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, l := lentPool(t, c.keeps, c.outlasted...)
			o := must.Value(p.Run(t.Context(), []run.Job{job("a", 2, "")}))(t)[0]
			if o.Class != c.class || o.Attempts != c.attempts {
				t.Errorf("%s after %d attempts: %v", o.Class, o.Attempts, o.Err)
			}
			if c.class == event.Timeout && !strings.Contains(o.Reason(), "needs more than a block's time") {
				t.Errorf("it says %q", o.Reason())
			}
			for i, need := range l.needs[:c.attempts] {
				if whole := i > 0 && !c.keeps; need != whole {
					t.Errorf("attempt %d needs a whole block: %t", i+1, need)
				}
			}
			_, err := p.Run(t.Context(), []run.Job{job("b", 2, "")})
			known := c.class == event.Converged && !c.keeps
			if usual := l.usual[c.attempts]; err != nil || (usual > 0) != known || l.needs[c.attempts] {
				t.Errorf("the next run takes %v: %v", usual, err)
			}
		})
	}
}
