package nodes

// Connected nodes.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/internal/clock"
	"github.com/peregrine-sim/peregrine/internal/hosting"
	"github.com/peregrine-sim/peregrine/internal/version"
	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/zoom/host/agent"
	"github.com/peregrine-sim/peregrine/zoom/host/local"
	"github.com/peregrine-sim/peregrine/zoom/host/provider"
	"github.com/peregrine-sim/peregrine/zoom/run/schedule"
)

// joinTime is the time limit of the work with a relay before its node counts.
const joinTime = 30 * time.Second

// nameOf returns the name of a member, which belongs to its relay as long as the fleet lives.
func (f *Fleet) nameOf(m *member) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name := f.relays[m.relay]; name != "" {
		return name
	}
	name := m.node.Facts.GetNode()
	for n := 2; f.named[name]; n++ {
		name = fmt.Sprintf("%s.%d", m.node.Facts.GetNode(), n)
	}
	f.named[name], f.relays[m.relay] = true, name
	return name
}

// join makes a node a member: it takes the place of an earlier connection of its relay, whose tasks are lost.
func (f *Fleet) join(ctx context.Context, node *agent.Node) {
	m := &member{node: node, host: f.hostOn(node), block: node.Facts.GetBlock(), leaving: make(chan struct{}),
		over: map[uint64]bool{}}
	m.relay = fmt.Sprintf("%s %s %d %s", m.block, node.Facts.GetBoot(), node.Facts.GetPid(), node.Facts.GetMark())
	m.name = f.nameOf(m)
	if banned, unwanted := f.refuses(m); banned || unwanted {
		node.Dismiss(ctx)
		if banned {
			f.refuse(ctx, m)
		}
		return
	}
	shared, err := node.Prove(ctx, f.study)
	if err != nil {
		f.tell(event.Warning, m.name, "node %s: %v", m.name, err)
		node.Close()
		return
	}
	m.shared, m.free, m.why = shared.Shared, shared.Free, shared.Why
	f.mu.Lock()
	former := f.members[m.name]
	known := f.lost[m.name]
	if former != nil {
		f.changeSlot(former, false) // until the new connection is open
	}
	f.members[m.name] = m
	m.offers = former == nil && !known
	f.wakeAll()
	f.mu.Unlock()
	node.Call(m.name)
	if former != nil {
		former.node.Close()
		known = true
	}
	f.work.Go(func() { f.look(m) })
	f.work.Go(func() {
		if f.settle(m, known) {
			f.open(m)
		}
	})
}

// hostOn starts processes on a node.
func (f *Fleet) hostOn(n *agent.Node) *hosting.Host {
	h := hosting.NewHost(filepath.Join(f.study, local.CertificateDir))
	h.Node, h.Clock = n, f.clock
	return h
}

// refuses reports whether a node is refused: it failed too often, or its block is being given back.
func (f *Fleet) refuses(m *member) (banned, unwanted bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.blocks[m.block]
	return f.recordOf(m.node.Facts.GetNode()).banned, f.ctx.Err() != nil || b != nil && b.unwanted
}

// refuse gives the block of a banned node back, if the block has no other node.
func (f *Fleet) refuse(ctx context.Context, m *member) {
	f.mu.Lock()
	b := f.blocks[m.block]
	alone := b != nil && !b.unwanted && f.config.Hosts.Nodes <= 1
	if alone {
		b.unwanted = true
		f.noteBarren("no solver starts on its node " + m.node.Facts.GetNode())
	}
	f.mu.Unlock()
	if alone {
		f.prod()
		f.giveBack(ctx, m.block)
	}
}

// recordOf returns the record of a node. The caller holds the lock.
func (f *Fleet) recordOf(node string) *record {
	if f.bad[node] == nil {
		f.bad[node] = &record{died: map[string]bool{}}
	}
	return f.bad[node]
}

// settle waits until the processes of an earlier host or connection on a node have ended. Processes that this host has
// given up are killed at once: another attempt may be under way.
func (f *Fleet) settle(m *member, givenUp bool) bool {
	for _, p := range m.node.Left {
		if givenUp {
			m.node.Kill(p.GetNumber())
		}
	}
	for said := false; m.node.Err() == nil; said = true {
		living := 0
		for _, p := range m.node.Left {
			if !f.tookOver(m, p) && m.node.Lives(p.GetNumber()) {
				living++
			}
		}
		if living == 0 {
			return true
		}
		if !said {
			f.tell(event.Message, m.name,
				"node %s has %d processes of a host before this one: runs that are still needed continue, others stop "+
					"at their next checkpoint", m.name, living)
		}
		_ = clock.Sleep(f.ctx, f.clock, settleTime) // Err has why
		if f.ctx.Err() != nil {
			return false
		}
	}
	return false
}

// settleTime is the interval for checking whether they have ended.
const settleTime = 200 * time.Millisecond

// open lets tasks go to a node.
func (f *Fleet) open(m *member) {
	how := "shares the study's folder"
	if !m.shared {
		how = "does not share the study's folder (" + m.why + "): files are carried"
	}
	came := event.Event{Kind: event.NodeCame, Host: m.name, Block: m.blockOf(), Cores: f.cores(m)}
	if here := version.Read().Short(); m.node.Build != here {
		f.tell(event.Warning, m.name, "node %s has Peregrine %s, and this is %s: use the same build on both, or leave "+
			"`program` out of the hosts file", m.name, m.node.Build, here)
	}
	f.say(came, "node %s has come: %d cores, %.3g GB, %s; it %s", m.name, f.cores(m), float64(f.memory(m))/1e9,
		m.node.Facts.GetCpu(), how)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.members[m.name] != m || m.node.Err() != nil {
		return
	}
	if f.opened[m.name].IsZero() {
		f.opened[m.name] = f.clock.Now()
		if came := f.came(m); came.Before(f.former) { // it had tasks of an earlier host
			f.opened[m.name] = came
		}
	}
	m.open, m.lease = true, f.leaseOf(m)
	left := m.lease.rest(f.clock.Now())
	switch {
	case m.retired(): // it was preempted meanwhile
		f.prod()
	case m.lease.until.IsZero():
		f.changeSlot(m, true)
	case left > 0:
		f.changeSlot(m, true)
		f.clock.AfterFunc(left, func() { f.vacate(m) })
	default: // it has come too late
		f.retire(m)
	}
	f.wakeAll()
}

// leaseOf returns the lease of a member, by the present difference of the clocks.
func (f *Fleet) leaseOf(m *member) lease {
	seconds := m.node.Facts.GetEnds()
	if seconds <= 0 {
		return lease{}
	}
	ahead, _ := m.node.Offset()
	l := newLease(f.opened[m.name], f.came(m), time.Unix(0, int64(seconds*1e9)).Add(-ahead))
	now := f.clock.Now()
	l.until = now.Add(l.until.Sub(now)) // a step of the time of day does not move it
	return l
}

// vacate has the tasks of a member leave it, as its time is nearly over.
func (f *Fleet) vacate(m *member) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.members[m.name] != m || m.retired() {
		return
	}
	f.tell(event.Message, m.name, "the time of node %s is nearly over: it is given back, and its runs (%d) stop at "+
		"their next checkpoint and continue elsewhere", m.name, m.tasks)
	f.retire(m)
}

// retire gives a member no more tasks, and its present tasks leave it. Then it is given back. The caller holds the
// lock.
func (f *Fleet) retire(m *member) {
	f.changeSlot(m, false)
	if !m.retired() {
		close(m.leaving)
	}
	f.prod()
}

// noteSilence excludes a member while its node is silent: a task started there may be lost with it.
func (f *Fleet) noteSilence(m *member) {
	silent := clock.Since(f.clock, m.node.Heard()) > f.config.Terms.Beat*3/2
	f.mu.Lock()
	defer f.mu.Unlock()
	if silent == m.silent || f.members[m.name] != m {
		return
	}
	m.silent = silent
	if m.slot {
		f.showSlot(m, !silent)
	}
}

// changeSlot adds a member's slot, or removes it. The caller holds the lock.
func (f *Fleet) changeSlot(m *member, add bool) {
	m.slot = add
	f.showSlot(m, add && !m.silent)
}

// showSlot is changeSlot for the time being.
func (f *Fleet) showSlot(m *member, add bool) {
	var starts []schedule.Start
	if add {
		// no amount is negative
		starts, _ = f.queue.AddSlot(schedule.Slot{
			Name: m.name, Amount: schedule.Amount{Cores: max(0, f.cores(m)-m.taken.Cores),
				Memory:   max(0, f.memory(m)-m.taken.Memory),
				Licences: f.config.Hosts.Licences},
		})
	} else {
		starts = f.queue.RemoveSlot(m.name)
	}
	f.start(starts)
}

// cores and memory are the resources of a node available to runs.
func (f *Fleet) cores(m *member) int {
	x := m.node.Facts
	return max(1, cmp.Or(f.config.entry(x.GetNode()).Cores, f.config.Hosts.Cores, int(x.GetCores())))
}

func (f *Fleet) memory(m *member) int64 {
	return cmp.Or(f.config.entry(m.node.Facts.GetNode()).Memory, f.config.Hosts.Memory, m.node.Facts.GetMemory())
}

// wakeAll signals the waiting tasks that members have changed. The caller holds the lock.
func (f *Fleet) wakeAll() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// list returns the members.
func (f *Fleet) list() []*member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.members))
}

// look waits for the end of a member. Meanwhile a silent member gets no task.
func (f *Fleet) look(m *member) {
	tick := f.clock.NewTicker(f.config.Terms.Beat)
	defer tick.Stop()
	warned, ended := m.node.Warned(), f.ctx.Done()
	for gone := false; !gone; {
		select {
		case <-ended: // it connected while the others were dismissed
			ended = nil
			ctx, cancel := context.WithTimeout(context.Background(), closeTime)
			m.node.Dismiss(ctx)
			cancel()
		case <-warned:
			warned = nil
			f.mu.Lock()
			l := f.leaseOf(m)
			f.mu.Unlock()
			if l.until.IsZero() || l.rest(f.clock.Now()) > provider.Early { // it is preempted
				f.vacate(m)
			}
		case <-tick.C:
			f.noteSilence(m)
		case <-m.node.Done():
			gone = true
		}
	}
	f.watching.lose(m)
	_ = m.host.Close() // its scratch folder is swept, too
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.members[m.name] == m {
		delete(f.members, m.name)
		f.changeSlot(m, false)
	}
	var lost *agent.LostError
	isLost := errors.As(m.node.Err(), &lost) && f.ctx.Err() == nil
	f.left(m, isLost)
	if isLost { // m.tasks is the number of runs at that moment: see free
		f.recordOf(m.node.Facts.GetNode()).losses++
		f.lost[m.name] = true
		f.say(event.Event{Kind: event.NodeLost, Host: m.name, Block: m.blockOf()}, "%v; %s", lost,
			plural(m.tasks, "run was under way there", "runs were under way there"))
		if f.blocks[m.block] != nil {
			f.work.Go(func() { f.giveUp(m.block) })
		}
	}
	f.wakeAll()
	f.prod()
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// noteDeath records a run whose process ended by itself, or with its node. A node on which different runs died is
// reported, once.
func (f *Fleet) noteDeath(m *member, run string) {
	job, _, _ := strings.Cut(run, attemptMark)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.recordOf(m.node.Facts.GetNode())
	r.died[job] = true
	if len(r.died) == mostDied {
		f.tell(event.Warning, m.name, "%d different runs died on node %s (%s): the node may be the cause",
			mostDied, m.node.Facts.GetNode(), strings.Join(slices.Sorted(maps.Keys(r.died)), ", "))
	}
}

// mostDied is how many different runs may die on a node before it is reported. attemptMark separates their attempts.
const (
	mostDied    = 3
	attemptMark = "~"
)

// mostFailedStarts is how many starts in a row may fail on a node.
const mostFailedStarts = 3

// noteStart notes how a start on a member went.
func (f *Fleet) noteStart(m *member, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.recordOf(m.node.Facts.GetNode())
	if err == nil {
		r.failedStarts, f.barren, f.patient = 0, 0, time.Time{}
		if b := f.blocks[m.block]; b != nil {
			b.used = true
		}
		return
	}
	r.failedStarts++
	if r.failedStarts < mostFailedStarts || r.banned {
		return
	}
	r.banned = true
	f.tell(event.Warning, m.name, "node %s gets no more runs: %d starts in a row failed there, the last one: %v",
		m.name, r.failedStarts, err)
	if f.members[m.name] == m {
		f.changeSlot(m, false)
	}
	f.prod()
}

// meet makes the relay at the other end of a connection a member, unless it is a member whose connection had broken.
func (f *Fleet) meet(who string, conn io.ReadWriteCloser) {
	ctx, cancel := context.WithTimeout(f.ctx, joinTime)
	defer cancel()
	line, err := f.lines.Answer(ctx, conn)
	if line == nil && err == nil {
		return
	}
	var node *agent.Node
	if err == nil {
		node, err = agent.Meet(ctx, line, f.config.Terms)
	}
	if err != nil {
		f.tell(event.Warning, "", "%s cannot be used: %v", who, err)
		return
	}
	f.join(ctx, node)
}
