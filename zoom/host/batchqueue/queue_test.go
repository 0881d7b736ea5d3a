package batchqueue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/must"
	"github.com/peregrine-sim/peregrine/zoom/host/batchqueue"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

// fake is an engine by hand.
type fake struct {
	at    *clock.Manual
	takes time.Duration
	err   error
	shows []provider.State // of study "s"
	looks atomic.Int64
}

func (f *fake) look(context.Context) (map[string][]provider.State, error) {
	f.looks.Add(1)
	f.at.Advance(f.takes)
	return map[string][]provider.State{"s": f.shows}, f.err
}

func newFake() (*fake, *batchqueue.Queue) {
	f := &fake{at: clock.NewManual(time.Unix(1_000_000, 0))}
	return f, batchqueue.NewQueue(f.at, 0, f.look)
}

// say is what a queue says of study s.
func say(t *testing.T, q *batchqueue.Queue) string {
	t.Helper()
	states, err := q.List(t.Context(), "s")
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, s := range states {
		fmt.Fprintf(&b, "%s %s;", s.ID, s.Phase)
	}
	return b.String()
}

// The time between two looks is ten seconds, or ten times the duration of a look if that is longer, but five minutes
// at most. All callers get the same answer or error.
func TestQueueLooksSeldom(t *testing.T) {
	f, q := newFake()
	defer q.Close()
	for _, c := range []struct {
		takes, wait time.Duration
		err         error
	}{
		{0, 10 * time.Second, nil}, {3 * time.Second, 30 * time.Second, nil}, {time.Minute, 5 * time.Minute, nil},
		{20 * time.Second, 30 * time.Second, errors.New("no answer")},
	} {
		f.takes, f.err = c.takes, c.err
		before := f.looks.Load()
		var users sync.WaitGroup
		for range 20 {
			users.Go(func() {
				if _, err := q.List(t.Context(), "s"); (err != nil) != (c.err != nil) {
					t.Errorf("error %v, want %v", err, c.err)
				}
			})
		}
		users.Wait()
		f.at.Advance(c.wait - c.takes - time.Second)
		say(t, q)
		if n := f.looks.Load() - before; n != 1 {
			t.Errorf("an engine that takes %v was asked %d times within %v, want once", c.takes, n, c.wait)
		}
		f.at.Advance(time.Second)
	}
}

// After a request that failed the engine is asked at once, unless it did not answer before.
func TestDoubt(t *testing.T) {
	f, q := newFake()
	defer q.Close()
	say(t, q)
	f.shows = []provider.State{{ID: "1", Phase: provider.Waiting}}
	if got := say(t, q); got != "" {
		t.Errorf("%q, of an engine that was asked a moment ago", got)
	}
	q.Doubt()
	must.Equal(t, "1 waiting;", say(t, q))
	f.err = errors.New("away")
	f.at.Advance(10 * time.Second)
	say(t, q)
	before := f.looks.Load()
	q.Doubt()
	if got := say(t, q); got != "the queue is not known: away" || f.looks.Load() != before {
		t.Errorf("%q, asked %d times more", got, f.looks.Load()-before)
	}
}

// A block that was submitted is waiting until a look shows it; one that two looks do not show has ended; no failed
// look says anything.
func TestForgotten(t *testing.T) {
	f, q := newFake()
	defer q.Close()
	step := func(want string, shows ...provider.State) {
		t.Helper()
		f.shows = shows
		f.at.Advance(10 * time.Second)
		if got := say(t, q); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	step("")
	q.Submitted("s", "2_0", "2_1")
	q.Submitted("other", "3_0")
	if got := say(t, q); got != "2_0 waiting;2_1 waiting;" { // the look is older than they are
		t.Error(got)
	}
	run := func(id string) provider.State { return provider.State{ID: id, Phase: provider.Running} }
	step("1_0 running;2_0 running;2_1 waiting;", run("1_0"), run("2_0"))
	step("1_0 running;2_0 running;2_1 ended;", run("2_0"))
	step("1_0 ended;2_0 running;2_1 ended;", run("2_0"))
	f.err = errors.New("away")
	step("the queue is not known: away")
	step("the queue is not known: away")
	f.err = nil
	step("1_0 ended;2_0 running;2_1 ended;")
	step("1_0 ended;2_0 running;2_1 ended;", run("2_0")) // one look had missed it
	step("1_0 ended;2_0 running;2_1 ended;")
	step("1_0 ended;2_0 ended;2_1 ended;")
	step("1_0 ended;2_0 running;2_1 ended;", run("2_0")) // somebody has begun it anew
}

// Who does not wait gets the end of its context; the look goes on for others, until the queue is closed.
func TestCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := batchqueue.NewQueue(clock.NewManual(time.Unix(1, 0)), 0,
			func(ctx context.Context) (map[string][]provider.State, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		stays := make(chan error)
		go func() { _, err := q.List(ctx, "s"); left <- err }()
		go func() { _, err := q.List(t.Context(), "s"); stays <- err }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who leaves: %v", err)
		}
		select {
		case err := <-stays:
			t.Errorf("who stays: %v", err)
		default:
		}
		q.Close()
		if err := <-stays; err == nil {
			t.Error("a closed queue has an answer")
		}
	})
}
