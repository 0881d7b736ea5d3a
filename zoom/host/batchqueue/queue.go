// Package batchqueue serves the providers of blocks that query an engine by its commands: one query of the queue for
// all callers, the earlier states of blocks, and the calls of commands.
package batchqueue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
)

const (
	shortest = 10 * time.Second // between the beginnings of two looks, if the user sets nothing else
	share    = 10               // times the duration of a query, if that is longer
	longest  = 5 * time.Minute  // the limit of both
)

// Look queries the engine about all blocks of this user, and returns them by a mark of their study.
type Look func(ctx context.Context) (map[string][]provider.State, error)

// Queue holds the engine's last answer. All users of a site share the engine. It is therefore queried at most once in
// ten seconds or the user's interval, and less often if it is slow: it works for this process for at most a tenth of
// the time, or once in five minutes. In between, all callers get the same answer, or the same error. The one exception
// is [Queue.Doubt].
//
// A block that was submitted, or listed, and is missing in a query keeps its state until it is missing in a second
// query. Then it has ended, for an unknown reason: engines forget jobs some time after their end. A query that began
// before the block was submitted does not count.
type Queue struct {
	at   clock.Clock
	ask  Look
	end  context.Context
	stop context.CancelFunc
	rest time.Duration // least time between two looks

	mu      sync.Mutex
	known   register
	looking chan struct{} // closed when the look under way is over; nil: none is
	last    snapshot      // of the last query that succeeded
	err     error         // of the last query; nil: it succeeded
	next    time.Time     // time of the next query
	closed  bool
}

// snapshot is the queue's content at one query. It does not change.
type snapshot struct {
	number int
	taken  time.Time // beginning of the query: blocks submitted later may be missing
	blocks map[string][]provider.State
}

// NewQueue returns a queue that was not queried yet. Rest is the least time between two queries; 0: the default.
func NewQueue(at clock.Clock, rest time.Duration, look Look) *Queue {
	q := &Queue{at: clock.Or(at), rest: cmp.Or(rest, shortest), ask: look, known: register{}}
	q.end, q.stop = context.WithCancel(context.Background())
	return q
}

// Submitted records blocks that the engine has just accepted.
func (q *Queue) Submitted(study string, ids ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range ids {
		q.known[id] = &entry{
			study: study, submitted: q.at.Now(),
			state: provider.State{ID: id, Phase: provider.Waiting, Reason: "submitted"},
		}
	}
}

// Doubt makes the next List query at once, unless the last query failed. It is for a failed request: only the queue
// shows whether the engine has accepted it nevertheless.
func (q *Queue) Doubt() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.next = time.Time{}
	}
}

// List returns the blocks of a study, sorted by ID. A query continues for the other callers if the context of its first
// caller ends.
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
	q.next = begun.Add(q.rest + took) // after a failure, which is little evidence of the engine's load
	if err == nil {
		q.next = begun.Add(max(q.rest, min(share*took, longest)))
		q.last = snapshot{q.last.number + 1, begun, blocks}
	}
}

// Close ends a query in progress.
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

// Quote quotes a word so that a POSIX shell takes it unchanged.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// The latest reports on blocks to this process: an engine forgets blocks, and a query may be older than a block.

// register holds the known blocks, by ID.
type register map[string]*entry

type entry struct {
	study     string
	state     provider.State
	submitted time.Time // zero: by another process
	missedAt  int       // number of the first query that did not show it; 0: none
}

// merge adds the result of a query, and returns the blocks of a study.
func (r register) merge(study string, s snapshot) []provider.State {
	shown := map[string]bool{}
	for _, state := range s.blocks[study] {
		shown[state.ID] = true
		e := r[state.ID]
		if e == nil {
			e = &entry{study: study}
			r[state.ID] = e
		}
		e.state, e.missedAt = state, 0
	}
	var states []provider.State
	for id, e := range r {
		if e.study != study {
			continue
		}
		if !shown[id] {
			e.miss(s)
		}
		state := e.state
		state.Nodes = slices.Clone(state.Nodes)
		states = append(states, state)
	}
	slices.SortFunc(states, func(a, b provider.State) int { return strings.Compare(a.ID, b.ID) })
	return states
}

// forgotten is the reason of a block that the engine does not know.
const forgotten = "not listed any more: it has ended, or was removed"

// miss records a query without the block.
func (e *entry) miss(s snapshot) {
	switch {
	case e.state.Phase == provider.Ended || !e.submitted.Before(s.taken):
	case e.missedAt == 0:
		e.missedAt = s.number
	case s.number > e.missedAt:
		e.state = provider.State{ID: e.state.ID, Phase: provider.Ended, Reason: forgotten, Restarts: e.state.Restarts}
	}
}
