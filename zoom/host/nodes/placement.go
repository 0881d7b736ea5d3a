package nodes

// Tasks that wait for room, and tasks that have it.

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	pb "github.com/peregrine-sim/peregrine/zoom/host/agent/proto"
	"github.com/peregrine-sim/peregrine/zoom/host/launch"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// request is a task in the queue.
type request struct {
	name   string // in the queue
	need   launch.Need
	placed chan *member // gets the member that has room
	since  time.Time    // time of the placement
	stays  bool         // it is where an earlier host left it
}

// kind names tasks that take equally long.
func (r *request) kind() string {
	if r.need.Whole {
		return r.need.Component + "/whole" // no component is named so
	}
	return r.need.Component
}

// Place implements launch.Placer.
func (f *Fleet) Place(ctx context.Context, n launch.Need, wait func(lacks, why string)) (string, func(), error) {
	if err := f.begin(); err != nil {
		return "", nil, err
	}
	r := &request{need: n, placed: make(chan *member, 1)}
	if n.Handle != nil {
		if m := f.returns(ctx, r, wait); m != nil {
			return m.name, func() { f.book(r, m); f.free(r, m) }, nil
		}
	}
	if err := f.queueUp(r); err != nil {
		return "", nil, err
	}
	lacked, said := "", ""
	for {
		lacks, why, changed, err := f.waitsFor(r)
		if err != nil {
			f.withdraw(r)
			return "", nil, err
		}
		if wait != nil && lacks != "" && (lacks != lacked || why != said) {
			lacked, said = lacks, why
			wait(lacks, why)
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
	f.waiting[r.name], f.kinds[r.kind()] = r, r.need
	priority := 0
	if r.need.MachineLost {
		priority = 1
	}
	starts, err := f.queue.Add(schedule.Job{
		Name: r.name, Component: r.need.Component, Priority: priority, Kind: r.kind(),
		Needs: schedule.Amount{Cores: max(1, r.need.Cores), Memory: r.need.Memory, Licences: r.need.Licences},
	})
	f.start(starts)
	if err == nil && r.need.Now && f.waiting[r.name] != nil { // no block is requested for it
		delete(f.waiting, r.name)
		_, starts = f.queue.Withdraw(r.name)
		f.start(starts)
		return launch.ErrNoRoom
	}
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

// fits reports whether a node is likely to be lent for long enough for waiting tasks of a kind. The caller holds the
// lock.
func (f *Fleet) fits(kind, slot string) bool {
	n, m := f.kinds[kind], f.members[slot]
	switch {
	case m == nil || !n.Whole && n.Time == nil:
		return true
	case n.Whole:
		return m.lease.holds(f.clock.Now(), math.MaxInt64)
	}
	return m.lease.holds(f.clock.Now(), n.Time())
}

// useless reports whether a node has no task, and too little time for each that waits. The caller holds the lock.
func (f *Fleet) useless(m *member) bool {
	if !m.slot || m.tasks > 0 || len(f.waiting) == 0 {
		return false
	}
	for _, r := range f.waiting {
		if f.fits(r.kind(), m.name) {
			return false
		}
	}
	return true
}

// free gives the room of a task back.
func (f *Fleet) free(r *request, m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.placed[r.name] == nil {
		return
	}
	delete(f.placed, r.name)
	if m.node.Err() == nil { // else it was lost with the node
		m.tasks--
	}
	if r.stays {
		m.taken.Cores -= max(1, r.need.Cores)
		m.taken.Memory -= r.need.Memory
		if f.members[m.name] == m { // else the slot is another connection's
			f.changeSlot(m, m.slot)
		}
	} else {
		f.start(f.queue.Ended(r.name))
	}
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

// waitsFor returns the resource that a task lacks, empty if it has its room, and the reason for people if it waits for
// nodes. Changed is closed when these may have changed. An error means that no node will ever come.
func (f *Fleet) waitsFor(r *request) (lacks, why string, changed <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.waiting[r.name] == nil:
		return "", "", f.changed, nil
	case len(f.members) > 0:
		return cmp.Or(f.queue.Lacks(r.name), launch.LacksNode), "", f.changed, nil
	case f.problem != nil:
		return "", "", nil, f.problem
	}
	return launch.LacksNode, cmp.Or(f.queueState(), "a node"), f.changed, nil
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
	return nil, fmt.Errorf("node %s was lost", slot)
}

// holder returns the member whose relay has the process of a handle; nil: none has. The caller holds the lock.
func (f *Fleet) holder(h *Handle) *member {
	for _, m := range f.members {
		if m.offers && m.node.Facts.GetBoot() == h.Boot && slices.ContainsFunc(m.node.Left, h.is) {
			return m
		}
	}
	return nil
}

// tookOver reports whether a process of an earlier host is this host's now.
func (f *Fleet) tookOver(m *member, p *pb.Process) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return m.over[p.GetNumber()]
}

// returns waits until the relay with the task of a request comes, and takes its room there; nil: the task has ended, or
// its relay is not back by the time by which it ends by itself.
func (f *Fleet) returns(ctx context.Context, r *request, wait func(lacks, why string)) *member {
	var h Handle
	if json.Unmarshal(r.need.Handle, &h) != nil || h.Study != f.study {
		return nil
	}
	late := f.clock.NewTimer(f.former.Add(time.Duration(h.Lease * float64(time.Second))).Sub(f.clock.Now()))
	defer late.Stop()
	for said := false; ; said = true {
		f.mu.Lock()
		m := f.holder(&h)
		changed, gone := f.changed, f.asked && f.blocks[h.Block] == nil || f.met(&h)
		if m != nil {
			f.requests++
			r.name, r.since, r.stays = fmt.Sprintf("%s/%09d", r.need.Component, f.requests), f.clock.Now(), true
			f.placed[r.name] = r
			m.tasks++
			m.runs++
			m.taken.Cores += max(1, r.need.Cores)
			m.taken.Memory += r.need.Memory
			m.over[h.Number] = true
			f.mu.Unlock()
			return m
		}
		f.mu.Unlock()
		if gone {
			return nil
		}
		if wait != nil && !said {
			wait(launch.LacksNode, fmt.Sprintf("node %s, on which it may still run", h.Node))
		}
		select {
		case <-changed:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return nil
		case <-f.ctx.Done():
			return nil
		}
	}
}

// met reports whether the relay of a handle is connected. The caller holds the lock.
func (f *Fleet) met(h *Handle) bool {
	for _, m := range f.members {
		if x := m.node.Facts; x.GetBoot() == h.Boot && int(x.GetPid()) == h.Relay.PID && x.GetMark() == h.Relay.Mark {
			return true
		}
	}
	return false
}
