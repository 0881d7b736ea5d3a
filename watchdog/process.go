package watchdog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/history"
	"github.com/peregrine-sim/peregrine/watchdog/proto"
)

// Config describes how a host starts its watchdog.
type Config struct {
	Host        *hosting.Host // starts it; its owner closes it after Close
	Command     []string      // program and arguments that end in Serve
	Contents    []string      // of Command, where it runs on another machine; see hosting.NodeProcess
	Environment []string      // NAME=value lines besides hosting.Environment's
	Log         *os.File      // its standard error; default: nowhere
	Clock       clock.Clock   // default: the real clock
	Study       string        // of the events that the host itself reports
	// how often a process that died is started again, default 3; a process that lived for a minute does not count
	Restarts int
}

// ErrEnded is the error of calls after the watchdog was given up or closed.
var ErrEnded = errors.New("watchdog: the process has ended")

// Process is a running watchdog, seen from the host. Its methods may be called
// by several goroutines.
type Process struct {
	config Config
	events chan event.Event
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	done   chan struct{} // closed when the supervisor has ended

	mu      sync.Mutex
	link    *link // nil while no process runs
	last    uint64
	watches map[uint64]*watch
}

// watch is a followed file description.
type watch struct {
	id        uint64
	spec      history.FileSpec
	at        map[string]history.FilePosition // by file; after the delivered events
	finishing bool
	done      chan struct{} // closed when all its events were delivered
	err       error         // set before done is closed
}

// Start starts the process, and starts it anew, at most Config.Restarts times, if it dies at once. ctx bounds the start
// alone; Close ends the process. The caller must read Events without pause: else the process waits.
func Start(ctx context.Context, config Config) (*Process, error) {
	if len(config.Command) == 0 {
		panic("watchdog: Start without a command")
	}
	config.Restarts = cmp.Or(config.Restarts, 3)
	config.Clock = clock.Or(config.Clock)
	p := &Process{
		config:  config,
		events:  make(chan event.Event, 256),
		done:    make(chan struct{}),
		watches: map[uint64]*watch{},
	}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	l, err := p.begin(ctx)
	if err != nil {
		p.cancel()
		return nil, err
	}
	p.link = l
	go p.supervise(l)
	return p, nil
}

// begin starts the first process, and another if that is killed before it is connected.
func (p *Process) begin(ctx context.Context) (*link, error) {
	var command *hosting.CommandError
	for n := 0; ; n++ {
		began := p.config.Clock.Now()
		l, err := p.connect(ctx)
		late := clock.Since(p.config.Clock, began) > ConnectTime/2 // it did not die, but hangs
		if err == nil || n == p.config.Restarts || errors.As(err, &command) || late || ctx.Err() != nil {
			return l, err
		}
		if clock.Sleep(ctx, p.config.Clock, backoff(n)) != nil {
			return nil, err
		}
	}
}

// Events delivers the events of the files, each file's in order, and messages of the host about the process itself. It
// is closed after Close, or when the process was given up; its last event is then a warning about it.
func (p *Process) Events() <-chan event.Event { return p.events }

// Pid returns the process id of the watchdog; 0 while no process runs.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.link == nil {
		return 0
	}
	return p.link.process.ID.PID
}

// Watch begins to follow the files of a run, which need not exist yet. The spec's Run and Folder must be set. from is
// the positions of an earlier host (see Positions); usually empty.
func (p *Process) Watch(spec history.FileSpec, from ...history.FilePosition) error {
	if err := spec.Check(); err != nil {
		return err
	}
	if spec.Run == "" || spec.Folder == "" {
		return &history.SpecError{Path: spec.Pattern, Reason: "it names no run or no run folder"}
	}
	w := &watch{spec: spec, at: map[string]history.FilePosition{}, done: make(chan struct{})}
	for _, at := range from {
		w.at[at.File] = at
	}
	order, err := watchOrder(0, &w.spec, from)
	if err != nil {
		return fmt.Errorf("watchdog: run %s, file %s: %w", spec.Run, spec.Pattern, err)
	}
	p.mu.Lock()
	if p.watches == nil {
		p.mu.Unlock()
		return ErrEnded
	}
	p.last++
	w.id, order.Id = p.last, p.last
	p.watches[w.id] = w
	l := p.link
	p.mu.Unlock()
	if l != nil { // else the next process begins with every watch that is in the list
		l.send(p.config.Clock, order)
	}
	return nil
}

// Unwatch ends the watching of a run whose files are complete. It returns when all their events were delivered, so the
// goroutine that reads Events must not call it. A run that is not watched is no error.
func (p *Process) Unwatch(ctx context.Context, run string) error {
	p.mu.Lock()
	if p.watches == nil {
		p.mu.Unlock()
		return ErrEnded
	}
	l := p.link
	var finishing []*watch
	var orders []*proto.Order
	for _, id := range slices.Sorted(maps.Keys(p.watches)) {
		if w := p.watches[id]; w.spec.Run == run {
			w.finishing = true
			finishing, orders = append(finishing, w), append(orders, finishOrder(w.id))
		}
	}
	p.mu.Unlock()
	if l != nil { // if the process dies meanwhile, its successor finishes the marked watches
		l.send(p.config.Clock, orders...)
	}
	var errs []error
	for _, w := range finishing {
		select {
		case <-w.done:
			errs = append(errs, w.err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errors.Join(errs...)
}

// Close ends the process, waits for it and removes its socket. Undelivered events are dropped: Unwatch the runs first.
func (p *Process) Close() {
	p.cancel()
	<-p.done
}

// deliver puts an event into the channel; false means that the Process is being closed.
func (p *Process) deliver(e event.Event) bool {
	select {
	case p.events <- e:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// report delivers an event of the host about the process itself.
func (p *Process) report(seq int64, kind event.Kind, text string) {
	p.deliver(event.Event{
		Study: p.config.Study, Seq: seq, Time: p.config.Clock.Now().UTC(),
		Source: event.Host, Kind: kind, Text: text,
	})
}

// take delivers a batch and moves the position after it.
func (p *Process) take(b *proto.Batch) error {
	p.mu.Lock()
	w := p.watches[b.GetId()]
	p.mu.Unlock()
	if w == nil {
		return nil // a watch that Watch gave up
	}
	file := b.GetPosition().GetFile()
	for _, e := range b.GetEvents() {
		if !p.deliver(decode(e, &w.spec, file)) {
			return p.ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.GetPosition() != nil {
		var at history.FilePosition
		if err := json.Unmarshal(b.GetPosition().GetState(), &at); err != nil {
			return fmt.Errorf("position in %s: %w", file, err)
		}
		w.at[file] = at
	}
	if b.GetDone() {
		if b.GetError() != "" {
			w.err = fmt.Errorf("watchdog: run %s, file %s: %s", w.spec.Run, w.spec.Pattern, b.GetError())
		}
		delete(p.watches, w.id)
		close(w.done)
	}
	return nil
}
