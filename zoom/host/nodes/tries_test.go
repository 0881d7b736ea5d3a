package nodes_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peregrine-sim/peregrine/config/hosts"
	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// closed is an engine that accepts nothing.
type closed struct {
	queued
	why   error
	tries atomic.Int32
}

func (c *closed) Submit(context.Context, provider.Request, int) ([]string, error) {
	c.tries.Add(1)
	return nil, c.why
}

// once is an engine that accepts a block at its first request, and refuses the others.
type once struct{ closed }

func (o *once) Submit(ctx context.Context, r provider.Request, n int) ([]string, error) {
	_, err := o.closed.Submit(ctx, r, n)
	if o.tries.Load() > 1 {
		return nil, err
	}
	o.ids = []string{"12"}
	return []string{"12"}, err
}

// A task waits for a block in the engine's queue, however long other requests fail.
func TestBlockInTheQueueIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, why := range []error{errors.New("it says no"), &provider.Refusal{Err: errors.New("it says no")}} {
		engine := &once{closed{why: why}}
		at := clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 2}, engine, at)
		ctx, cancel := context.WithCancel(t.Context())
		ended, over := make(chan error, 2), make(chan error, 1)
		for _, name := range []string{"a", "b"} {
			go func() {
				_, _, err := f.Place(ctx, launch.Need{Name: name, Cores: 1}, nil)
				ended <- err
			}()
		}
		for engine.tries.Load() < 16 && len(ended) == 0 { // the pauses between them are more than five minutes
			at.Advance(time.Second)
			time.Sleep(100 * time.Microsecond) // for the fleet to act
		}
		cancel()
		for range 2 {
			if err := await(at, ended); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended by itself: %v", err)
			}
		}
		go func() { over <- f.Close() }()
		noError(t, await(at, over))
	}
}

// An engine out of reach is tried for minutes, after growing pauses; a refusal ends the wait at once, its reason first.
func TestTriesByTime(t *testing.T) {
	t.Parallel()
	why := errors.New("sbatch: error: it says no")
	for _, c := range []struct {
		name        string
		err         error
		least       time.Duration
		tries       [2]int32 // least, most
		begins, has string
	}{
		{"out of reach", why, 4 * time.Minute, [2]int32{2, 20}, "launcher test: sbatch: error: it says no",
			"within 5m0s"},
		{"refused", &provider.Refusal{Err: why}, 0, [2]int32{1, 1},
			"launcher test: sbatch: error: it says no", "refuses such blocks"},
	} {
		engine, at := &closed{why: c.err}, clock.NewManual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		f := fleetOf(t.TempDir(), &hosts.Launcher{Name: "test", Cores: 1, Blocks: 1}, engine, at)
		ended, over := make(chan error, 1), make(chan error, 1)
		began := at.Now()
		go func() {
			_, _, err := f.Place(t.Context(), launch.Need{Name: "r", Cores: 1}, nil)
			ended <- err
		}()
		err := await(at, ended)
		took := clock.Since(at, began)
		if err == nil || !strings.HasPrefix(err.Error(), c.begins) || !strings.Contains(err.Error(), c.has) {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := engine.tries.Load(); n < c.tries[0] || n > c.tries[1] || took < c.least {
			t.Errorf("%s: %d tries in %v", c.name, n, took)
		}
		go func() { over <- f.Close() }()
		noError(t, await(at, over))
	}
}
