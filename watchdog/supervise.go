package watchdog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
)

// healthy is the age at which a process that dies is held to have worked: it
// does not count against Config.Restarts.
const healthy = time.Minute

// stopTime is how long a process may take to end by itself.
const stopTime = 2 * time.Second

// supervise receives what the process finds and starts another one when it dies.
func (p *Process) supervise(l *link) {
	defer close(p.done)
	defer close(p.events)
	var seq int64
	restarts := 0
	for l != nil {
		started := p.config.Clock.Now()
		cause := p.receive(l)
		p.setLink(nil)
		state := l.close(stopTime)
		if p.ctx.Err() != nil {
			break
		}
		if clock.Since(p.config.Clock, started) > healthy {
			restarts = 0
		}
		l = nil
		for l == nil && restarts < p.config.Restarts && p.wait(backoff(restarts)) {
			restarts++
			next, err := p.restart()
			if err != nil {
				cause = err
				continue
			}
			seq++
			p.tell(seq, event.Message, fmt.Sprintf("watchdog process ended (%s); started again, %d of %d, no event is lost", state, restarts, p.config.Restarts))
			l = next
		}
		if l == nil && p.ctx.Err() == nil {
			seq++
			p.tell(seq, event.Warning, fmt.Sprintf("watchdog process ended (%s, %v) and is not started again after %d times; solver files are no longer read", state, cause, restarts))
		}
	}
	p.abandon()
}

// backoff is the time before the n-th start, n from 0.
func backoff(n int) time.Duration {
	if n == 0 {
		return 0
	}
	return 100 * time.Millisecond << min(n, 6)
}

// wait reports whether d passed before Close.
func (p *Process) wait(d time.Duration) bool {
	return clock.Sleep(p.ctx, p.config.Clock, d) == nil && p.ctx.Err() == nil
}

// receive delivers what comes on the stream until it ends, and says why it did.
func (p *Process) receive(l *link) error {
	for {
		b, err := l.stream.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("it ended its stream")
		}
		if err != nil {
			return err
		}
		if err := p.take(b); err != nil {
			return err
		}
	}
}

// restart starts a process that goes on where the last one had come to.
func (p *Process) restart() (*link, error) {
	ctx, cancel := context.WithTimeout(p.ctx, ConnectTime)
	defer cancel()
	l, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range p.setLink(l) {
		err := l.watch(ctx, w.id, &w.spec, w.from)
		if err == nil && w.finishing {
			err = l.finish(ctx, w.id)
		}
		if err != nil && status.Code(err) != codes.NotFound {
			p.setLink(nil)
			l.close(0)
			return nil, err
		}
	}
	return l, nil
}

// resumed is what a new process must know of a watch.
type resumed struct {
	id        uint64
	spec      history.FileSpec
	from      []history.FilePosition
	finishing bool
}

// setLink changes the process that Watch and Unwatch talk to, and returns the
// watches that were there at that moment; any later one is told by Watch itself.
func (p *Process) setLink(l *link) []resumed {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = l
	var all []resumed
	for _, id := range slices.Sorted(maps.Keys(p.watches)) {
		w := p.watches[id]
		var from []history.FilePosition
		for _, file := range slices.Sorted(maps.Keys(w.at)) {
			from = append(from, w.at[file])
		}
		all = append(all, resumed{w.id, w.spec, from, w.finishing})
	}
	return all
}

// abandon ends all watches: there will be no more events.
func (p *Process) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.watches {
		w.err = ErrEnded
		close(w.done)
	}
	p.watches = nil
}
