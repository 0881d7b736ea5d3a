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
