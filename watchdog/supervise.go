package watchdog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// provenTime is the age from which the death of a process does not count against Config.Restarts: the process has
// worked.
const provenTime = time.Minute

// stopTime is the time in which a process must end by itself.
const stopTime = 2 * time.Second

// supervise receives the batches of the process and starts another process when it dies.
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
		if clock.Since(p.config.Clock, started) > provenTime {
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
			p.report(seq, event.Message,
				fmt.Sprintf("watchdog process ended (%s); started again, %d of %d, no event is lost", state, restarts,
					p.config.Restarts))
			l = next
		}
		if l == nil && p.ctx.Err() == nil {
			seq++
			p.report(seq, event.Warning,
				fmt.Sprintf("watchdog process ended (%s, %v) and is not started again after %d times; solver files "+
					"are no longer read", state, cause, restarts))
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

// receive delivers the batches of the stream and returns why it ended.
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

// restart starts a process that continues at the last positions.
func (p *Process) restart() (*link, error) {
	ctx, cancel := context.WithTimeout(p.ctx, ConnectTime)
	defer cancel()
	l, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	l.sending.Lock() // later orders of Watch and Unwatch follow
	defer l.sending.Unlock()
	orders, err := p.setLink(l)
	if err != nil {
		p.setLink(nil)
		l.close(0)
		return nil, err
	}
	l.sendLocked(p.config.Clock, orders)
	return l, nil
}

// setLink changes the process to which Watch and Unwatch send, nil for none, and returns the orders to it for the
// present watches.
func (p *Process) setLink(l *link) (orders []*proto.Order, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link = l
	for _, id := range slices.Sorted(maps.Keys(p.watches)) {
		w := p.watches[id]
		var from []history.FilePosition
		for _, file := range slices.Sorted(maps.Keys(w.at)) {
			from = append(from, w.at[file])
		}
		o, err := watchOrder(id, &w.spec, from)
		if err != nil {
			return nil, err
		}
		orders = append(orders, o)
		if w.finishing {
			orders = append(orders, finishOrder(id))
		}
	}
	return orders, nil
}

// abandon ends all watches with ErrEnded.
func (p *Process) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.watches {
		w.err = ErrEnded
		close(w.done)
	}
	p.watches = nil
}
