package slurm

// One look at the queue for all who ask.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
)

const (
	shortest = 10 * time.Second // between the beginnings of two looks
	share    = 10               // so many times as long as a look takes, if that is longer
)

// queue holds what squeue said last.
type queue struct {
	at     clock.Clock
	caller *caller
	end    context.Context
	stop   context.CancelFunc

	mu      sync.Mutex
	looking chan struct{} // closed when the look under way is over; nil: none is
	last    *snapshot     // of the last look
	err     error         // of the last look
	next    time.Time     // before which there is no other
	number  int           // of looks that succeeded
	closed  bool
}

// snapshot is what one squeue said. It does not change.
type snapshot struct {
	number int
	asked  time.Time
	jobs   map[string][]job // by study
}

func newQueue(at clock.Clock, c *caller) *queue {
	q := &queue{at: at, caller: c}
	q.end, q.stop = context.WithCancel(context.Background())
	return q
}

// look returns the last snapshot, or a new one if that is old. A look goes on for others when the context of who began it ends.
func (q *queue) look(ctx context.Context) (*snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looking == nil && !q.at.Now().Before(q.next) && !q.closed {
		q.looking = make(chan struct{})
		go q.ask(q.looking) // close waits for it
	}
	if looking := q.looking; looking != nil {
		q.mu.Unlock()
		select {
		case <-looking:
		case <-ctx.Done():
		}
		q.mu.Lock()
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case q.closed:
		return nil, errors.New("the provider is closed")
	}
	return q.last, q.err
}

// ask calls squeue once.
func (q *queue) ask(looking chan struct{}) {
	begun := q.at.Now()
	out, err := q.caller.ask(q.end, squeue()...)
	var jobs map[string][]job
	if err == nil {
		jobs, err = parseQueue(out)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	defer close(looking)
	q.looking = nil
	q.next = begun.Add(max(shortest, share*clock.Since(q.at, begun)))
	if err != nil {
		q.last, q.err = nil, fmt.Errorf("the queue is not known: %w", err)
		return
	}
	q.number++
	q.last, q.err = &snapshot{q.number, begun, jobs}, nil
}

// close ends a look that is under way.
func (q *queue) close() {
	q.stop()
	q.mu.Lock()
	q.closed = true
	looking := q.looking
	q.mu.Unlock()
	if looking != nil {
		<-looking
	}
}

// squeue is the command. The user is given by number: of some users there is no name on some machines.
func squeue() []string {
	return []string{"squeue", "--noheader", "--array", "--states=all", "--user=" + strconv.Itoa(os.Getuid()), "--Format=" + queueFormat()}
}
