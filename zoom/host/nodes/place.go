package nodes

// Tasks that wait for room, and those that have some.

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// request is a task in the queue.
type request struct {
	name   string // in the queue
	need   launch.Need
	placed chan *member // gets the member that has room
	since  time.Time    // when it had
}

// Place implements launch.Placer.
func (f *Fleet) Place(ctx context.Context, n launch.Need, wait func(why string)) (string, func(), error) {
	if err := f.begin(); err != nil {
		return "", nil, err
	}
	r := &request{need: n, placed: make(chan *member, 1)}
	if err := f.queueUp(r); err != nil {
		return "", nil, err
	}
	said := ""
	for {
		why, changed, err := f.waitsFor()
		if err != nil {
			f.withdraw(r)
			return "", nil, err
		}
		if wait != nil && why != said {
			if said = why; why != "" {
				wait(why)
			}
		}
		select {
		case m := <-r.placed:
			return m.name, func() { f.book(r, m); f.free(r, m) }, nil
		case <-changed:
		case <-ctx.Done():
			f.withdraw(r)
			return "", nil, context.Cause(ctx)
		case <-f.ctx.Done():
			f.withdraw(r)
			return "", nil, f.ctx.Err()
		}
	}
}

// queueUp adds a task to the queue.
func (f *Fleet) queueUp(r *request) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.problem != nil && len(f.members) == 0 {
		return f.problem
	}
	f.requests++
	r.name = fmt.Sprintf("%s/%09d", r.need.Component, f.requests)
	f.waiting[r.name] = r
	priority := 0
	if r.need.MachineLost {
		priority = 1
	}
	starts, err := f.queue.Add(schedule.Job{
		Name: r.name, Component: r.need.Component, Priority: priority,
		Needs: schedule.Amount{Cores: max(1, r.need.Cores), Memory: r.need.Memory, Licences: r.need.Licences},
	})
	f.start(starts)
	f.prod()
	return err
}

// start gives tasks their members. The caller holds the lock.
func (f *Fleet) start(starts []schedule.Start) {
	for _, s := range starts {
		r, m := f.waiting[s.Job], f.members[s.Slot]
		delete(f.waiting, s.Job)
		f.placed[s.Job], r.since = r, f.clock.Now()
		m.tasks++
		m.runs++
		if most := f.config.Hosts.RunsPerBlock; most > 0 && m.runs >= most {
			f.changeSlot(m, false)
		}
		r.placed <- m
	}
}

// free gives the room of a task back.
func (f *Fleet) free(r *request, m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.placed[r.name] == nil {
		return
	}
	delete(f.placed, r.name)
	m.tasks--
	f.start(f.queue.Ended(r.name))
	f.prod()
}

// withdraw takes a task from the queue, or gives its room back.
func (f *Fleet) withdraw(r *request) {
	f.mu.Lock()
	if f.waiting[r.name] != nil {
		delete(f.waiting, r.name)
		_, starts := f.queue.Withdraw(r.name)
		f.start(starts)
		f.mu.Unlock()
		return
	}
	f.mu.Unlock()
	f.free(r, <-r.placed)
}

// waitsFor says what tasks wait for. Changed is closed when that may have changed. The error says that no node will
// ever come.
func (f *Fleet) waitsFor() (why string, changed <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case len(f.members) > 0:
		return "", f.changed, nil
	case f.problem != nil:
		return "", nil, f.problem
	}
	return cmp.Or(f.queueState(), "a node"), f.changed, nil
}

// Room implements launch.Placer.
func (f *Fleet) Room() (int, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, m := range f.members {
		n += f.cores(m)
	}
	return n, f.changed
}

// nodeOf returns the node of a slot.
func (f *Fleet) nodeOf(slot string) (*agent.Node, error) {
	m, err := f.member(slot)
	if err != nil {
		return nil, err
	}
	return m.node, nil
}

// member returns the member of a slot.
func (f *Fleet) member(slot string) (*member, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.members[slot]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("node %s has gone", slot)
}
