// Package engine is what the providers of blocks share that ask an engine by its commands: one look at its queue for all who ask,
// what was heard of blocks before, and how commands are called.
package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/run/provider"
)

const (
	shortest = 10 * time.Second // between the beginnings of two looks
	share    = 10               // so many times as long as a look takes, if that is longer
	longest  = 5 * time.Minute  // and no longer than this
)

// Look asks the engine about all blocks of this user, and returns them by a mark of their study.
type Look func(ctx context.Context) (map[string][]provider.State, error)

// Queue holds what the engine said last. The engine is shared by all users of a site, so that it is asked at most once in ten seconds whoever
// asks, and less often where it is slow: it works for this process a tenth of the time at most, or once in five minutes. In between all get the same answer,
// also when it is that the engine cannot be asked. The one exception is [Queue.Doubt].
//
// A block that was submitted, or listed, and that a look does not show, keeps its state until a second look does not show it either. Then it has
// ended, for an unknown reason: engines forget jobs some time after their end. A look that began before the block was submitted does not count.
type Queue struct {
	at   clock.Clock
	ask  Look
	end  context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	known   register
	looking chan struct{} // closed when the look under way is over; nil: none is
	last    snapshot      // of the last look that succeeded
	err     error         // of the last look; nil: it succeeded
	next    time.Time     // before which there is no other
	closed  bool
}

// snapshot is what one look showed. It does not change.
type snapshot struct {
	number int
	asked  time.Time
	blocks map[string][]provider.State
}

// NewQueue returns a queue that nobody has looked at yet.
func NewQueue(at clock.Clock, look Look) *Queue {
	q := &Queue{at: clock.Or(at), ask: look, known: register{}}
	q.end, q.stop = context.WithCancel(context.Background())
	return q
}

// Submitted takes note of blocks that the engine has accepted just now.
func (q *Queue) Submitted(study string, ids ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range ids {
		q.known[id] = &entry{study: study, submitted: q.at.Now(), state: provider.State{ID: id, Phase: provider.Waiting, Reason: "submitted"}}
	}
}

// Doubt has the next List look anew, unless the engine did not answer the last look: a request has failed, and only the queue says whether the engine has
// accepted it nevertheless.
func (q *Queue) Doubt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.next = time.Time{}
	}
}

// List returns the blocks of a study, sorted by ID. A look goes on for others when the context of who began it ends.
func (q *Queue) List(ctx context.Context, study string) ([]provider.State, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.looking == nil && !q.at.Now().Before(q.next) && !q.closed {
		q.looking = make(chan struct{})
		go q.look(q.looking) // Close waits for it
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
	case q.err != nil:
		return nil, fmt.Errorf("the queue is not known: %w", q.err)
	}
	return q.known.merge(study, q.last), nil
}

// look asks the engine once.
func (q *Queue) look(looking chan struct{}) {
	begun := q.at.Now()
	blocks, err := q.ask(q.end)
	q.mu.Lock()
	defer q.mu.Unlock()
	defer close(looking)
	q.looking, q.err = nil, err
	took := clock.Since(q.at, begun)
	q.next = begun.Add(shortest + took) // after a failure, which says little of the engine's load
	if err == nil {
		q.next = begun.Add(max(shortest, min(share*took, longest)))
		q.last = snapshot{q.last.number + 1, begun, blocks}
	}
}

// Close ends a look that is under way.
func (q *Queue) Close() {
	q.stop()
	q.mu.Lock()
	q.closed = true
	looking := q.looking
	q.mu.Unlock()
	if looking != nil {
		<-looking
	}
}
